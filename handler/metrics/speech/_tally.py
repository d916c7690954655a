"""What `speech.wer` keeps of a slice: sums of whole numbers, so that no order or cut of utterances changes a figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

from handler.counting import many
from handler.metrics._base import Tally
from handler.metrics.speech._alignment import Counts
from handler.results import MetricResult
from handler.statistics import Interval, student_t_quantile

__all__ = ["WerTally", "rate_interval"]

Sums = list[int]
"""hits, substitutions, deletions, insertions; utterances; over utterances e * e, e * n and n * n, where e are the edits
and n is the length of the reference."""


class WerTally(Tally):
    """Edits and reference lengths of words and of characters.

    Utterances whose reference is empty are skipped, for they have no rate of their own, yet what was inserted there
    counts among the edits of the slice.
    """

    fields = ("words", "characters", "n_wrong", "case_or_punctuation", "insertions_without_reference")

    def __init__(self, *, as_jiwer: bool = False) -> None:
        super().__init__()
        self._as_jiwer = as_jiwer
        self.words: Sums = [0] * 8
        self.characters: Sums = [0] * 8
        self.n_wrong = self.case_or_punctuation = self.insertions_without_reference = 0

    def add(self, result: MetricResult) -> None:
        """Count one result, and the insertions of an utterance that cannot have a score."""
        super().add(result)
        if result.score is None and "insertions" in result.details:
            self.insertions_without_reference += result.details["insertions"]
            self._count(result.details)

    def summary(self) -> dict[str, Any]:
        """wer and cer (with intervals), mer, wil, wip; hits, substitutions, deletions, insertions, n_reference_words, and
        the same of characters; sentence_error_rate: scored utterances with any error; case_or_punctuation: edits that
        `basic` would undo; insertions_without_reference: inserted words in utterances without any."""
        words, characters = Counts(*self.words[:4]), Counts(*self.characters[:4])
        counted = self.words[4] > 0
        rate = words.error_rate(as_jiwer=self._as_jiwer) if counted else None
        return {
            "wer": rate,
            "cer": characters.error_rate(as_jiwer=self._as_jiwer) if counted else None,
            "mer": words.match_error_rate if counted else None,
            "wil": 1 - words.information_preserved if counted else None,
            "wip": words.information_preserved if counted else None,
            **words._asdict(),
            "n_reference_words": words.n_reference,
            "characters": {**characters._asdict(), "n_reference_characters": characters.n_reference},
            "sentence_error_rate": self.n_wrong / self.n_scored if self.n_scored else None,
            "case_or_punctuation": self.case_or_punctuation,
            "insertions_without_reference": self.insertions_without_reference,
            "summary": self._in_words(words, rate, counted=counted),
            **self.counts(),
            "intervals": {
                name: _interval(getattr(self, unit)) for name, unit in (("wer", "words"), ("cer", "characters"))
            },
        }

    def _in_words(self, words: Counts, rate: float | None, *, counted: bool) -> str:
        if not counted:
            return "There is nothing to average: no transcript was scored."
        if rate is None:
            heard = many(words.insertions, "word")
            return f"Heard where nothing was said: {heard}; without reference words there is no rate."
        text = f"{many(words.edits, 'word edit')} over {many(words.n_reference, 'reference word')}: {rate:.1%}."
        if self.case_or_punctuation:
            text += (
                f" {self.case_or_punctuation:,} of them are case or punctuation alone (normaliser=basic undoes them)."
            )
        return text

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self._count(details)
        self.n_wrong += score > 0

    def _merge_scores(self, other: Self) -> None:
        self.words = _added(self.words, other.words)
        self.characters = _added(self.characters, other.characters)
        self.n_wrong += other.n_wrong
        self.case_or_punctuation += other.case_or_punctuation
        self.insertions_without_reference += other.insertions_without_reference

    def _count(self, details: Mapping[str, Any]) -> None:
        self.words = _added(self.words, _sums(details))
        self.characters = _added(self.characters, _sums(details["characters"]))
        self.case_or_punctuation += details.get("case_or_punctuation", 0)


def rate_interval(
    edits: int, length: int, n: int, squares: tuple[int, int, int], *, level: float = 0.95
) -> Interval | None:
    """Interval of a ratio of sums over n utterances by the delta method, with Student's t; cut at 0.

    edits, length: the sums of e and of n. squares: the sums of e * e, e * n, n * n. The utterances are the independent
    units, not the words, whose errors come together. None for fewer than two utterances, for no length, and where all
    utterances have one rate, so that nothing shows how much it varies.
    Source: Cochran, Sampling Techniques (1977), 6.3; resampling utterances, as Bisani and Ney (ICASSP 2004), estimates
    the same and would need all rows at once.
    """
    if n < 2 or not length:
        return None
    residuals = squares[0] * length**2 - 2 * squares[1] * edits * length + squares[2] * edits**2
    if not residuals:
        return None
    error = math.sqrt(n / (n - 1) * (residuals / length**4))
    half = student_t_quantile(0.5 + level / 2, n - 1) * error
    return Interval(max(0.0, edits / length - half), edits / length + half, level, "delta-method")


def _interval(sums: Sums) -> dict[str, Any] | None:
    counts = Counts(*sums[:4])
    found = rate_interval(counts.edits, counts.n_reference, sums[4], (sums[5], sums[6], sums[7]))
    return found._asdict() if found else None


def _sums(details: Mapping[str, Any]) -> Sums:
    counts = Counts(*(details[name] for name in Counts._fields))
    edits, length = counts.edits, counts.n_reference
    return [*counts, 1, edits * edits, edits * length, length * length]


def _added(one: Sums, other: Sums) -> Sums:
    return [mine + theirs for mine, theirs in zip(one, other, strict=True)]

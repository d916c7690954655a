"""`speech.wer`: how far transcripts are from what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from handler.errors import RequestError
from handler.metrics._base import STRICT, BaseMetric, Mode
from handler.metrics._registry import register
from handler.metrics.speech._alignment import Counts, Pair, drawn
from handler.metrics.speech._errors import JIWER, compared, reader_of
from handler.metrics.speech._tally import WerTally
from handler.metrics.speech._words import Text, basic_word, lacks_spaces
from handler.results import MetricResult
from handler.samples import Sample

__all__ = ["WordErrorRate"]

Found = tuple[list[Pair], Counts, Counts]
Texts = list[tuple[int, Text]]

MOST_COMPARED = 10**11
"""Reference times hypothesis characters: 316,000 of each, hours of speech, take some 6 s, and ten times as many 100 times
as long, which would outlast a function's time."""


@register("speech.wer")
class WordErrorRate(BaseMetric):
    """Word error rate, 0 or more, and CER, MER, WIL: substitutions, deletions and insertions per reference word.

    A slice's rate is its total edits over its total reference words, never a mean of rates. Of several references the one
    with the fewest word edits counts (then the longest, then the first), for words and characters alike; blank ones are
    passed over. A reference without words has no rate: such utterances are skipped as `empty_reference`, their insertions
    count in the slice, and silence transcribed as silence scores 0. A blank transcript is scored: all words deleted.

    By default words are compared as written, after Unicode NFC, so that the number is the one that other tools and papers
    give; `case_or_punctuation` says in each row and slice how many edits `basic` would undo.
    `compat:jiwer` is jiwer 4 with its default transforms: no NFC, spaces alone separate words, and without a reference
    the rate is the number of inserted words. Rows hold an `alignment` where anything is wrong. Transcripts of many hours in
    one piece are skipped as `too_long`, for the time of an alignment grows with the square of the length.
    """

    title = "Word, character and match error rates of transcripts, word information lost"
    higher_is_better = False
    range = (0.0, None)
    ancestors = (JIWER,)
    options: ClassVar[Mapping[str, str]] = {
        "normaliser": "what is compared: none (as written, Unicode NFC), basic (no case, punctuation or symbols), english "
        "(basic; contractions and numbers written one way), characters (basic; scripts without spaces by character); none "
        "unless given"
    }

    def __init__(self, *, normaliser: str = "none", mode: Mode | str = STRICT) -> None:
        super().__init__(mode=mode)
        if not isinstance(normaliser, str):  # options come from outside
            raise RequestError(f"the normaliser is {normaliser!r}, not a name", field="options.speech.wer.normaliser")
        self.normaliser = normaliser
        self._read, self._as_jiwer = reader_of(normaliser, str(self.mode))

    def signature_parts(self) -> dict[str, Any]:
        """The normaliser."""
        return {"normaliser": self.normaliser}

    def tally(self) -> WerTally:
        """Sums of edits and lengths."""
        return WerTally(as_jiwer=self._as_jiwer)

    def compute(self, sample: Sample) -> MetricResult:
        """Score one transcript."""
        if sample.answer is None:
            return self._skip(sample, "missing_answer")
        if not sample.references:
            return self._skip(sample, "missing_reference")
        hypothesis = self._read(sample.answer)
        references = [(place, self._read(text)) for place, text in enumerate(sample.references)]
        longest = max(len(text.characters) for _, text in references)
        if longest * len(hypothesis.characters) > MOST_COMPARED:
            return self._skip(sample, "too_long")
        best, reference, (pairs, words, characters) = _nearest(references, hypothesis)
        details = {**_figures(words, characters, as_jiwer=self._as_jiwer), "best_reference": best}
        if words.edits:
            details["alignment"] = drawn(pairs)
        warnings = []
        if reference.words and not hypothesis.words:
            warnings.append("empty_answer")
        if self.normaliser == "none" and (n := _case_or_punctuation(pairs)):
            details["case_or_punctuation"] = n
            warnings.append("case_or_punctuation")
        if self.normaliser != "characters" and lacks_spaces(reference.words):
            warnings.append("no_spaces")
        if warnings:
            details["warnings"] = warnings
        score = words.error_rate(as_jiwer=self._as_jiwer)
        if score is None:
            details["skipped"] = "empty_reference"
        return MetricResult(self.name, score, details)

    def badness(self, result: MetricResult) -> float | None:
        """Transcripts with any error, the highest rates first."""
        return result.score or None


def _nearest(references: Texts, hypothesis: Text) -> tuple[int, Text, Found]:
    """The reference that counts: its position, its words, and what is wrong by it."""
    spoken = [(place, text) for place, text in references if text.words] or references[:1]
    found = [(place, text, compared(text, hypothesis)) for place, text in spoken]
    return min(found, key=lambda one: (one[2][1].edits, -one[2][1].n_reference, one[0]))


def _figures(words: Counts, characters: Counts, *, as_jiwer: bool) -> dict[str, Any]:
    return {
        "cer": characters.error_rate(as_jiwer=as_jiwer),
        "mer": words.match_error_rate,
        "wil": 1 - words.information_preserved,
        "wip": words.information_preserved,
        **words._asdict(),
        "characters": characters._asdict(),
    }


def _case_or_punctuation(pairs: Sequence[Pair]) -> int:
    """Edits that are gone once both words are normalised, and lone punctuation."""
    return sum(
        basic_word(pair.reference or "") == basic_word(pair.hypothesis or "") for pair in pairs if pair.op != "="
    )

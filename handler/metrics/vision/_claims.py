"""`vision.claims`: whether a description contradicts what people saw, and in which words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from handler.claims import DEFAULT_THRESHOLD, Claim, Judgement, Note, Verdict
from handler.errors import RequestError
from handler.metrics._base import Calibrated, Mode
from handler.metrics._registry import register
from handler.metrics.vision._claims_tally import ClaimsTally
from handler.metrics.vision._judging import Key, PairMetric, warnings_of
from handler.metrics.vision._pairs import Pair, default_encoder
from handler.metrics.vision._readings import ClaimScorer, ClaimSource, PairClaims
from handler.models import TextEncoder
from handler.results import MetricResult

__all__ = ["VisionClaims"]


@register("vision.claims")
class VisionClaims(PairMetric[PairClaims]):
    """How surely the description contradicts the reference, 0..1, and the claims it rests on; no similarity.

    Of several references the one that contradicts least counts: a description is right if it agrees with any person.
    verdict: contradicted above the threshold, else supported; undecided, with the reason, for a blank answer (silence
    contradicts nothing), for an answer or references without a word, for text that is not English, and for text that
    the model read in part and found nothing against. threshold: 0..1. It is set for few false alarms and does not travel
    between domains: calibrate it.
    Raises ModelError for a model exported without the layers that are read.
    """

    title = "Share of frames whose description contradicts what people saw, and the words in which it does"
    higher_is_better = False
    range = (0.0, 1.0)
    goes_first = True
    most_remembered = 4096
    most_characters = 1_000_000  # what a row says takes some 30 bytes a character of its texts
    threshold_of = "vision.claims"
    own_threshold: ClassVar[float] = DEFAULT_THRESHOLD
    options: ClassVar[Mapping[str, str]] = {
        "threshold": "contradiction above which a frame counts as contradicted, 0..1 "
        f"({DEFAULT_THRESHOLD:g}); --threshold is a similarity and does not set it"
    }

    def __init__(
        self,
        *,
        mode: Mode | str = "strict",
        threshold: float = DEFAULT_THRESHOLD,
        encoder: TextEncoder | None = None,
        source: ClaimSource | None = None,
        calibrated: Calibrated | None = None,
    ) -> None:
        super().__init__(mode=mode)
        number = isinstance(threshold, int | float) and not isinstance(threshold, bool)  # options come from outside
        if not number or not math.isfinite(threshold) or not 0 <= threshold <= 1:
            raise RequestError(
                f"the threshold of vision.claims must be a number in 0..1, got {threshold!r}",
                field="options.vision.claims.threshold",
            )
        self.threshold = threshold
        self.calibrated = calibrated
        self._encoder = encoder
        if source is None and encoder is not None:
            source = ClaimScorer(encoder, threshold=threshold)
        self._given_source = source

    @property
    def source(self) -> ClaimSource:
        """Where claims come from; the default model is looked up on first use."""
        if self._given_source is None:
            self._given_source = ClaimScorer(default_encoder(), threshold=self.threshold)
        return self._given_source

    def setup(self) -> None:
        """Load the encoder and the word lists now."""
        self.source.judge([("a man", "a dog")])

    def flush(self) -> None:
        """The encoder's new vectors."""
        if self._encoder is not None:
            self._encoder.flush()

    def tally(self) -> ClaimsTally:
        """Counts, rates, kinds."""
        return ClaimsTally(
            self.threshold, source=f"calibration {self.calibrated.fingerprint}" if self.calibrated else None
        )

    def signature_parts(self) -> dict[str, Any]:
        """The model, the rule for several references, the threshold and the calibration it comes from."""
        source = {"calibration": self.calibrated.fingerprint} if self.calibrated else {}
        parts = {**self.source.signature_parts(), "references": "least contradicting"}
        return {**parts, "threshold": self.threshold, **source}

    def badness(self, result: MetricResult) -> float | None:
        """Contradicted frames, the surest first."""
        return result.score if result.details.get("is_contradicted") else None

    def _compare(self, pairs: Sequence[Pair]) -> list[PairClaims]:
        return self.source.judge(pairs)

    def _judged(self, key: Key, found: Mapping[str, PairClaims]) -> MetricResult:
        judged = {text: one.judgement for text, one in found.items() if one.judgement is not None}
        finite = {text: one for text, one in judged.items() if math.isfinite(one.contradiction)}
        if not finite:
            return MetricResult(self.name, None, {"error": "non_finite"})
        matched = min(finite, key=lambda text: (not _has_words(text), finite[text].apart, finite[text].contradiction))
        judgement, pair = finite[matched], found[matched].score
        warnings = list(warnings_of(key, pair))
        judgement = _as_far_as_read(judgement, warnings)
        undecided = _undecided(warnings, contradicted=judgement.contradiction > self.threshold)
        if not undecided and not (_has_words(key[0] or "") and _has_words(matched)):
            undecided = "no_words"
        elif not undecided and judgement.apart:
            undecided = "nothing_shared"
        details = {**self._details(judgement, undecided), "similarity_score": pair.similarity}
        if pair.n_tokens is not None and pair.truncated is not None:
            details["n_tokens"], details["truncated"] = list(pair.n_tokens), list(pair.truncated)
        if len(found) > 1:
            details["n_references"], details["best_reference"] = len(found), key[1].index(matched)
        if warnings:
            details["warnings"] = warnings
        return MetricResult(self.name, judgement.contradiction, details)

    def _details(self, judgement: Judgement, undecided: str | None) -> dict[str, Any]:
        contradicted = None if undecided else judgement.contradiction > self.threshold
        details: dict[str, Any] = {
            "contradiction": judgement.contradiction,
            "verdict": _verdict(contradicted).value,
            "is_contradicted": contradicted,
            **({"undecided": undecided} if undecided else {}),
            "threshold": self.threshold,
            "claims": [_claim(one) for one in judgement.claims],
            "omissions": _notes(judgement.omissions),
            "notes": _notes(judgement.notes),
        }
        if judgement.worst is not None:
            details["sentence"] = list(judgement.worst)
        if not undecided and self.calibrated is not None and self.calibrated.chance is not None:
            details["probability"] = self.calibrated.chance(judgement.contradiction)
        return details


def _has_words(text: str) -> bool:
    """Whether there is anything to compare: "-" and "🚗" say nothing that could be contradicted."""
    return any(character.isalnum() for character in text)


def _undecided(warnings: Sequence[str], *, contradicted: bool) -> str | None:
    """Why a frame cannot be decided: what the model did not read may say anything, but does not undo what it did read."""
    reasons = [one for one in warnings if not (contradicted and one == "truncated")]
    return min(reasons, key=lambda one: one == "truncated", default=None)


def _as_far_as_read(judgement: Judgement, warnings: Sequence[str]) -> Judgement:
    """Silence says nothing wrong and leaves everything out; of a language that is not read nothing can be named."""
    score = 0.0 if "empty_answer" in warnings else judgement.contradiction
    if any(one.startswith("language:") for one in warnings):
        return Judgement(score)
    return Judgement(score, omissions=judgement.omissions) if "empty_answer" in warnings else judgement


def _verdict(contradicted: bool | None) -> Verdict:
    if contradicted is None:
        return Verdict.UNDECIDED
    return Verdict.CONTRADICTED if contradicted else Verdict.SUPPORTED


def _claim(one: Claim) -> dict[str, Any]:
    """Plain JSON: spans are [first character, the one after the last]."""
    spans = {name: [list(span) for span in getattr(one, name)] for name in ("answer_spans", "reference_spans")}
    return {**asdict(one), "kind": one.kind.value, **spans}


def _notes(notes: Iterable[Note]) -> list[dict[str, Any]]:
    return [{"words": one.words, "spans": [list(span) for span in one.spans]} for one in notes]

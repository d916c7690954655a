"""`vision.hallucination`: how often the description falls below a similarity threshold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from handler.counting import many
from handler.errors import RequestError
from handler.metrics._base import Calibrated, Mode, Tally
from handler.metrics._registry import register
from handler.metrics.vision._bands import BANDS_OF_RATE, band_of
from handler.metrics.vision._judging import FAIR_FORGE_DECIMALS, Judged, VisionMetric
from handler.metrics.vision._pairs import PairSource
from handler.models import TextEncoder
from handler.results import MetricResult
from handler.settings import DEFAULT_THRESHOLD
from handler.statistics import wilson_interval

__all__ = ["HallucinationTally", "VisionHallucination"]


class HallucinationTally(Tally):
    """The share of frames below the threshold."""

    fields = ("n_hallucinations",)

    def __init__(self, threshold: float, *, rounded: bool = False, source: str | None = None) -> None:
        super().__init__()
        self._source = source
        self._threshold = threshold
        self._rounded = rounded
        self.n_hallucinations = 0

    def summary(self) -> dict[str, Any]:
        """hallucination_rate with its Wilson interval, n_hallucinations, n_frames (= n_scored), threshold, band; where the
        threshold was calibrated, threshold_source."""
        n = self.n_scored
        rate = self.n_hallucinations / n if n else None
        interval = wilson_interval(self.n_hallucinations, n)
        shown = rate or 0.0
        if self._rounded:
            rate = shown = round(shown, FAIR_FORGE_DECIMALS)  # fair-forge: 0.0 when there is nothing to count
        return {
            "hallucination_rate": rate,
            "n_hallucinations": self.n_hallucinations,
            "n_frames": n,
            "threshold": self._threshold,
            **({"threshold_source": self._source} if self._source else {}),
            "band": band_of(shown, BANDS_OF_RATE).label if n else None,
            "summary": self._sentence(shown),
            **self.counts(),
            "intervals": {"hallucination_rate": interval._asdict() if interval else None},
        }

    def _sentence(self, rate: float) -> str:
        if not self.n_scored and not self._rounded:
            return "There is nothing to count: no frame was scored."
        frames = f"{self.n_scored} frames" if self._rounded else many(self.n_scored, "frame")  # the original's words
        return (
            f"The model hallucinated in {self.n_hallucinations} of {frames} ({rate:.0%}). A frame is "
            f"considered a hallucination when similarity with the ground truth falls below "
            f"{float(f'{self._threshold:.6g}')}."
        )

    def add_all(self, results: Iterable[MetricResult]) -> None:
        """One loop, without a call per frame."""
        for result in results:
            if result.score is None:
                super().add(result)
            else:
                self.n_scored += 1
                self.n_hallucinations += int(result.score)

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self.n_hallucinations += int(score)

    def _merge_scores(self, other: Self) -> None:
        self.n_hallucinations += other.n_hallucinations


@register("vision.hallucination")
class VisionHallucination(VisionMetric):
    """1 for a frame whose similarity is below the threshold (`<`, unrounded in strict mode), else 0.

    threshold: a cosine, -1..1. It is not portable between domains: calibrate it on human verdicts. With a calibration rows
    also say `probability`, 0..1: that a person would call the frame a hallucination.
    Source: the vision metrics of fair-forge.
    """

    title = "Share of frames whose description falls below a similarity threshold"
    higher_is_better = False
    range = (0.0, 1.0)
    threshold_of = "vision.similarity"
    options: ClassVar[Mapping[str, str]] = {
        "threshold": "similarity below which a frame counts as a hallucination, -1..1 (0.75)"
    }

    def __init__(
        self,
        *,
        mode: Mode | str = "strict",
        threshold: float = DEFAULT_THRESHOLD,
        encoder: TextEncoder | None = None,
        pairs: PairSource | None = None,
        calibrated: Calibrated | None = None,
    ) -> None:
        super().__init__(mode=mode, encoder=encoder, pairs=pairs)
        number = isinstance(threshold, int | float) and not isinstance(threshold, bool)  # options come from outside
        if not number or not math.isfinite(threshold) or not -1 <= threshold <= 1:
            raise RequestError(f"the threshold must be a number in -1..1, got {threshold!r}", field="threshold")
        self.threshold = threshold
        self.calibrated = calibrated

    def tally(self) -> HallucinationTally:
        """Counts and the rate."""
        source = f"calibration {self.calibrated.fingerprint}" if self.calibrated else None
        return HallucinationTally(self.threshold, rounded=self.mode.compat, source=source)

    def signature_parts(self) -> dict[str, Any]:
        """The model, the threshold, and the calibration it comes from."""
        source = {"calibration": self.calibrated.fingerprint} if self.calibrated else {}
        return {**super().signature_parts(), "threshold": self.threshold, **source}

    def badness(self, result: MetricResult) -> float | None:
        """Flagged frames, the least similar first."""
        return -result.details["similarity_score"] if result.score else None

    def _result(self, judged: Judged) -> MetricResult:
        below = judged.similarity < self.threshold
        details = {"is_hallucination": below, "similarity_score": judged.similarity, "threshold": self.threshold}
        if self.calibrated is not None and self.calibrated.chance is not None:
            details["probability"] = self.calibrated.chance(judged.similarity)
        if "best_reference" in judged.details:
            details["best_reference"] = judged.details["best_reference"]
        return MetricResult(self.name, float(below), details)

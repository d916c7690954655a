"""`vision.similarity`: how close each description is to what people saw."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Self

from handler.counting import many
from handler.metrics._base import Tally
from handler.metrics._registry import register
from handler.metrics.vision._bands import BANDS_OF_SIMILARITY, band_of
from handler.metrics.vision._judging import FAIR_FORGE_DECIMALS, Judged, VisionMetric
from handler.results import MetricResult
from handler.statistics import Interval, mean_interval

__all__ = ["SimilarityTally", "VisionSimilarity"]


class SimilarityTally(Tally):
    """Mean, extremes and spread of similarities."""

    fields = ("total", "total_of_squares", "low", "high", "rest", "rest_of_squares")

    def __init__(self, *, rounded: bool = False) -> None:
        super().__init__()
        self._rounded = rounded
        self.total = 0.0
        self.total_of_squares = 0.0
        self.rest = 0.0  # what rounding lost of the totals (Neumaier's summation)
        self.rest_of_squares = 0.0
        self.low: float | None = None
        self.high: float | None = None

    def summary(self) -> dict[str, Any]:
        """mean_similarity, min_similarity, max_similarity, std_similarity (divisor n - 1), interval of the mean, band."""
        n = self.n_scored
        mean = self._mean()
        deviation = self._deviation(mean)
        if self._rounded and mean is not None:
            mean = round(mean, FAIR_FORGE_DECIMALS)
        interval = mean_interval(mean, deviation, n) if mean is not None and deviation is not None else None
        return {
            "mean_similarity": mean,
            "min_similarity": self.low,
            "max_similarity": self.high,
            "std_similarity": deviation,
            "band": band_of(mean, BANDS_OF_SIMILARITY).label if mean is not None else None,
            "summary": self._sentence(mean),
            **self.counts(),
            "intervals": {
                "mean_similarity": _inside_range(interval, mean)._asdict() if interval and mean is not None else None
            },
        }

    def _sentence(self, mean: float | None) -> str:
        if mean is None:
            return "There is nothing to average: no frame was scored."
        frames = f"{self.n_scored} frames" if self._rounded else many(self.n_scored, "frame")  # the original's words
        return (
            f"The model's descriptions have an average similarity of {mean:.0%} with the ground truth "
            f"(min: {self.low:.0%}, max: {self.high:.0%}) across {frames}."
        )

    def _mean(self) -> float | None:
        if self.low is None or self.high is None:
            return None
        return min(self.high, max(self.low, (self.total + self.rest) / self.n_scored))

    def _deviation(self, mean: float | None) -> float | None:
        if mean is None or self.n_scored < 2:
            return None
        if self.low == self.high:
            return 0.0
        squares = self.total_of_squares + self.rest_of_squares - (self.total + self.rest) * mean
        return math.sqrt(max(0.0, squares) / (self.n_scored - 1))

    def add_all(self, results: Iterable[MetricResult]) -> None:
        """One loop over the scores, with what `_sum` does written out: files hold millions of frames."""
        total, rest, squares, rest_of_squares = self.total, self.rest, self.total_of_squares, self.rest_of_squares
        scores = []
        for result in results:
            score = result.score
            if score is None:
                super().add(result)
                continue
            scores.append(score)
            new = total + score
            rest += (total - new) + score if abs(total) >= abs(score) else (score - new) + total
            total, square = new, score * score
            new = squares + square
            rest_of_squares += (squares - new) + square if squares >= square else (square - new) + squares
            squares = new
        if scores:
            self.n_scored += len(scores)
            self.total, self.rest, self.total_of_squares, self.rest_of_squares = total, rest, squares, rest_of_squares
            low, high = min(scores), max(scores)
            self.low = low if self.low is None or low < self.low else self.low
            self.high = high if self.high is None or high > self.high else self.high

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self.total, self.rest = _sum(self.total, self.rest, score)
        self.total_of_squares, self.rest_of_squares = _sum(self.total_of_squares, self.rest_of_squares, score * score)
        self.low = score if self.low is None or score < self.low else self.low
        self.high = score if self.high is None or score > self.high else self.high

    def _merge_scores(self, other: Self) -> None:
        self.total, self.rest = _sum(self.total, self.rest + other.rest, other.total)
        self.total_of_squares, self.rest_of_squares = _sum(
            self.total_of_squares, self.rest_of_squares + other.rest_of_squares, other.total_of_squares
        )
        self.low = min((x for x in (self.low, other.low) if x is not None), default=None)
        self.high = max((x for x in (self.high, other.high) if x is not None), default=None)


@register("vision.similarity")
class VisionSimilarity(VisionMetric):
    """Cosine similarity of the description and the reference, -1..1; the best over several references.

    Source: the vision metrics of fair-forge (`compat:fair-forge` rounds each similarity to 4 decimals, merges sessions of
    one id and scores empty text).

    >>> get_metric("vision.similarity").compute(sample).score   # doctest: +SKIP
    0.5589676...
    """

    title = "Semantic closeness of a description and what people saw"
    range = (-1.0, 1.0)

    def tally(self) -> SimilarityTally:
        """Mean, extremes, spread."""
        return SimilarityTally(rounded=self.mode.compat)

    def _result(self, judged: Judged) -> MetricResult:
        return MetricResult(self.name, judged.similarity, judged.details)


def _sum(total: float, rest: float, more: float) -> tuple[float, float]:
    """Add to a sum that keeps what rounding would lose, so that a mean depends on no order."""
    new = total + more
    lost = (total - new) + more if abs(total) >= abs(more) else (more - new) + total
    return new, rest + lost


def _inside_range(interval: Interval, mean: float) -> Interval:
    """A mean of cosines cannot leave -1..1, however few frames there are; a user's own scorer may."""
    return interval._replace(low=min(mean, max(-1.0, interval.low)), high=max(mean, min(1.0, interval.high)))

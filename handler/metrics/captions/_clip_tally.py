"""The summary of `captions.clipscore`: means whose bits no order of samples and no cut into shards can change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

from handler.counting import many
from handler.metrics._base import Tally
from handler.statistics import mean_interval

__all__ = ["RANGE", "WEIGHT", "ClipTally"]

WEIGHT = 2.5  # the paper's w: it stretches the usual cosines of 0.1..0.4 over about 0..1
Bounds = tuple[float, float]
RANGE: Bounds = (0.0, WEIGHT)
REF_RANGE: Bounds = (0.0, 2 * WEIGHT / (WEIGHT + 1))  # the harmonic mean of the greatest score and a cosine of 1

STEPS = (
    1 << 36
)  # sums are whole numbers of 1/STEPS: each score is off by 7e-12 at most, and 40 million fit into 64 bits


class ClipTally(Tally):
    """Sums of scores and of their squares, of CLIPScore and of RefCLIPScore. ref_bounds: where the latter must lie."""

    fields = ("total", "squares", "low", "high", "n_ref", "ref_total", "ref_squares", "ref_low", "ref_high")

    def __init__(self, *, ref_bounds: Bounds = REF_RANGE) -> None:
        super().__init__()
        self._ref_bounds = ref_bounds
        self.total = self.squares = 0
        self.n_ref = self.ref_total = self.ref_squares = 0
        self.low: float | None = None
        self.high: float | None = None
        self.ref_low: float | None = None
        self.ref_high: float | None = None

    def summary(self) -> dict[str, Any]:
        """clipscore, min_clipscore, max_clipscore over all scored captions; ref_clipscore over the n_with_references of them
        that have one; intervals of both means."""
        mean, interval = _mean(self.total, self.squares, self.n_scored, (self.low, self.high), RANGE)
        ref_mean, ref_interval = _mean(
            self.ref_total, self.ref_squares, self.n_ref, (self.ref_low, self.ref_high), self._ref_bounds
        )
        return {
            "clipscore": mean,
            "min_clipscore": self.low,
            "max_clipscore": self.high,
            "ref_clipscore": ref_mean,
            "n_with_references": self.n_ref,
            "summary": _sentence(mean, self.n_scored, ref_mean, self.n_ref),
            **self.counts(),
            "intervals": {"clipscore": interval, "ref_clipscore": ref_interval},
        }

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self.total += round(score * STEPS)
        self.squares += round(score * score * STEPS)
        self.low, self.high = _least(self.low, score), _greatest(self.high, score)
        ref = details.get("ref_clipscore")
        if ref is not None:
            self.n_ref += 1
            self.ref_total += round(ref * STEPS)
            self.ref_squares += round(ref * ref * STEPS)
            self.ref_low, self.ref_high = _least(self.ref_low, ref), _greatest(self.ref_high, ref)

    def _merge_scores(self, other: Self) -> None:
        for name in ("total", "squares", "n_ref", "ref_total", "ref_squares"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.low, self.high = _least(self.low, other.low), _greatest(self.high, other.high)
        self.ref_low, self.ref_high = _least(self.ref_low, other.ref_low), _greatest(self.ref_high, other.ref_high)


def _least(*values: float | None) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _greatest(*values: float | None) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _mean(
    total: int, squares: int, n: int, seen: tuple[float | None, float | None], bounds: Bounds
) -> tuple[float | None, dict[str, Any] | None]:
    """The mean, None of nothing, and its interval, None of fewer than two. seen: the least and greatest value, between
    which the mean lies whatever the steps round away; equal values have no deviation. bounds: of the interval."""
    low, high = seen
    if low is None or high is None:
        return None, None
    mean = min(max(total / STEPS / n, low), high)
    if n == 1:
        return mean, None
    spread = squares / STEPS - n * mean * mean if low < high else 0.0
    deviation = math.sqrt(max(0.0, spread) / (n - 1))
    found = mean_interval(mean, deviation, n)
    if found is None:
        return mean, None
    return mean, found._replace(low=max(bounds[0], found.low), high=min(bounds[1], found.high))._asdict()


def _sentence(mean: float | None, n: int, ref_mean: float | None, n_ref: int) -> str:
    if mean is None:
        return "There is nothing to average: no caption was scored."
    with_references = f"; RefCLIPScore {ref_mean:.3f} over {n_ref} with references" if ref_mean is not None else ""
    return f"CLIPScore {mean:.3f} over {many(n, 'caption')}{with_references}."

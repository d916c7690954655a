"""`vbench.total`: VBench's quality, semantic and total score, or what is missing for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self, cast

from handler.metrics._base import BaseMetric, Mode, Tally
from handler.metrics._registry import get_metric, register
from handler.results import MetricResult
from handler.samples import Sample, VideoSample

__all__ = ["DIMENSIONS", "TotalTally", "VBenchTotal", "totals"]


class Dimension(NamedTuple):
    """low, high: scores that count as 0 and 1. weight: in its group, quality or semantic."""

    group: str
    low: float = 0.0
    high: float = 1.0
    weight: float = 1.0


# Source: VBench, scripts/constant.py.
DIMENSIONS = {
    "subject_consistency": Dimension("quality", 0.1462),
    "background_consistency": Dimension("quality", 0.2615),
    "temporal_flickering": Dimension("quality", 0.6293),
    "motion_smoothness": Dimension("quality", 0.706, 0.9975),
    "aesthetic_quality": Dimension("quality"),
    "imaging_quality": Dimension("quality"),
    "dynamic_degree": Dimension("quality", weight=0.5),
    "object_class": Dimension("semantic"),
    "multiple_objects": Dimension("semantic"),
    "human_action": Dimension("semantic"),
    "color": Dimension("semantic"),
    "spatial_relationship": Dimension("semantic"),
    "scene": Dimension("semantic", 0.0, 0.8222),
    "appearance_style": Dimension("semantic", 0.0009, 0.2855),
    "temporal_style": Dimension("semantic", 0.0, 0.364),
    "overall_consistency": Dimension("semantic", 0.0, 0.364),
}
GROUP_WEIGHTS = {"quality": 4, "semantic": 1}
MEASURED = ("color", "multiple_objects", "object_class", "spatial_relationship", "temporal_flickering")


def totals(scores: Mapping[str, float | None], *, missing_as_zero: bool = False) -> dict[str, Any]:
    """VBench's totals of dimension scores: `dimensions`, `quality`, `semantic`, `total` and `missing`.

    scores: by VBench's name of the dimension, with underscores or spaces; None and absent are missing. Each is scaled so
    that its low is 0 and its high is 1, and weighted; total = (4 * quality + semantic) / 5. A figure that a missing
    dimension would go into is None. missing_as_zero: VBench's own script, where a missing dimension scores 0, which scaled
    can be below 0; `missing` names it all the same.
    """
    given = {name.replace(" ", "_"): score for name, score in scores.items() if score is not None}
    missing = [name for name in DIMENSIONS if name not in given]
    if missing_as_zero:
        given = dict.fromkeys(missing, 0.0) | given
    scaled = {name: (given[name] - one.low) / (one.high - one.low) for name, one in DIMENSIONS.items() if name in given}
    groups = {group: _group_score(group, scaled) for group in GROUP_WEIGHTS}
    return {
        "dimensions": {
            name: {"score": scores.get(name, scores.get(name.replace("_", " "))), "scaled": scaled.get(name)}
            for name in DIMENSIONS
        },
        **groups,
        "total": _weighted(groups, GROUP_WEIGHTS),
        "missing": missing,
    }


def _group_score(group: str, scaled: Mapping[str, float]) -> float | None:
    weights = {name: one.weight for name, one in DIMENSIONS.items() if one.group == group}
    return _weighted(scaled, weights)


def _weighted(values: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    total = 0.0
    for name, weight in weights.items():
        value = values.get(name)
        if value is None:
            return None
        total += value * weight
    return total / sum(weights.values())


class TotalTally(Tally):
    """A tally per dimension."""

    fields = ("states",)

    def __init__(self, metrics: Mapping[str, BaseMetric]) -> None:
        super().__init__()
        self._metrics = metrics
        self._tallies = {name: metric.tally() for name, metric in metrics.items()}
        self._as_zero = next(iter(metrics.values())).mode.tool == "vbench"

    @property
    def states(self) -> dict[str, Any]:
        """The dimensions' states."""
        return {name: tally.state() for name, tally in self._tallies.items()}

    @states.setter
    def states(self, states: Mapping[str, Any]) -> None:
        for name, state in states.items():
            self._tallies[name].restore(state)

    def add(self, result: MetricResult) -> None:
        """Count the result of each dimension that the video tests."""
        super().add(result)
        for name, found in result.details.get("dimensions", {}).items():
            details = {key: value for key, value in found.items() if key != "score"}
            self._tallies[name].add(MetricResult(self._metrics[name].name, found["score"], details))

    def summary(self) -> dict[str, Any]:
        """quality, semantic, total (None where a dimension is missing), missing, and per dimension score and scaled."""
        scores = {name: tally.summary()["score"] for name, tally in self._tallies.items()}
        found = totals(scores, missing_as_zero=self._as_zero)
        n_missing = len(found["missing"])
        return {
            **found,
            "summary": f"There is no total: {n_missing} of {len(DIMENSIONS)} dimensions are missing."
            if found["total"] is None
            else f"The total score is {found['total']:.1%}, with {n_missing} missing dimensions scored 0.",
            **self.counts(),
            "intervals": {"total": None},
        }

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        """The dimensions' tallies have it."""

    def _merge_scores(self, other: Self) -> None:
        for name, tally in self._tallies.items():
            tally.merge_from(other._tallies[name])


@register("vbench.total")
class VBenchTotal(BaseMetric):
    """VBench's total score over the dimensions that can be measured here, and the names of those that are missing.

    Measured: color, object_class, multiple_objects, spatial_relationship, temporal_flickering. The other eleven need
    models of their own, so strict has no total; dimension scores of other tools go through `totals`. A video counts for
    the dimensions that it names, else for those that its fields ask for; its own score is the mean of theirs.
    `compat:vbench` scores a missing dimension 0, as VBench's script does, and names it.
    Source: Huang et al., VBench (CVPR 2024), `scripts/cal_final_score.py` and `scripts/constant.py`.
    """

    title = "VBench: quality, semantic and total score, and which dimensions are missing"
    requires_reference = False
    needs_gpu = True
    sample = VideoSample
    ancestors = ("vbench",)

    def __init__(self, *, mode: Mode | str = "strict") -> None:
        super().__init__(mode=mode)
        self._metrics = {name: get_metric(f"vbench.{name}", mode=self.mode) for name in MEASURED}

    def tally(self) -> TotalTally:
        """A tally per dimension."""
        return TotalTally(self._metrics)

    def compute(self, sample: Sample) -> MetricResult:
        """Score one video on each dimension that it tests."""
        results = {name: self._metrics[name].compute(sample) for name in _tested(cast("VideoSample", sample))}
        if not results:
            return self._skip(sample, "no_dimension")
        details = {"dimensions": {name: {"score": one.score, **one.details} for name, one in results.items()}}
        scores = [one.score for one in results.values() if one.score is not None]
        if not scores:
            return MetricResult(self.name, None, {"skipped": "no_dimension_scored", **details})
        return MetricResult(self.name, sum(scores) / len(scores), details)


def _tested(video: VideoSample) -> list[str]:
    if video.dimensions:
        return [name for name in MEASURED if name in video.dimensions]
    asked = {
        "color": video.color is not None,
        "multiple_objects": len(video.objects) > 1 or " and " in (video.object or ""),
        "object_class": bool(video.object) and " and " not in (video.object or "") and video.color is None,
        "spatial_relationship": video.relationship is not None,
        "temporal_flickering": video.n_frame_pairs is not None,
    }
    return [name for name in MEASURED if asked[name]]

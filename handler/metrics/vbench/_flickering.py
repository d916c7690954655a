"""`vbench.temporal_flickering`: how little a static scene changes from frame to frame."""

from __future__ import annotations

import math
from typing import cast

from handler.metrics._base import BaseMetric
from handler.metrics._registry import register
from handler.metrics.vbench._tally import VideoTally
from handler.results import MetricResult
from handler.samples import Sample, VideoSample

__all__ = ["VBenchTemporalFlickering"]

WHITE = 255.0  # largest difference of two 8-bit values


@register("vbench.temporal_flickering")
class VBenchTemporalFlickering(BaseMetric):
    """1 less the mean absolute difference of successive frames as a share of 255, over all frames and channels; 0..1.

    It needs no model, and means flickering only where the prompt asks for a static scene. A single frame has no pair and
    no score; `compat:fastvideo` scores it 1.
    Source: Huang et al., VBench (CVPR 2024), `vbench/temporal_flickering.py`; FastVideo's `vbench.temporal_flickering`.
    """

    dependencies = ("av",)
    title = "VBench: how little successive frames of a static scene differ"
    requires_reference = False
    sample = VideoSample
    ancestors = ("vbench", "fastvideo")

    def tally(self) -> VideoTally:
        """Scores of videos."""
        return VideoTally(counted=("n_frame_pairs",))

    def compute(self, sample: Sample) -> MetricResult:
        """Score one video."""
        video = cast("VideoSample", sample)
        if video.dimensions and "temporal_flickering" not in video.dimensions:
            return self._skip(sample, "other_dimension")
        if video.problem is not None:
            return MetricResult(self.name, None, {"error": video.problem})
        if video.n_frame_pairs == 0:
            if self.mode.tool == "fastvideo":
                return MetricResult(self.name, 1.0, {"n_frame_pairs": 0})
            return self._skip(sample, "single_frame")
        if video.frame_difference is None:
            return self._skip(sample, "missing_frame_difference")
        if not math.isfinite(video.frame_difference) or not 0 <= video.frame_difference <= WHITE:
            return MetricResult(self.name, None, {"error": "impossible_frame_difference"})
        details = {"frame_difference": video.frame_difference, "n_frame_pairs": video.n_frame_pairs or 0}
        return MetricResult(self.name, (WHITE - video.frame_difference) / WHITE, details)

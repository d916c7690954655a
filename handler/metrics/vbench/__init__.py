"""VBench on what a detector saw: is a generated video what its prompt asks for."""

from handler.metrics.vbench._color import VBenchColor, color_frames, object_of_prompt
from handler.metrics.vbench._flickering import VBenchTemporalFlickering
from handler.metrics.vbench._objects import VBenchMultipleObjects, VBenchObjectClass, frames_with_all
from handler.metrics.vbench._spatial import VBenchSpatialRelationship, axis_score, fastvideo_axis, vbench_axis
from handler.metrics.vbench._tally import VideoTally
from handler.metrics.vbench._total import DIMENSIONS, TotalTally, VBenchTotal, totals

__all__ = [
    "DIMENSIONS",
    "TotalTally",
    "VBenchColor",
    "VBenchMultipleObjects",
    "VBenchObjectClass",
    "VBenchSpatialRelationship",
    "VBenchTemporalFlickering",
    "VBenchTotal",
    "VideoTally",
    "axis_score",
    "color_frames",
    "fastvideo_axis",
    "frames_with_all",
    "object_of_prompt",
    "totals",
    "vbench_axis",
]

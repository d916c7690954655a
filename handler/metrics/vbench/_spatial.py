"""`vbench.spatial_relationship`: are two things where the prompt puts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handler.metrics._registry import register
from handler.metrics.vbench._base import DetectionMetric, Frames, ProblemError
from handler.metrics.vbench._words import Relation, Words, related_things, relation_of, words
from handler.samples import DetectedFrame, VideoSample

__all__ = ["VBenchSpatialRelationship", "axis_score", "fastvideo_axis", "vbench_axis"]

Box = Sequence[float]
IOU_LIMIT = 0.1  # boxes that overlap more than this lose score, as limit / IoU
_PHRASES = (("on the right of", "on the left of"), ("on the bottom of", "on the top of"))
_FASTVIDEO_WORDS = (("right", "left"), ("bottom", "top"))


def vbench_axis(relationship: str) -> int | None:
    """0 for left and right, 1 for top and bottom: VBench asks whether the relationship is a part of its own phrase."""
    return next((axis for axis, both in enumerate(_PHRASES) if any(relationship in one for one in both)), None)


def fastvideo_axis(relationship: str) -> int | None:
    """The same in FastVideo, which asks whether the word is a part of the relationship."""
    return next((axis for axis, both in enumerate(_FASTVIDEO_WORDS) if any(one in relationship for one in both)), None)


def axis_score(axis: int | None, one: Box, other: Box, *, no_area: float | None = 0.0) -> float:
    """Whether two boxes x0, y0, x1, y1 are apart along an axis: VBench's position score, 0..1.

    1 when their centres are farther apart along it than across it, less when their intersection over union (IoU) reaches
    0.1, else 0. no_area: the IoU of two boxes without area. Raises ZeroDivisionError for such boxes where it is None.
    """
    iou = _iou(one, other, no_area)
    if axis is None:
        return 0.0
    along, across = (abs(_offset(place, one, other)) for place in (axis, 1 - axis))
    return _overlap_score(iou) if along > across else 0.0


def _overlap_score(iou: float) -> float:
    return 1.0 if iou < IOU_LIMIT else IOU_LIMIT / iou


def _offset(axis: int, one: Box, other: Box) -> float:
    """The first centre's coordinate minus the second's."""
    return (one[axis] + one[axis + 2]) / 2 - (other[axis] + other[axis + 2]) / 2


def _iou(one: Box, other: Box, no_area: float | None) -> float:
    width = max(0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0, min(one[3], other[3]) - max(one[1], other[1]))
    union = (one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - width * height
    return no_area if union == 0 and no_area is not None else width * height / union


@register("vbench.spatial_relationship")
class VBenchSpatialRelationship(DetectionMetric):
    """Mean over the frames of how well two things stand where the prompt puts them; 0..1.

    A frame scores its best pair of boxes, one of each thing: 1 when the first is on the asked side (left, right, above,
    below) and farther along that axis than across it, less when they overlap (0.1 / IoU from an IoU of 0.1), else 0. Things
    and relation are the sample's, else the prompt's words. What boxes cannot tell (behind, in front of, near) is an error,
    `unknown_relation`. A video without any detection has no score. `compat:vbench` never asks which thing is on which side,
    takes any two boxes of the two things, even two of one, cuts boxes to whole pixels, scores relations that it does not
    know 0, and fails on two boxes without area; `compat:fastvideo` reads "to the left of" and takes that IoU for 0.
    Source: Huang et al., VBench (CVPR 2024), `vbench/spatial_relationship.py`; FastVideo's `vbench.spatial_relationship`.
    """

    title = "VBench: are two things where the prompt puts them"
    counted = ("n_frames", "n_frames_empty", "n_frames_pair")

    def _reads_prompt(self, video: VideoSample) -> bool:
        return not _says_all(video)

    def _score(self, video: VideoSample, frames: Frames) -> tuple[float, dict[str, Any]]:
        if self.mode.compat:
            rows = self._compat(video, frames)
        else:
            first, relation, second = _asked(video)
            rows = [_best(_strict_scores(frame, first, relation, second)) for frame in frames]
        scores = [score for score, _ in rows]
        details = {"frame_scores": scores, "n_frames_pair": sum(paired for _, paired in rows)}
        return float(np.mean(scores)), details

    def _compat(self, video: VideoSample, frames: Frames) -> list[tuple[float, bool]]:
        wanted, relationship = (video.object_a, video.object_b), video.relationship
        if None in wanted or relationship is None:
            raise ProblemError("missing_relationship")
        is_vbench = self.mode.tool == "vbench"
        axis = (vbench_axis if is_vbench else fastvideo_axis)(relationship)
        no_area = None if is_vbench else 0.0
        try:
            return [_best(_compat_scores(frame, wanted, axis, no_area)) for frame in frames]
        except ZeroDivisionError:
            raise ProblemError("boxes_without_area", wrong=True) from None


def _best(scores: list[float]) -> tuple[float, bool]:
    """The best pair's score, and whether there is a pair."""
    return max(scores, default=0.0), bool(scores)


def _compat_scores(
    frame: DetectedFrame, wanted: Sequence[str | None], axis: int | None, no_area: float | None
) -> list[float]:
    boxes = [tuple(map(int, one.box)) for one in frame.detections if one.object in wanted]
    return [
        axis_score(axis, one, other, no_area=no_area) for place, one in enumerate(boxes) for other in boxes[place + 1 :]
    ]


def _strict_scores(frame: DetectedFrame, first: Words, relation: Relation, second: Words) -> list[float]:
    named = [(words(one.object or ""), one.box) for one in frame.detections]
    firsts = [(place, box) for place, (name, box) in enumerate(named) if name == first]
    seconds = [(place, box) for place, (name, box) in enumerate(named) if name == second]
    return [
        axis_score(relation.axis, one, other) if _offset(relation.axis, one, other) * relation.sign > 0 else 0.0
        for place, one in firsts
        for other_place, other in seconds
        if place != other_place
    ]


def _asked(video: VideoSample) -> tuple[Words, Relation, Words]:
    if _says_all(video):
        first, text, second = words(video.object_a or ""), video.relationship or "", words(video.object_b or "")
    elif found := related_things(video.prompt or ""):
        first, text, second = found
    else:
        raise ProblemError("missing_relationship")
    relation = relation_of(text)
    if relation is None:
        raise ProblemError("unknown_relation", wrong=True, relationship=text)
    return first, relation, second


def _says_all(video: VideoSample) -> bool:
    return bool(video.object_a and video.object_b and video.relationship)

"""Which frames of a video are looked at, and after which resize rule, so that one detections file serves the metrics."""

from __future__ import annotations

from handler.samples import VideoSample
from handler.video import MIDDLE, VBENCH_FLOAT, VBENCH_UINT8

__all__ = ["SAMPLING", "resize_rule"]

SAMPLING = (MIDDLE, 16)  # VBench's


def resize_rule(video: VideoSample) -> str:
    """VBench's rule for what the prompt asks: 8-bit for colour alone, else floats.

    The two differ only above 768 pixels. A video that is asked for colour among other things is looked at once, as for the
    others, and `compat:vbench` then warns of its colour.
    """
    if video.dimensions:
        only_color = set(video.dimensions) & _DETECTED == {"color"}
    else:
        only_color = video.color is not None and not (video.relationship or video.objects)
    return VBENCH_UINT8 if only_color else VBENCH_FLOAT


_DETECTED = {"color", "object_class", "multiple_objects", "spatial_relationship"}

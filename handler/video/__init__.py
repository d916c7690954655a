"""Videos and pictures as data: what a detector saw in them."""

from handler.samples import DetectedFrame, Detection
from handler.video._detections import (
    Detections,
    DetectionsKey,
    Detector,
    Sampling,
    find_detections,
    read_detections,
    sample_fields,
    store_detections,
    write_detections,
)
from handler.video._errors import REASONS, VideoError
from handler.video._files import LocalVideo, local_video
from handler.video._reading import Frame, ReadVideo, VideoReader
from handler.video._resize import DEMO, UNRESIZED, VBENCH_FLOAT, VBENCH_UINT8, resize, resized_size
from handler.video._sampling import IMAGE, MIDDLE, TIME, frame_indices, middle_indices, time_indices

__all__ = [
    "DEMO",
    "IMAGE",
    "MIDDLE",
    "REASONS",
    "TIME",
    "UNRESIZED",
    "VBENCH_FLOAT",
    "VBENCH_UINT8",
    "DetectedFrame",
    "Detection",
    "Detections",
    "DetectionsKey",
    "Detector",
    "Frame",
    "LocalVideo",
    "ReadVideo",
    "Sampling",
    "VideoError",
    "VideoReader",
    "find_detections",
    "frame_indices",
    "local_video",
    "middle_indices",
    "read_detections",
    "resize",
    "resized_size",
    "sample_fields",
    "store_detections",
    "time_indices",
    "write_detections",
]

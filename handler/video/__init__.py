"""Videos and pictures as data: what a detector saw in them."""

from handler.samples import DetectedFrame, Detection
from handler.video._detections import (
    IMAGE,
    UNRESIZED,
    Detections,
    DetectionsKey,
    Detector,
    Sampling,
    find_detections,
    read_detections,
    store_detections,
    write_detections,
)
from handler.video._resize import VBENCH_FLOAT, VBENCH_UINT8

__all__ = [
    "IMAGE",
    "UNRESIZED",
    "VBENCH_FLOAT",
    "VBENCH_UINT8",
    "DetectedFrame",
    "Detection",
    "Detections",
    "DetectionsKey",
    "Detector",
    "Sampling",
    "find_detections",
    "read_detections",
    "store_detections",
    "write_detections",
]

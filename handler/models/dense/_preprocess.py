"""From a picture to what the network reads: the two callers' resize rules, normalising, padding."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from handler.errors import InputError, ModelError

__all__ = ["INPUT_RULES", "InputRule", "check_frame", "network_input", "resized"]

InputRule = Literal["vbench", "demo"]
INPUT_RULES: tuple[InputRule, ...] = get_args(InputRule)

Frame = NDArray[Any]

SHORT_SIDE = 800  # px, of the demo's rule
LONG_SIDE = 1333  # px
DIVISOR = 32  # px: the coarsest stride of the region features
MAX_PIXELS = 1920 * 1088  # 27 s on one core and 1 GB of attention, which grows 16-fold at twice the sides
_MEAN = np.array([123.675, 116.28, 103.53], np.float32)  # of ImageNet's RGB values, 0..255
_DEVIATION = np.array([58.395, 57.12, 57.375], np.float32)


def check_frame(frame: Frame, rule: InputRule) -> None:
    """Whether the network can take the frame. Raises InputError, which says why not.

    A frame is (h, w, 3), RGB, uint8 or finite floats 0..255; the rule "demo" takes uint8 alone. After the resize rule it
    may have 2.1 million pixels.
    """
    if frame.ndim != 3 or frame.shape[2] != 3 or not frame.size:
        raise InputError(f"a frame is an array (height, width, 3), this one is {frame.shape}")
    if frame.dtype != np.uint8:
        if rule == "demo" or frame.dtype not in (np.float32, np.float64):
            wanted = "uint8" if rule == "demo" else "uint8, float32 or float64"
            raise InputError(f"a frame for the input rule {rule} holds {wanted}, not {frame.dtype}")
        low, high = float(frame.min()), float(frame.max())
        if not (low >= 0 and high <= 255):  # also not a number
            raise InputError(f"a frame's values lie in 0..255, here from {low:g} to {high:g}")
    height, width = _demo_size(*frame.shape[:2]) if rule == "demo" else frame.shape[:2]
    if height * width > MAX_PIXELS:
        raise InputError(
            f"{width}x{height} px are more than the {MAX_PIXELS:,} that the network takes",
            hint="Shrink the picture, or use the input rule demo",
        )


def resized(frame: Frame, rule: InputRule) -> Frame:
    """The frame in the size the network sees it.

    vbench: as it is, as VBench's own predictor does. demo: short side 800 px, long side at most 1333 px, Pillow's
    bilinear filter with antialiasing, as detectron2's ResizeShortestEdge does. Raises ModelError when Pillow is missing.
    """
    height, width = frame.shape[:2]
    new_height, new_width = _demo_size(height, width) if rule == "demo" else (height, width)
    if (new_height, new_width) == (height, width):
        return frame
    try:
        from PIL import Image
    except ImportError as error:
        raise ModelError(
            "the input rule demo needs Pillow, which is not installed", hint="pip install 'scenescore[images]'"
        ) from error
    picture = Image.fromarray(np.ascontiguousarray(frame))
    return np.asarray(picture.resize((new_width, new_height), Image.Resampling.BILINEAR))


def network_input(frame: Frame) -> NDArray[np.float32]:
    """(1, 3, H, W) float32: normalised per channel, then zeros right and below up to multiples of 32 px."""
    height, width = frame.shape[:2]
    padded = np.zeros((1, 3, _rounded_up(height), _rounded_up(width)), np.float32)
    padded[0, :, :height, :width] = ((frame.astype(np.float32) - _MEAN) / _DEVIATION).transpose(2, 0, 1)
    return padded


def _rounded_up(side: int) -> int:
    return -(-side // DIVISOR) * DIVISOR


def _demo_size(height: int, width: int) -> tuple[int, int]:
    scale = SHORT_SIDE / min(height, width)
    new_height, new_width = (
        (float(SHORT_SIDE), scale * width) if height < width else (scale * height, float(SHORT_SIDE))
    )
    longer = max(new_height, new_width)
    if longer > LONG_SIDE:
        new_height, new_width = new_height * LONG_SIDE / longer, new_width * LONG_SIDE / longer
    return max(1, int(new_height + 0.5)), max(1, int(new_width + 0.5))

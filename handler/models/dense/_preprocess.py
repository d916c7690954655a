"""From a picture to what the network reads: the two callers' resize rules, normalising, padding."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from handler.errors import InputError, ModelError, RequestError

__all__ = ["INPUT_RULES", "InputRule", "checked_frame", "network_input", "resized"]

InputRule = Literal["vbench", "demo"]
INPUT_RULES: tuple[InputRule, ...] = get_args(InputRule)

Frame = NDArray[Any]

SHORT_SIDE = 800  # px, of the demo's rule
LONG_SIDE = 1333  # px
DIVISOR = 32  # px: the coarsest stride of the region features
MAX_PIXELS = 1920 * 1088  # the global attention of larger frames needs over 8 GB
_MEAN = np.array([123.675, 116.28, 103.53], np.float32)  # of ImageNet's RGB values, 0..255
_DEVIATION = np.array([58.395, 57.12, 57.375], np.float32)


def checked_frame(frame: Frame, *, name: str = "frame") -> Frame:
    """The frame itself. Raises InputError unless it is (h, w, 3), RGB, uint8 or finite floats 0..255."""
    if frame.ndim != 3 or frame.shape[2] != 3 or not frame.size:
        raise InputError(f"a frame is an array (height, width, 3), this is {frame.shape}", field=name)
    if frame.dtype != np.uint8:
        if frame.dtype not in (np.float32, np.float64):
            raise InputError(f"a frame holds uint8 or floats, not {frame.dtype}", field=name)
        low, high = float(frame.min()), float(frame.max())
        if not (low >= 0 and high <= 255):  # also not a number
            raise InputError(f"a frame's values lie in 0..255, here from {low:g} to {high:g}", field=name)
    return frame


def resized(frame: Frame, rule: InputRule) -> Frame:
    """The frame in the size the network sees it.

    vbench: as it is, as VBench's own predictor does. demo: short side 800 px, long side at most 1333 px, Pillow's
    bilinear filter with antialiasing, as detectron2's ResizeShortestEdge does; uint8 only. Raises InputError for a frame
    too large for the network, RequestError for an unknown rule, ModelError when Pillow is missing.
    """
    if rule not in INPUT_RULES:
        raise RequestError(f"there is no input rule {rule!r}", field="input_rule", hint="It is vbench or demo")
    if rule == "demo":
        frame = _short_side_800(frame)
    height, width = frame.shape[:2]
    if height * width > MAX_PIXELS:
        raise InputError(
            f"{width}x{height} px are too many: the rule {rule} does not shrink, and the network takes {MAX_PIXELS:,}",
            hint="Shrink the picture, or use the input rule demo",
        )
    return frame


def network_input(frame: Frame) -> NDArray[np.float32]:
    """(1, 3, H, W) float32: normalised per channel, then zeros right and below up to multiples of 32 px."""
    height, width = frame.shape[:2]
    padded = np.zeros((1, 3, _rounded_up(height), _rounded_up(width)), np.float32)
    padded[0, :, :height, :width] = ((frame.astype(np.float32) - _MEAN) / _DEVIATION).transpose(2, 0, 1)
    return padded


def _rounded_up(side: int) -> int:
    return -(-side // DIVISOR) * DIVISOR


def _short_side_800(frame: Frame) -> Frame:
    if frame.dtype != np.uint8:
        raise InputError(f"the input rule demo resizes uint8 frames, not {frame.dtype}", field="input_rule")
    height, width = frame.shape[:2]
    new_height, new_width = _demo_size(height, width)
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


def _demo_size(height: int, width: int) -> tuple[int, int]:
    scale = SHORT_SIDE / min(height, width)
    new_height, new_width = (
        (float(SHORT_SIDE), scale * width) if height < width else (scale * height, float(SHORT_SIDE))
    )
    longer = max(new_height, new_width)
    if longer > LONG_SIDE:
        new_height, new_width = new_height * LONG_SIDE / longer, new_width * LONG_SIDE / longer
    return max(1, int(new_height + 0.5)), max(1, int(new_width + 0.5))

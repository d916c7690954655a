"""Resize rules: what an original does to a frame before its detector sees it, pixel for pixel.

A frame is (height, width, 3), RGB, 8 bits a channel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.errors import RequestError

__all__ = ["DEMO", "UNRESIZED", "VBENCH_FLOAT", "VBENCH_UINT8", "resize", "resized_size"]

UNRESIZED = "none"  # the rule of frames that no rule has changed
VBENCH_UINT8 = "vbench-uint8"
VBENCH_FLOAT = "vbench-float"
DEMO = "demo"

_VBENCH_LIMIT, _VBENCH_SIDE = 768, 720  # pixels: frames whose shorter side is above the limit get that side
_DEMO_SIDE, _DEMO_LONGEST = 800, 1333  # pixels: the shorter side, unless the longer one would pass the limit
_CV_BITS = 11  # OpenCV's fixed-point weights of 8-bit images
_PIL_BITS = 22  # Pillow's

Pixels = NDArray[np.uint8] | NDArray[np.float32]
Size = tuple[int, int]


def resize(frame: NDArray[np.uint8], rule: str) -> Pixels:
    """A frame after a rule: 8-bit, or float32 in 0..255 for `vbench-float`. Raises RequestError for an unknown rule.

    `vbench-uint8` (VBench's colour): OpenCV's INTER_LINEAR, no antialiasing. `vbench-float` (its other three, and all of
    FastVideo's): torchvision's Resize on floats, antialiased as it is by default since 0.17. `demo` (GRiT's demo.py):
    Pillow's antialiased bilinear. `none`: as it is. Frames that a rule leaves at their size come back unchanged.
    """
    height, width = frame.shape[:2]
    size = resized_size((width, height), rule)
    if size == (width, height):
        return frame
    return _RULES[rule].apply(frame, size)


def resized_size(size: Size, rule: str) -> Size:
    """(width, height) in pixels of a frame after a rule. Raises RequestError for an unknown rule."""
    if rule == UNRESIZED:
        return size
    if rule not in _RULES:
        raise RequestError(
            f"there is no resize rule {rule!r}", field="resize", hint=f"There are: {', '.join((UNRESIZED, *_RULES))}"
        )
    return _RULES[rule].size(size)


def _vbench_size(size: Size) -> Size:
    shorter = min(size)
    if shorter <= _VBENCH_LIMIT:
        return size
    scale = float(_VBENCH_SIDE) / shorter
    return int(scale * size[0]), int(scale * size[1])


def _demo_size(size: Size) -> Size:
    scale = _DEMO_SIDE / min(size)
    if scale * max(size) > _DEMO_LONGEST:
        scale = _DEMO_LONGEST / max(size)
    return int(scale * size[0] + 0.5), int(scale * size[1] + 0.5)


def _opencv(frame: NDArray[np.uint8], size: Size) -> Pixels:
    """Two neighbours per axis, with weights of 11 bits; between the passes 4 bits are cut off, as OpenCV does it."""
    left, right, before, after = _opencv_axis(frame.shape[1], size[0])
    rows = frame[:, left].astype(np.int32) * before[:, None] + frame[:, right].astype(np.int32) * after[:, None]
    rows >>= 4
    top, bottom, above, below = _opencv_axis(frame.shape[0], size[1])
    mixed = (rows[top] * above[:, None, None] >> 16) + (rows[bottom] * below[:, None, None] >> 16)
    found: NDArray[np.uint8] = np.clip(mixed + 2 >> 2, 0, 255).astype(np.uint8)
    return found


@lru_cache(maxsize=32)
def _opencv_axis(
    n: int, n_out: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Per output pixel: its two neighbours and their weights."""
    at = ((np.arange(n_out) + 0.5) * (1.0 / (n_out / n)) - 0.5).astype(np.float32)
    first = np.floor(at).astype(np.int64)
    share = at - first.astype(np.float32)
    outside = (first < 0) | (first >= n - 1)
    first, share = np.clip(first, 0, n - 1), np.where(outside, np.float32(0), share)
    scale = np.float32(1 << _CV_BITS)
    weights = [np.rint(one * scale).astype(np.int32) for one in (np.float32(1) - share, share)]
    return first, np.minimum(first + 1, n - 1), weights[0], weights[1]


def _torchvision(frame: NDArray[np.uint8], size: Size) -> Pixels:
    rows = _filtered(frame.astype(np.float32), *_triangle(frame.shape[1], size[0], np.float32), axis=1)
    return _filtered(rows, *_triangle(frame.shape[0], size[1], np.float32), axis=0)


def _filtered(
    image: NDArray[np.float32], places: NDArray[np.int64], weights: NDArray[np.floating[Any]], *, axis: int
) -> NDArray[np.float32]:
    shape = (-1, 1, 1) if axis == 0 else (-1, 1)
    found: NDArray[np.float32] | None = None
    for place, weight in zip(places.T, weights.T.astype(np.float32), strict=True):
        tap = np.take(image, place, axis=axis) * weight.reshape(shape)
        found = tap if found is None else np.add(found, tap, out=found)
    assert found is not None
    return found


def _pillow(frame: NDArray[np.uint8], size: Size) -> Pixels:
    """Both passes end in 8 bits. Pillow leaves out a pass that would change nothing."""
    for axis, n_out in ((1, size[0]), (0, size[1])):
        n = frame.shape[axis]
        if n != n_out:
            frame = _filtered_8bit(frame, *_triangle(n, n_out, np.float64), axis=axis)
    return frame


def _filtered_8bit(
    image: NDArray[np.uint8], places: NDArray[np.int64], weights: NDArray[np.floating[Any]], *, axis: int
) -> NDArray[np.uint8]:
    shape = (-1, 1, 1) if axis == 0 else (-1, 1)
    fixed = np.floor(weights * (1 << _PIL_BITS) + 0.5).astype(np.int32)
    total: NDArray[np.int32] | None = None
    for place, weight in zip(places.T, fixed.T, strict=True):
        tap = np.take(image, place, axis=axis).astype(np.int32) * weight.reshape(shape)
        total = tap if total is None else np.add(total, tap, out=total)
    assert total is not None
    found: NDArray[np.uint8] = np.clip(total + (1 << _PIL_BITS - 1) >> _PIL_BITS, 0, 255).astype(np.uint8)
    return found


@lru_cache(maxsize=32)
def _triangle(n: int, n_out: int, kind: type[np.floating[Any]]) -> tuple[NDArray[np.int64], NDArray[np.floating[Any]]]:
    """Per output pixel: the pixels under a triangle that widens with the scale, and their weights, which sum to 1.

    kind: how the original rounds; float32 moves an output value by up to 0.03.
    """
    scale = kind(n) / kind(n_out)
    support = max(scale, kind(1))
    centre = (np.float64(scale) * (np.arange(n_out) + 0.5)).astype(kind)
    low = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    high = np.minimum((centre + support + 0.5).astype(np.int64), n)
    places = low[:, None] + np.arange(int((high - low).max()))
    distance = ((places.astype(kind) - centre[:, None]) + 0.5) * (kind(1) / support)
    weights = np.maximum(kind(0), kind(1) - np.abs(distance))
    weights[places >= high[:, None]] = 0
    return np.minimum(places, n - 1), weights / weights.sum(axis=1, keepdims=True, dtype=kind)


class _Rule(NamedTuple):
    size: Callable[[Size], Size]
    apply: Callable[[NDArray[np.uint8], Size], Pixels]


_RULES = {
    VBENCH_UINT8: _Rule(_vbench_size, _opencv),
    VBENCH_FLOAT: _Rule(_vbench_size, _torchvision),
    DEMO: _Rule(_demo_size, _pillow),
}

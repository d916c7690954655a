"""Videos that are in memory already, as FastVideo hands them over."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.detection._detector import Watcher
from handler.detection._rules import SAMPLING
from handler.errors import InputError
from handler.samples import DetectedFrame
from handler.video import UNRESIZED, middle_indices, resize, resized_size

__all__ = ["fields_of_array"]


def fields_of_array(video: Any, *, watcher: Watcher | None, rule: str) -> dict[str, Any]:
    """The fields of a `VideoSample` that an array says, as `handler.video.sample_fields` does of a file.

    video: (T, 3, H, W), uint8, or floats 0..1, which are rounded to 8 bits as they were before somebody divided them by 255;
    anything that `numpy.asarray` takes. Without a watcher only how much frames differ. Raises InputError for other arrays.
    """
    frames = _frames(video)
    n_pairs = len(frames) - 1
    total = sum(_difference(one, other) for one, other in itertools.pairwise(frames))
    fields: dict[str, Any] = {
        "frame_difference": total / n_pairs if n_pairs else None,
        "n_frame_pairs": n_pairs,
    }
    if watcher is None:
        return fields
    indices = middle_indices(SAMPLING[1], len(frames))
    distinct = sorted(set(indices))
    pixels = [resize(frames[index], rule) for index in distinct]
    watcher.check(pixels[0], "the array")
    seen = dict(zip(distinct, watcher.look(pixels), strict=True))
    size = (frames.shape[2], frames.shape[1])
    return {
        **fields,
        "frames": tuple(DetectedFrame(index, None, seen[index]) for index in indices),
        "sampling": f"{SAMPLING[0]}:{SAMPLING[1]}",
        "resize": UNRESIZED if resized_size(size, rule) == size else rule,
    }


def _frames(video: Any) -> NDArray[np.uint8]:
    """(T, H, W, 3), 8 bits a channel."""
    array = np.asarray(video)
    if array.ndim != 4 or array.shape[1] != 3 or not array.size:
        raise InputError(f"a video is an array (T, 3, H, W), this one is {array.shape}", field="video")
    if array.dtype != np.uint8:
        if array.dtype.kind != "f":
            raise InputError(f"a video holds uint8 or floats 0..1, not {array.dtype}", field="video")
        low, high = float(array.min()), float(array.max())
        if not (low >= 0 and high <= 1):  # also not a number
            raise InputError(f"a video of floats lies in 0..1, here from {low:g} to {high:g}", field="video")
        array = np.rint(array * 255).astype(np.uint8)
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1))


def _difference(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    return int((np.maximum(one, other) - np.minimum(one, other)).sum(dtype=np.int64)) / one.size

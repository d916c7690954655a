"""Which frames of a video are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from handler.errors import RequestError

__all__ = ["IMAGE", "MIDDLE", "RULES", "TIME", "frame_indices", "middle_indices", "time_indices"]

IMAGE = "image"  # a still picture: its one frame
MIDDLE = "middle"
TIME = "time"
RULES = (IMAGE, MIDDLE, TIME)


def frame_indices(rule: str, n: int, times: Sequence[float | None], end: float | None) -> tuple[int, ...] | None:
    """0-based indices of the n frames that a rule picks; None when it needs times and some frame has none.

    times: presentation times in seconds, one per frame. end: when the last frame ends. Raises RequestError for an unknown
    rule or an n that does not fit it.
    """
    if rule not in RULES or n < 1 or (rule == IMAGE and n != 1):
        raise RequestError(
            f"there is no sampling {rule}:{n}", field="sampling", hint="e.g. middle:16, time:16 or image:1"
        )
    if rule == IMAGE:
        return (0,)
    if rule == MIDDLE:
        return middle_indices(n, len(times))
    known = [time for time in times if time is not None]
    if len(known) < len(times) or end is None:
        return (0,) * n if len(times) == 1 else None
    return time_indices(n, known, end)


def middle_indices(n: int, n_frames: int) -> tuple[int, ...]:
    """The middle frame of each of n equal intervals of frames; with fewer frames than n all of them, the last repeated.

    Source: VBench, `vbench/utils.py::get_frame_indices` with sample="middle".
    """
    bounds = np.linspace(0, n_frames, min(n, n_frames) + 1).astype(int)
    indices = ((bounds[:-1] + bounds[1:] - 1) // 2).tolist()
    return (*indices, *indices[-1:] * (n - len(indices)))


def time_indices(n: int, times: Sequence[float], end: float) -> tuple[int, ...]:
    """The frame on display in the middle of each of n equal intervals of time: what variable frame rates need."""
    shown = np.maximum.accumulate(np.asarray(times)).tolist()
    step = (max(end, shown[-1]) - shown[0]) / n
    return tuple(max(0, bisect_right(shown, shown[0] + (place + 0.5) * step) - 1) for place in range(n))

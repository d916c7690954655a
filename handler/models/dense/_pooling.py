"""Which level of the pyramid a box is read from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["box_levels"]

_LOWEST, _HIGHEST = 3, 5  # levels, with cells of 8 and 32 px
_USUAL_SIDE = np.float32(224)  # px: a box of this side belongs to level 4
_USUAL_LEVEL = np.float32(4)


def box_levels(boxes: NDArray[np.float32]) -> NDArray[np.int64]:
    """Level 4 for boxes with an area of 224 px squared up to four times that, 3 for smaller and 5 for larger ones.

    boxes: (n, 4) px. Returns (n,). Source: Lin et al. 2017 (feature pyramid networks), equation 1, in float32 as
    detectron2 computes it.
    """
    sides = np.sqrt((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))
    level = np.floor(_USUAL_LEVEL + np.log2(sides / _USUAL_SIDE + np.float32(1e-8)))
    return np.clip(level, _LOWEST, _HIGHEST).astype(np.int64)

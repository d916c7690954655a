"""From the five heat maps to the boxes that the cascade looks at (CenterNet's first stage)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handler.models.dense._boxes import suppress

__all__ = ["level_candidates", "propose"]

Floats = NDArray[np.float32]

STRIDES = (8, 16, 32, 64, 128)  # px a cell, of the maps on levels 3 to 7
HEAT_THRESHOLD = 1e-4
PER_LEVEL = 1000
KEPT = 256
OVERLAP = 0.9
SMALLEST_SIDE = np.float32(0.01)  # px


def propose(heatmaps: Sequence[Floats], regressions: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Proposals of one image, best first.

    heatmaps: logits (1, 1, h, w) of levels 3 to 7; regressions: (1, 4, h, w), distances from the cell's point to left,
    top, right and bottom, in strides. Returns boxes (n, 4) in px, which may reach beyond the image, and scores (n,),
    the square roots of the heat. n is 256 or less, more only when scores tie with the last. Boxes whose IoU with a
    better one is above 0.9 are left out. Source: Zhou et al. 2021 (CenterNet2), in the configuration of GRiT.
    """
    levels = [level_candidates(*one) for one in zip(heatmaps, regressions, STRIDES, strict=True)]
    boxes = np.concatenate([boxes for boxes, _ in levels])
    scores = np.concatenate([scores for _, scores in levels])
    kept = suppress(boxes, scores, overlap=OVERLAP, enough=KEPT)
    return boxes[kept], scores[kept]


def level_candidates(heatmap: Floats, regression: Floats, stride: int) -> tuple[Floats, Floats]:
    """Boxes and scores of the cells of one level whose heat is above 0.0001, the 1000 hottest at most."""
    heat = _sigmoid(heatmap.reshape(-1))
    cells = np.nonzero(heat > HEAT_THRESHOLD)[0]
    if len(cells) > PER_LEVEL:
        cells = cells[np.argsort(-heat[cells], kind="stable")[:PER_LEVEL]]
    width = heatmap.shape[-1]
    reach = regression.reshape(4, -1)[:, cells] * np.float32(stride)
    x = (cells % width * stride + stride // 2).astype(np.float32)
    y = (cells // width * stride + stride // 2).astype(np.float32)
    left, top = x - reach[0], y - reach[1]
    right = np.maximum(x + reach[2], left + SMALLEST_SIDE)
    bottom = np.maximum(y + reach[3], top + SMALLEST_SIDE)
    return np.stack([left, top, right, bottom], axis=1), np.sqrt(heat[cells])


def _sigmoid(logits: Floats) -> Floats:
    # exp of more than 88 overflows float32; there the result is below every threshold anyway
    return np.float32(1) / (np.float32(1) + np.exp(np.minimum(-logits, np.float32(88))))

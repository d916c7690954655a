"""Arithmetic on boxes (x0, y0, x1, y1) in px, in float32 as the original does it: the order of results depends on it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["clipped", "moved", "suppress"]

Floats = NDArray[np.float32]

_LARGEST_GROWTH = np.float32(math.log(1000 / 16))  # of a side in one step, as a logarithm


def moved(boxes: Floats, deltas: Floats, weights: tuple[float, float, float, float]) -> Floats:
    """Boxes after a regression step: centres shifted by shares of the sides, sides scaled by exponentials.

    boxes, deltas: (n, 4); weights: what the four deltas are divided by. Source: Girshick et al. 2014 (R-CNN), appendix C.
    """
    sides = boxes[:, 2:] - boxes[:, :2]
    centres = boxes[:, :2] + np.float32(0.5) * sides
    steps = deltas / np.array(weights, np.float32)
    centres = steps[:, :2] * sides + centres
    halves = np.float32(0.5) * (np.exp(np.minimum(steps[:, 2:], _LARGEST_GROWTH)) * sides)
    return np.concatenate([centres - halves, centres + halves], axis=1)


def clipped(boxes: Floats, height: int, width: int) -> Floats:
    """Boxes cut at the borders of an image."""
    limits = np.array([width, height, width, height], np.float32)
    return np.clip(boxes, np.float32(0), limits)


def suppress(boxes: Floats, scores: Floats, *, overlap: float, enough: int) -> NDArray[np.int64]:
    """Indices that survive non-maximum suppression, best first; equal scores keep their order.

    A box falls when its IoU with a surviving better one is above `overlap`. It ends after `enough` survivors and those
    whose score equals that of the last.
    """
    order = np.argsort(-scores, kind="stable")
    boxes, scores = boxes[order], scores[order]
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    alive = np.ones(len(order), bool)
    kept: list[int] = []
    for number in range(len(order)):
        if not alive[number]:
            continue
        if len(kept) >= enough and scores[number] < scores[kept[enough - 1]]:
            break
        kept.append(number)
        rest = slice(number + 1, None)
        shared = np.maximum(
            np.minimum(boxes[number, 2:], boxes[rest, 2:]) - np.maximum(boxes[number, :2], boxes[rest, :2]),
            np.float32(0),
        )
        both = shared[:, 0] * shared[:, 1]
        union = areas[number] + areas[rest] - both
        with np.errstate(invalid="ignore", divide="ignore"):  # boxes of no area overlap with nothing
            alive[rest] &= ~(both / union > overlap)
    return order[np.array(kept, np.int64)]

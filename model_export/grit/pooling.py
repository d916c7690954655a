"""ROI pooling in torch, for comparison with the graphs: detectron2's level rule and ROIAlignV2."""

from __future__ import annotations

import math
from typing import Any

import torch

__all__ = ["levels_of", "pooled"]

Tensor = Any
LOWEST, HIGHEST = 3, 5
CANONICAL_SIDE = 224.0  # px: a box of this side belongs to level 4


def levels_of(boxes: Tensor) -> Tensor:
    """The pyramid level (3 to 5) of every box (N, 4), in image px."""
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    level = torch.floor(4 + torch.log2(area.sqrt() / CANONICAL_SIDE + 1e-8))
    return level.clamp(LOWEST, HIGHEST).long()


def pooled(levels: list[Tensor], boxes: Tensor, side: int) -> Tensor:
    """Features (N, channels, side, side) of boxes in image px from p3, p4, p5.

    Bilinear samples are separable: the cells of a box are R F C^T, where the rows of R and C average what each bin of the
    box samples along one axis.
    """
    found = [
        _one(levels[level - LOWEST][0], [value / 2**level for value in box], side)
        for box, level in zip(boxes.tolist(), levels_of(boxes).tolist(), strict=True)
    ]
    return torch.stack(found) if found else levels[0].new_zeros((0, levels[0].shape[1], side, side))


def _one(features: Tensor, box: list[float], side: int) -> Tensor:
    left, top, right, bottom = (value - 0.5 for value in box)
    rows = _averages(top, bottom, side, features.shape[1]).to(features)
    columns = _averages(left, right, side, features.shape[2]).to(features)
    return rows @ features @ columns.t()


def _averages(start: float, end: float, bins: int, cells: int) -> Tensor:
    """(bins, cells): the mean weight of every cell in the samples of every bin, ceil(extent / bins) samples per bin."""
    weights = torch.zeros(bins, cells, dtype=torch.float64)
    n_samples = math.ceil((end - start) / bins)
    for index in range(bins * max(n_samples, 0)):
        place = start + (index + 0.5) * (end - start) / bins / n_samples
        if not -1 <= place <= cells:
            continue
        place = min(max(place, 0.0), cells - 1.0)
        below = int(place)
        weights[index // n_samples, below] += (below + 1 - place) / n_samples
        if below + 1 < cells:
            weights[index // n_samples, below + 1] += (place - below) / n_samples
    return weights

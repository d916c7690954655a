"""How each group of matrices becomes int8: smoothing, outlier channels and GPTQ weights, from the calibration's moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from model_export.compact.gptq import gptq, rounded
from model_export.compact.network import Floats, Layer
from model_export.compact.statistics import Moments

__all__ = ["GELU_FLOOR", "OUTLIERS", "Recipe", "joined_weight", "solve"]

GELU_FLOOR = 0.17  # GELU never goes below -0.17
OUTLIERS = {"qkv": 4, "o": 0, "up": 4, "down": 4}
"""Channels of each group that stay in fp32: those with the largest reach."""
EXPONENTS = {"qkv": (0.6, 0.7, 0.8), "o": (0.6, 0.7, 0.8), "up": (0.6, 0.7, 0.8), "down": (0.3, 0.5, 0.6, 0.7, 0.8)}
_LEAST_SMOOTHING = 0.05
_FEW = 1000  # sampled rows that the widest group is tried on
_GPTQ_GAIN = 0.5  # the share of rounding's error that GPTQ leaves, for choosing among smoothings


@dataclass(frozen=True, slots=True)
class Recipe:
    """One group. Rows x are read as z = (x - mean) / smooth, or (x + shift) / smooth; z times `matrix` times `scale`.

    mean, smooth: (in,), mean 0 in outlier channels. outliers: channels that are not in z. shift: 0 or `GELU_FLOOR`.
    matrix: int8, (in, out), 0 in outlier rows. scale: (out,).
    """

    smooth: Floats
    mean: Floats
    shift: float
    outliers: NDArray[np.int64]
    matrix: NDArray[np.int8]
    scale: Floats


class _Choice(NamedTuple):
    error: float
    smooth: Floats
    shift: float


def joined_weight(layer: Layer, group: str) -> Floats:
    """The group's weights, those of q, k and v side by side."""
    return np.concatenate([layer.dense[name].weight for name in ("qkv" if group == "qkv" else (group,))], axis=1)


def solve(weight: Floats, group: str, moments: Moments) -> Recipe:
    """The recipe of a group. weight: (in, out)."""
    mean = np.zeros(len(weight), np.float32) if group == "down" else moments.mean()
    reach = moments.reach(mean)
    outliers = np.sort(np.argsort(-reach, kind="stable")[: OUTLIERS[group]])
    kept = np.ones(len(weight), np.float32)
    kept[outliers] = 0
    mean = mean * kept
    choice = _best(weight, group, moments, mean, reach, kept)
    covariance = moments.covariance(mean) / np.outer(choice.smooth, choice.smooth)
    covariance[outliers] = covariance[:, outliers] = 0
    covariance[outliers, outliers] = np.diag(covariance).sum() / kept.sum()
    matrix, scale = gptq(weight * (kept * choice.smooth)[:, None], covariance)
    matrix[outliers] = 0
    return Recipe(choice.smooth, mean, choice.shift, outliers, matrix, scale)


def _best(weight: Floats, group: str, moments: Moments, mean: Floats, reach: Floats, kept: Floats) -> _Choice:
    """The smoothing that leaves the least error in the group's output on the sampled rows."""
    n = _FEW if group == "down" else None
    rows = np.concatenate(moments.samples)[:n]
    root = np.sqrt(np.concatenate(moments.sample_weights)[:n])[:, None]
    rows = rows * kept - mean
    exact = rows @ weight
    largest = np.abs(weight).max(axis=1)
    choices = []
    for exponent in EXPONENTS[group]:
        smooth = np.maximum(reach, 1e-3) ** exponent / largest ** (1 - exponent)
        smooth = np.maximum(smooth / np.median(smooth[kept > 0]), _LEAST_SMOOTHING).astype(np.float32)
        smooth[kept == 0] = 1
        matrix, scale = rounded(weight * (kept * smooth)[:, None])
        by_weight = _error(exact, rows @ (matrix * scale / smooth[:, None]), root) * _GPTQ_GAIN
        for shift in (0.0, GELU_FLOOR) if group == "down" else (0.0,):
            by_rows = _error(exact, _quantised(rows, smooth, shift * kept) @ weight, root)
            choices.append(_Choice(float(np.hypot(by_weight, by_rows)), smooth, shift))
    return min(choices, key=lambda one: one.error)


def _error(exact: Floats, found: Floats, root: Floats) -> float:
    return float(np.linalg.norm((exact - found) * root))


def _quantised(rows: Floats, smooth: Floats, shift: Floats) -> Floats:
    """The rows after the graph's quantisation, in the scale they came in."""
    z = (rows + shift) / smooth
    step = (z.max(axis=1) / 255 if shift.any() else np.abs(z).max(axis=1) / 127)[:, None]
    return np.asarray(np.rint(z / np.maximum(step, 1e-9)) * step * smooth - shift, np.float32)

"""Weights in int8, one scale per column: by rounding, and by GPTQ (Frantar et al. 2023, arXiv 2210.17323)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from model_export.compact.network import Floats

__all__ = ["LARGEST", "gptq", "rounded"]

LARGEST = 127
DAMPING = 0.01  # of the mean diagonal, added to it
BLOCK = 128  # rows after which the error goes to all later rows

Integers = NDArray[np.int8]


def rounded(weight: Floats) -> tuple[Integers, Floats]:
    """weight (in, out) as integers -127..127 and a scale per column."""
    scale = _scale(weight)
    return np.clip(np.rint(weight / scale), -LARGEST, LARGEST).astype(np.int8), scale


def gptq(weight: Floats, covariance: NDArray[np.float64]) -> tuple[Integers, Floats]:
    """weight (in, out) as integers and a scale per column, such that inputs of this covariance (in, in) change least.

    Rows are rounded one by one, the most active first; the error of each is made up for by those still to come.
    """
    scale = _scale(weight)
    order = np.argsort(-np.diag(covariance), kind="stable")
    damped = covariance[np.ix_(order, order)]
    damped[np.diag_indices_from(damped)] += DAMPING * float(np.trace(damped)) / len(damped)
    factor = _upper_cholesky(damped).astype(np.float32)  # row i: what row i's error does to the rows after it
    left = weight[order].astype(np.float32)
    found = np.empty_like(left)
    for start in range(0, len(left), BLOCK):
        stop = min(start + BLOCK, len(left))
        errors = np.empty((stop - start, left.shape[1]), np.float32)
        for row in range(start, stop):
            found[row] = np.clip(np.rint(left[row] / scale), -LARGEST, LARGEST)
            error = (left[row] - found[row] * scale) / factor[row, row]
            left[row + 1 : stop] -= factor[row, row + 1 : stop, None] * error
            errors[row - start] = error
        left[stop:] -= factor[start:stop, stop:].T @ errors
    integers = np.empty(found.shape, np.int8)
    integers[order] = found.astype(np.int8)
    return integers, scale


def _upper_cholesky(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The upper triangular U with U'U the inverse of a positive definite matrix."""
    inverse = np.linalg.inv(matrix)
    return np.asarray(np.linalg.cholesky((inverse + inverse.T) / 2).T)


def _scale(weight: Floats) -> Floats:
    return np.asarray(np.maximum(np.abs(weight).max(axis=0) / LARGEST, 1e-12), np.float32)

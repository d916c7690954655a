"""How token vectors become one vector of a text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["is_finite", "pooled"]


def is_finite(vector: NDArray[np.float32]) -> bool:
    """No NaN, no infinity."""
    return bool(np.isfinite(vector).all())


def pooled(tokens: NDArray[np.float32], pooling: str, normalize: bool) -> NDArray[np.float32]:
    """One text's vector from its token vectors, shape (length, dimension)."""
    mean = tokens[0].astype(np.float64) if pooling == "cls" else tokens.sum(axis=0, dtype=np.float64) / len(tokens)
    if normalize:
        mean /= max(float(np.sqrt((mean * mean).sum())), 1e-12)
    vector: NDArray[np.float32] = mean.astype(np.float32)
    return vector

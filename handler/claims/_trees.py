"""Gradient-boosted trees and a logistic model as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LINEAR_SHARE", "Model", "Trees", "evaluate_trees", "log_odds"]

LINEAR_SHARE = 0.3
"""Weight of the logistic model's log-odds: it ranks less well at home, and loses less on texts of another kind."""


@dataclass(frozen=True)
class Trees:
    """Binary trees, node by node.

    roots: each tree's first node. feature, limit: what a node asks: a row goes left if its feature is at most the
    limit. children: left and right alternating; a leaf is its own child, so every walk takes `depth` steps.
    value: float64, in log-odds, of leaves. base: log-odds before any tree.
    """

    roots: NDArray[np.intp]
    feature: NDArray[np.intp]
    limit: NDArray[np.float64]
    children: NDArray[np.intp]
    value: NDArray[np.float64]
    base: float
    depth: int


@dataclass(frozen=True)
class Model:
    """trees, and a logistic model of the same features: weights, float64, one per feature, and the intercept."""

    trees: Trees
    weights: NDArray[np.float64]
    intercept: float


def log_odds(model: Model, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of a contradiction, per row, shape (n, features): both models' log-odds, weighted."""
    linear = (
        np.array([float(row @ model.weights) for row in rows]) + model.intercept
    )  # alone or together: the same bits
    return np.asarray((1 - LINEAR_SHARE) * evaluate_trees(model.trees, rows) + LINEAR_SHARE * linear, np.float64)


def evaluate_trees(trees: Trees, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log-odds of each row: the values of the leaves it falls into, added tree by tree. rows: shape (n, features)."""
    flat, first = rows.ravel(), np.arange(len(rows))[:, None] * rows.shape[1]
    nodes = np.repeat(trees.roots[None, :], len(rows), axis=0)
    for _ in range(trees.depth):
        goes_right = flat.take(trees.feature.take(nodes) + first) > trees.limit.take(nodes)
        nodes = trees.children.take(2 * nodes + goes_right)
    leaves: Any = trees.value.take(nodes)
    return np.asarray(trees.base + leaves.sum(axis=1), np.float64)

"""From a score to a probability: a rising step curve, or a logistic one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Logistic", "Steps", "isotonic", "logistic"]

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


class Steps(NamedTuple):
    """Blocks of scores with one probability each, rising. lows, highs: the least and the greatest score of each block."""

    lows: list[float]
    highs: list[float]
    probabilities: list[float]

    def at(self, scores: Sequence[float] | Floats) -> Floats:
        """Probabilities 0..1: the block's inside it, on a line between blocks, the outermost beyond."""
        places = [place for ends in zip(self.lows, self.highs, strict=True) for place in ends]
        heights = [height for height in self.probabilities for _ in range(2)]
        return np.interp(np.asarray(scores, np.float64), places, heights)


class Logistic(NamedTuple):
    """probability = 1 / (1 + exp(-(intercept + slope * score)))."""

    intercept: float
    slope: float

    def at(self, scores: Sequence[float] | Floats) -> Floats:
        """Probabilities 0..1."""
        return 1 / (1 + np.exp(-np.clip(self.intercept + self.slope * np.asarray(scores, np.float64), -700, 700)))


def isotonic(scores: Sequence[float] | Floats, labels: Sequence[bool] | Labels) -> Steps:
    """The rising step curve nearest to the labels in squares, by pooling adjacent violators. Needs one sample.

    Source: M. Ayer et al., Annals of Mathematical Statistics 26 (1955).
    """
    values, places = np.unique(np.asarray(scores, np.float64), return_inverse=True)
    sizes = np.bincount(places).tolist()
    trues = np.bincount(places, np.asarray(labels, np.float64)).tolist()
    blocks: list[list[float]] = []  # [low, high, true samples, samples]
    for value, true, size in zip(values.tolist(), trues, sizes, strict=True):
        blocks.append([value, value, true, size])
        while len(blocks) > 1 and blocks[-2][2] * blocks[-1][3] >= blocks[-1][2] * blocks[-2][3]:
            _, high, true_above, size_above = blocks.pop()
            blocks[-1][1] = high
            blocks[-1][2] += true_above
            blocks[-1][3] += size_above
    return Steps([b[0] for b in blocks], [b[1] for b in blocks], [b[2] / b[3] for b in blocks])


def logistic(scores: Sequence[float] | Floats, labels: Sequence[bool] | Labels) -> Logistic | None:
    """Two parameters by maximum likelihood, with Platt's softened labels so that separated classes stay finite; None of
    one class only, or where all scores are equal.

    Source: J. Platt, Advances in Large Margin Classifiers (1999); Newton's steps halved as by H.-T. Lin et al., Machine
    Learning 68 (2007).
    """
    values, truths = np.asarray(scores, np.float64), np.asarray(labels, np.bool_)
    n_true, n_false = int(truths.sum()), int((~truths).sum())
    if not n_true or not n_false or values.min() == values.max():
        return None
    targets = np.where(truths, (n_true + 1) / (n_true + 2), 1 / (n_false + 2))
    centre, scale = float(values.mean()), float(values.std())
    x = np.column_stack([np.ones(len(values)), (values - centre) / scale])
    beta = np.array([math.log((n_true + 1) / (n_false + 1)), 0.0])
    loss = _loss(x, targets, beta)
    for _ in range(100):
        p = 1 / (1 + np.exp(-(x @ beta)))
        gradient = x.T @ (p - targets)
        if float(np.abs(gradient).max()) < 1e-9 * len(values):
            break
        step = np.linalg.solve((x.T * (p * (1 - p))) @ x + 1e-12 * np.eye(2), gradient)
        size = 1.0
        while (new := _loss(x, targets, beta - size * step)) > loss and size > 1e-10:
            size /= 2
        beta, loss = beta - size * step, new
    return Logistic(float(beta[0] - beta[1] * centre / scale), float(beta[1] / scale))


def _loss(x: Floats, targets: Floats, beta: Floats) -> float:
    margin = x @ beta
    return float(np.sum(np.logaddexp(0, margin) - targets * margin))

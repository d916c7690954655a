"""From a score to a probability: a rising step curve, or a logistic one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Logistic", "Steps", "isotonic", "logistic", "logistic_of_counts"]

MOST_STEPS = 200
MOST_HALVINGS = 40
FALLS = 1e-4  # of what the gradient promises, the least that a step must gain (Armijo)
GRADIENT_NOISE = 1e-10  # per sample
RIDGE = 1e-9
LOSS_NOISE = 1e-12  # of the loss, what rounding may add

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


class Steps(NamedTuple):
    """Blocks of scores with one probability each, rising. lows, highs: the least and the greatest score of each block."""

    lows: list[float]
    highs: list[float]
    probabilities: list[float]

    def at(self, scores: Sequence[float] | Floats) -> Floats:
        """Probabilities 0..1: the block's inside it, on a line between blocks, the outermost beyond."""
        return np.interp(np.asarray(scores, np.float64), *self.corners())

    def corners(self) -> tuple[Floats, Floats]:
        """Scores and probabilities at both ends of each block, between which lines are drawn."""
        places = np.column_stack([self.lows, self.highs]).ravel().astype(np.float64)
        return places, np.repeat(np.asarray(self.probabilities, np.float64), 2)


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

    Source: J. Platt, Probabilistic outputs for support vector machines, Advances in Large Margin Classifiers (1999).
    """
    values, places = np.unique(np.asarray(scores, np.float64), return_inverse=True)
    truths = np.asarray(labels, np.bool_)
    if len(values) < 2 or truths.all() or not truths.any():
        return None
    counts = [np.bincount(places[side], minlength=len(values))[None, :] for side in (truths, ~truths)]
    intercept, slope = logistic_of_counts(values, counts[0].astype(np.float64), counts[1].astype(np.float64))[0]
    return Logistic(float(intercept), float(slope))


def logistic_of_counts(
    values: Floats, trues: Floats, falses: Floats, *, start: Logistic | None = None, noise: float = GRADIENT_NOISE
) -> Floats:
    """As `logistic`, many at once: (rows, 2) of intercept and slope. values: (k,), two of them distinct. trues, falses:
    (rows, k), how often each value came with each label; a row that lacks a label gets a flat line at the other one.
    start: a line near all of them. noise: per sample, the gradient that is small enough to stop."""
    n = trues + falses
    n_true, n_false = trues.sum(axis=1, keepdims=True), falses.sum(axis=1, keepdims=True)
    targets = trues * (n_true + 1) / (n_true + 2) + falses / (n_false + 2)
    centre, scale = float(values.mean()), float(values.std())
    x = (values - centre) / scale
    beta = np.hstack([np.log((n_true + 1) / (n_false + 1)), np.zeros_like(n_true)])
    if start is not None:
        beta[:] = start.intercept + start.slope * centre, start.slope * scale
    loss = _loss(beta, x, n, targets)
    for _ in range(MOST_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(beta[:, :1] + beta[:, 1:] * x, -700, 700)))
        rests, weights = n * chances - targets, n * chances * (1 - chances)
        gradient = np.column_stack([rests.sum(axis=1), rests @ x])
        if float(np.abs(gradient / n.sum(axis=1, keepdims=True)).max()) < noise:
            break
        a, b, c = weights.sum(axis=1) + RIDGE, weights @ x, weights @ (x * x) + RIDGE
        inverse = np.column_stack([c * gradient[:, 0] - b * gradient[:, 1], a * gradient[:, 1] - b * gradient[:, 0]])
        step = inverse / (a * c - b * b)[:, None]
        promised, length = FALLS * (step * gradient).sum(axis=1), np.ones(len(beta))
        for _ in range(MOST_HALVINGS):  # near separation, and far from the minimum, whole steps overshoot
            tried = beta - length[:, None] * step
            new = _loss(tried, x, n, targets)
            rises = ~(new <= loss - promised * length + LOSS_NOISE * loss)
            if not rises.any():
                break
            length[rises] /= 2
        beta, loss = tried, new
    return np.column_stack([beta[:, 0] - beta[:, 1] * centre / scale, beta[:, 1] / scale])


def _loss(beta: Floats, x: Floats, n: Floats, targets: Floats) -> Floats:
    """Platt's, of each row's line; never negative."""
    margin = beta[:, :1] + beta[:, 1:] * x
    return np.asarray((n * np.logaddexp(0, margin) - targets * margin).sum(axis=1), np.float64)

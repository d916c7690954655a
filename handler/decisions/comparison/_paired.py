"""The arithmetic of one comparison: paired values of the same samples, in sessions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.statistics import (
    Interval,
    cluster_mean_interval,
    cohens_dz,
    mcnemar_p,
    pool_clusters,
    sign_flip_p,
    student_t_p,
    student_t_quantile,
    superiority,
)

__all__ = ["POWER", "Paired", "Tested", "detectable", "distribution", "paired", "tested"]

FLIPS = 9_999
RAREST = 0.01  # a fifth of 0.05: the smallest corrected p that flipped signs must be able to give
TIE = 1e-6  # scores closer than this tie: machines differ by so much
POWER = 0.8

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Paired(NamedTuple):
    """Both sides' values of the same n samples.

    differences, weights: (n,), candidate minus baseline; their sums' ratio is the difference of the figures. scores:
    (n, 2), baseline and candidate, each sample's own. clusters: (n,) numbers of sessions. values: the two figures.
    """

    differences: Floats
    weights: Floats
    scores: Floats
    clusters: Integers
    values: tuple[float | None, float | None]


class Tested(NamedTuple):
    """Is it chance? unit: what was resampled, session or sample. p: of a difference of 0, method by p_method."""

    difference: float | None
    interval: Interval | None
    standard_error: float | None
    p: float
    p_method: str
    unit: str
    n_units: int


def paired(baseline: Floats, candidate: Floats, clusters: Integers) -> Paired:
    """Of (n, 2) numerators and denominators. Where denominators differ (several references, of which another one counts),
    the difference of two ratios is linearised: each sample gives its influence on it."""
    sums = baseline.sum(axis=0), candidate.sum(axis=0)
    values = tuple(float(top / bottom) if bottom else None for top, bottom in sums)
    scores = np.column_stack([_own_scores(baseline), _own_scores(candidate)])
    same = bool((baseline[:, 1] == candidate[:, 1]).all() and (baseline[:, 1] > 0).all())
    if same:
        return Paired(candidate[:, 0] - baseline[:, 0], baseline[:, 1], scores, clusters, (values[0], values[1]))
    if values[0] is None or values[1] is None:
        return Paired(np.zeros(0), np.zeros(0), scores, clusters, (values[0], values[1]))
    n = len(baseline)
    influences = [
        n * (one[:, 0] - value * one[:, 1]) / total[1]
        for one, value, total in zip((baseline, candidate), values, sums, strict=True)
        if value is not None
    ]
    differences = values[1] - values[0] + influences[1] - influences[0]
    return Paired(differences, np.ones(n), scores, clusters, (values[0], values[1]))


def tested(one: Paired, *, n_tests: int) -> Tested:
    """Interval and p of the difference. Sessions are the independent units; samples, where all are of one session.

    n_tests: how many are tested together. p is by flipped signs, unless even the rarest arrangement of so few sessions
    (2 of 2 ** sessions) or 9,999 of them could not stand the correction for so many tests: then by Student's t.
    """
    if not len(one.differences):
        return Tested(None, None, None, 1.0, "none", "session", 0)
    clusters, unit = one.clusters, "session"
    _, codes = np.unique(clusters, return_inverse=True)
    if codes.max(initial=0) == 0:
        codes, unit = np.arange(len(clusters)), "sample"
    sums, sizes = _sums(codes, one.differences), _sums(codes, one.weights)
    difference = float(sums.sum() / sizes.sum())
    if not one.differences.any():
        interval = Interval(0.0, 0.0, 0.95, "no-difference") if len(sums) > 1 else None
        return Tested(0.0, interval, 0.0, 1.0, "no-difference", unit, len(sums))
    error = _standard_error(sums, sizes, difference)
    if error < 1e-12 * abs(difference):  # units that all differ alike show nothing of how much they vary
        error = 0.0
    interval = cluster_mean_interval(sums, sizes) if error else None
    p, method = _p(sums, difference, error, n_tests)
    return Tested(difference, interval, error, p, method, unit, len(sums))


def distribution(one: Paired, *, higher_is_better: bool) -> dict[str, Any]:
    """Wins, ties and losses of the candidate, effect sizes, and McNemar's test where all scores are 0 or 1."""
    rises = one.scores[:, 1] - one.scores[:, 0]
    gains = rises if higher_is_better else -rises
    wins, losses = int((gains > TIE).sum()), int((gains < -TIE).sum())
    ties = len(gains) - wins - losses
    is_verdict = bool(np.isin(one.scores, (0.0, 1.0)).all()) and len(gains) > 0
    return {
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "effect": {"dz": cohens_dz(rises), "superiority": superiority(wins, ties, losses)},
        "mcnemar": {"candidate_only": wins, "baseline_only": losses, "p": mcnemar_p(wins, losses)}
        if is_verdict
        else None,
    }


def detectable(standard_error: float, n_units: int, *, level: float) -> float:
    """The smallest true difference that data of this spread show with a power of 0.8 at that level.

    By Student's t with units - 1 degrees: the normal law promises too much where sessions are few.
    """
    degrees = n_units - 1
    return (student_t_quantile(0.5 + level / 2, degrees) + student_t_quantile(POWER, degrees)) * standard_error


def _p(sums: Floats, difference: float, error: float, n_tests: int) -> tuple[float, str]:
    rarest = max(2.0 ** (1 - len(sums)), 1 / (FLIPS + 1))
    if rarest * n_tests > RAREST and error:
        return student_t_p(difference / error, len(sums) - 1), "cluster-t"
    pools = pool_clusters(np.arange(len(sums)))
    return sign_flip_p(_sums(pools, sums), n=FLIPS), "sign-flip"


def _sums(codes: Integers, values: Floats) -> Floats:
    return np.bincount(codes, values).astype(np.float64)


def _standard_error(sums: Floats, sizes: Floats, mean: float) -> float:
    rests, n = sums - mean * sizes, len(sums)
    if n < 2:
        return 0.0
    return math.sqrt(n / (n - 1) * float(rests @ rests)) / float(sizes.sum())


def _own_scores(pairs: Floats) -> Floats:
    numerators, denominators = pairs[:, 0], pairs[:, 1]
    return np.where(denominators > 0, numerators / np.where(denominators > 0, denominators, 1.0), numerators)

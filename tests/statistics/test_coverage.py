"""Do 95 % intervals hold the truth 95 times in 100? Sessions differ from one another, as cameras do."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from handler.statistics import auc_interval, cluster_mean_interval

N_FRAMES = 600
RATE, DIFFERENCE = 0.2, 0.03
SESSION_SPREAD, FRAME_SPREAD = 0.6, 1.0  # of scores, in standard deviations of a frame
APART = 1.4  # distance of the two classes' scores
AUC = NormalDist().cdf(APART / math.sqrt(2 * (SESSION_SPREAD**2 + FRAME_SPREAD**2)))
BETWEEN = 0.1  # intra-class correlation of verdicts: a session's own rate is Beta(rate (1 - r) / r, ...)


def sizes_of(rng, n_sessions):
    """Frames per session, from a few to several times the mean."""
    shares = rng.gamma(4.0, size=n_sessions)
    return 2 + rng.multinomial(N_FRAMES - 2 * n_sessions, shares / shares.sum())


def rate(rng, n_sessions):
    sizes = sizes_of(rng, n_sessions)
    strength = (1 - BETWEEN) / BETWEEN
    own = rng.beta(RATE * strength, (1 - RATE) * strength, n_sessions)
    return cluster_mean_interval(rng.binomial(sizes, own).astype(float), sizes.astype(float), low=0, high=1), RATE


def mean_difference(rng, n_sessions):
    sizes = sizes_of(rng, n_sessions)
    own = DIFFERENCE + 0.04 * rng.normal(size=n_sessions)
    sums = sizes * own + 0.12 * np.sqrt(sizes) * rng.normal(size=n_sessions)
    return cluster_mean_interval(sums, sizes.astype(float)), DIFFERENCE


def area(rng, n_sessions):
    sizes = sizes_of(rng, n_sessions)
    sessions = np.repeat(np.arange(n_sessions), sizes)
    labels = rng.random(len(sessions)) < rng.beta(2, 4, n_sessions)[sessions]
    own = SESSION_SPREAD * rng.normal(size=n_sessions)
    scores = APART * labels + own[sessions] + FRAME_SPREAD * rng.normal(size=len(sessions))
    return auc_interval(scores, labels, sessions.tolist()), AUC


FIGURES = {"rate": rate, "mean difference": mean_difference, "auc": area}


def coverage(figure, n_sessions, repetitions):
    """Share of seeded repetitions whose interval holds the truth, and the methods used."""
    rng = np.random.default_rng(20_26)
    held, methods = 0, set()
    for _ in range(repetitions):
        interval, truth = FIGURES[figure](rng, n_sessions)
        held += interval.low <= truth <= interval.high
        methods.add(interval.method)
    return held / repetitions, methods


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("n_sessions", [10, 40])
def test_short_coverage(figure, n_sessions):
    """300 repetitions: 95 % plus or minus four standard errors, less the two points allowed."""
    held, methods = coverage(figure, n_sessions, 300)
    assert 0.88 <= held <= 0.995
    few = n_sessions < 30
    expected = {"rate": "cluster-t-logit", "mean difference": "cluster-t" if few else "cluster-bootstrap"}
    assert methods == {expected.get(figure, "cluster-jackknife-t-logit" if few else "cluster-bootstrap")}


@pytest.mark.full
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("n_sessions", [10, 30, 60])
def test_coverage(figure, n_sessions):
    held, _ = coverage(figure, n_sessions, 10_000)
    print(f"{figure}, {n_sessions} sessions: {held:.4f}")
    assert (0.93 if n_sessions >= 30 else 0.92) <= held <= 0.97

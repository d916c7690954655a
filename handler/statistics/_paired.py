"""Two gradings of the same samples: is their difference chance, and how large is it?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["cohens_dz", "holm", "mcnemar_p", "sign_flip_p", "superiority"]

EXACT_CLUSTERS = 14  # 2 ** 14 ways to flip signs are all looked at; with more clusters, some are drawn
BLOCK = 1 << 22  # signs held at a time


def sign_flip_p(sums: Sequence[float] | NDArray[np.float64], *, n: int = 9_999, seed: int = 0) -> float:
    """Two-sided p that a mean difference is 0, by flipping the sign of each cluster's difference as a whole.

    sums: per cluster (session), the sum of its samples' differences. Exact for up to 14 clusters that differ, else from n
    random flips, the observed one counted among them, so p is never 0. Clusters without a difference say nothing: where
    none differs p is 1. Source: R. A. Fisher, The Design of Experiments (1935); Phipson and Smyth, SAGMB 9 (2010).
    """
    differences = np.asarray(sums, np.float64)
    differences = differences[differences != 0]
    n_clusters = len(differences)
    if not n_clusters:
        return 1.0
    observed = abs(math.fsum(differences)) - 1e-12 * float(
        np.abs(differences).sum()
    )  # flips that tie do not round away
    if n_clusters <= EXACT_CLUSTERS:
        ways = np.arange(2**n_clusters)[:, None] >> np.arange(n_clusters) & 1
        return float(np.mean(np.abs((1 - 2 * ways) @ differences) >= observed))
    rng = np.random.default_rng(seed)
    as_large, rows = 0, max(1, BLOCK // n_clusters)
    for start in range(0, n, rows):
        signs = 2 * rng.integers(0, 2, (min(rows, n - start), n_clusters), dtype=np.int8) - 1
        as_large += int((np.abs(signs @ differences) >= observed).sum())
    return (as_large + 1) / (n + 1)


def mcnemar_p(one_only: int, other_only: int) -> float:
    """Two-sided exact p that two verdicts on the same samples are "yes" equally often; 1 where they never differ.

    one_only, other_only: samples where only the one, only the other says yes. It takes samples as independent.
    Source: Q. McNemar, Psychometrika 12 (1947), with the binomial distribution in place of chi-square.
    """
    n, fewer = one_only + other_only, min(one_only, other_only)
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2) for k in range(fewer + 1)
    ]
    return min(1.0, 2 * math.fsum(map(math.exp, logs)))


def holm(ps: Sequence[float]) -> list[float]:
    """p-values corrected for their number, in the given order, so that one false find in all of them stays as rare as
    the level says. Source: S. Holm, Scandinavian Journal of Statistics 6 (1979)."""
    corrected, worst = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        worst = max(worst, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = worst
    return corrected


def cohens_dz(differences: Sequence[float] | NDArray[np.float64]) -> float | None:
    """Mean of paired differences in units of their standard deviation (divisor n - 1); None under 2, or without spread
    unless all are 0. Source: J. Cohen, Statistical Power Analysis, 2nd ed. (1988), section 2.3.5."""
    values = np.asarray(differences, np.float64)
    if len(values) < 2:
        return None
    if not values.any():
        return 0.0
    deviation = float(values.std(ddof=1))
    return float(values.mean()) / deviation if deviation > 1e-12 * float(np.abs(values).max()) else None


def superiority(wins: int, ties: int, losses: int) -> float | None:
    """Share of samples won, ties counted half: 0.5 means no difference; None of no samples.
    Source: A. Vargha and H. D. Delaney, Journal of Educational and Behavioral Statistics 25 (2000)."""
    n = wins + ties + losses
    return (wins + ties / 2) / n if n else None

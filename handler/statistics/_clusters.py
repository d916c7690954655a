"""Uncertainty where samples come in clusters: frames of one session are not independent, sessions are taken to be."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from handler.statistics._intervals import Interval, student_t_quantile, wilson_interval

__all__ = [
    "FEW_CLUSTERS",
    "REPLICATES",
    "bootstrap_weights",
    "cluster_codes",
    "cluster_mean_interval",
    "expanded_percentiles",
    "pool_clusters",
    "resampled",
]

FEW_CLUSTERS = 30  # below it resampling knows too little of the spread between clusters, and Student's t is used
MOST_CLUSTERS = 250  # more are pooled at random: pools of independent clusters are independent as well
REPLICATES = 9_999  # the ends of a 95 % interval then rest on 250 replicates each
BLOCK = 1 << 20  # weights held at a time, 8 bytes each
REMEMBERED = 1 << 19  # weights kept between calls, at most, per set

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def cluster_codes(clusters: Sequence[Hashable]) -> Integers:
    """0-based numbers of the clusters, in order of first appearance."""
    numbers: dict[Hashable, int] = {}
    return np.fromiter((numbers.setdefault(one, len(numbers)) for one in clusters), np.int64, len(clusters))


def pool_clusters(codes: Integers, *, most: int = MOST_CLUSTERS, seed: int = 0) -> Integers:
    """The codes themselves, or those of `most` random pools of clusters that differ in number by one at most."""
    n_clusters = int(codes.max(initial=-1)) + 1
    if n_clusters <= most:
        return codes
    pools: Integers = np.random.default_rng(seed).permutation(n_clusters) % most
    return pools[codes]


def bootstrap_weights(n_clusters: int, *, n: int, seed: int) -> Integers:
    """How often each cluster is drawn in each of n resamples of n_clusters, with replacement: shape (n, n_clusters)."""
    return _kept_weights(n_clusters, n, seed) if n * n_clusters <= REMEMBERED else _weights(n_clusters, n, seed)


def resampled(
    columns: Floats, *, n: int = REPLICATES, seed: int = 0, block_rows: int | None = None
) -> Iterator[tuple[Floats, Floats]]:
    """Cluster sums resampled, in blocks of (weights, sums): columns (clusters, k) give (rows, clusters) and (rows, k)."""
    n_clusters = len(columns)
    rows = block_rows or (n if n * n_clusters <= BLOCK else max(1, BLOCK // n_clusters))
    for block, start in enumerate(range(0, n, rows)):
        drawn = bootstrap_weights(n_clusters, n=min(rows, n - start), seed=seed + block)
        weights = drawn.astype(np.float64)
        yield weights, weights @ columns


def cluster_mean_interval(
    sums: Sequence[float] | Floats,
    sizes: Sequence[float] | Floats,
    *,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
) -> Interval | None:
    """The interval of a mean (or rate) over all samples, sum(sums) / sum(sizes); None under 2 clusters.

    sums, sizes: per cluster, the sum of its samples and their number; clusters without samples are left out. low, high:
    what the mean cannot pass; 0 and 1 make it a rate. method:
    - cluster-bootstrap, from 30 clusters on: percentiles of 9,999 seeded resamples of clusters, expanded for the number of
      clusters (T. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69, 2015).
    - cluster-t, with fewer: Student's t with clusters - 1 degrees on the linearised variance of a ratio (W. G. Cochran,
      Sampling Techniques, 3rd ed. 1977, chapter 6).
    - cluster-t-logit, for a rate with any number of clusters: the same on the logit scale, which covers rates that are low
      or come from few clusters better than resamples do (tests/statistics/test_coverage.py).
    - cluster-wilson: a rate that is the same in every cluster has no spread to go by; each cluster counts as one sample.
    """
    totals, counts = np.asarray(sums, np.float64), np.asarray(sizes, np.float64)
    totals, counts = totals[counts > 0], counts[counts > 0]
    n_clusters = len(counts)
    if n_clusters < 2:
        return None
    mean = float(totals.sum() / counts.sum())
    if (low, high) == (0, 1):
        return _rate_interval(totals, counts, mean, level)
    if n_clusters < FEW_CLUSTERS:
        half = student_t_quantile(0.5 + level / 2, n_clusters - 1) * _standard_error(totals, counts, mean)
        ends = (mean - half, mean + half)
        method = "cluster-t"
    else:
        ends = _bootstrap(totals, counts, level)
        method = "cluster-bootstrap"
    bounded = [min(math.inf if high is None else high, max(-math.inf if low is None else low, end)) for end in ends]
    return Interval(min(bounded[0], mean), max(bounded[1], mean), level, method)


def expanded_percentiles(replicates: Floats, n_clusters: int, *, level: float = 0.95) -> tuple[float, float]:
    """Both percentiles of the replicates that leave as much out as Student's t would with n_clusters - 1 degrees.

    Plain percentiles are too narrow by the factor that Student's t and the divisor n - 1 make good.
    """
    t = student_t_quantile(0.5 + level / 2, n_clusters - 1)
    outside = NormalDist().cdf(-t * math.sqrt(n_clusters / (n_clusters - 1)))
    low, high = np.quantile(replicates, [outside, 1 - outside])
    return float(low), float(high)


def _bootstrap(totals: Floats, counts: Floats, level: float) -> tuple[float, float]:
    pools = pool_clusters(np.arange(len(counts)))
    columns: Floats = np.column_stack([np.bincount(pools, totals), np.bincount(pools, counts)])
    means = np.concatenate([drawn[:, 0] / drawn[:, 1] for _, drawn in resampled(columns)])
    return expanded_percentiles(means, len(columns), level=level)


def _standard_error(totals: Floats, counts: Floats, mean: float) -> float:
    rests = totals - mean * counts
    n_clusters = len(counts)
    return math.sqrt(n_clusters / (n_clusters - 1) * float(rests @ rests)) / float(counts.sum())


def _rate_interval(totals: Floats, counts: Floats, rate: float, level: float) -> Interval | None:
    n_clusters = len(counts)
    error = _standard_error(totals, counts, rate)
    if error < 1e-12 or not 0 < rate < 1:
        interval = wilson_interval(round(rate * n_clusters), n_clusters, level=level)
        return interval._replace(method="cluster-wilson") if interval is not None else None
    middle = math.log(rate / (1 - rate))
    half = student_t_quantile(0.5 + level / 2, n_clusters - 1) * error / (rate * (1 - rate))
    low, high = (1 / (1 + math.exp(-min(700.0, max(-700.0, end)))) for end in (middle - half, middle + half))
    return Interval(low, high, level, "cluster-t-logit")


@lru_cache(maxsize=8)
def _kept_weights(n_clusters: int, n: int, seed: int) -> Integers:
    weights = _weights(n_clusters, n, seed)
    weights.flags.writeable = False
    return weights


def _weights(n_clusters: int, n: int, seed: int) -> Integers:
    drawn = np.random.default_rng(seed).integers(0, n_clusters, (n, n_clusters))
    drawn += np.arange(n)[:, None] * n_clusters
    return np.bincount(drawn.ravel(), minlength=n * n_clusters).reshape(n, n_clusters)

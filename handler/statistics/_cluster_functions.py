"""The interval of any smooth figure made of sums over clustered samples, such as balanced accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from handler.statistics._clusters import FEW_CLUSTERS, expanded_percentiles, pool_clusters, resampled
from handler.statistics._intervals import Interval, student_t_quantile

__all__ = ["cluster_function_interval"]

Floats = NDArray[np.float64]


def cluster_function_interval(
    columns: Floats, figure: Callable[[Floats], Floats], *, level: float = 0.95, low: float, high: float
) -> Interval | None:
    """The interval of `figure` of the columns' sums; None where it has no spread or resamples leave it undefined.

    columns: (clusters, k), each cluster's sums. figure: (rows, k) sums to (rows,) figures, not finite where undefined.
    low, high: what it cannot pass. method: cluster-bootstrap from 30 clusters on, as `cluster_mean_interval`; with fewer
    cluster-jackknife-t, Student's t with clusters - 1 degrees on the spread of leaving out one cluster at a time
    (B. Efron, The Jackknife, the Bootstrap and Other Resampling Plans, 1982, chapter 3).
    """
    n_clusters = len(columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(figure(columns.sum(axis=0, keepdims=True))[0])
        if n_clusters < 2 or not math.isfinite(value):
            return None
        if n_clusters < FEW_CLUSTERS:
            found = _jackknife(columns, figure, value, level)
            method = "cluster-jackknife-t"
        else:
            found = _bootstrap(columns, figure, level)
            method = "cluster-bootstrap"
    if found is None or found[0] == found[1]:
        return None
    return Interval(min(value, max(low, found[0])), max(value, min(high, found[1])), level, method)


def _jackknife(
    columns: Floats, figure: Callable[[Floats], Floats], value: float, level: float
) -> tuple[float, float] | None:
    n_clusters = len(columns)
    without = figure(columns.sum(axis=0) - columns)
    if not np.isfinite(without).all():
        return None
    spread = math.sqrt((n_clusters - 1) / n_clusters * float(((without - without.mean()) ** 2).sum()))
    half = student_t_quantile(0.5 + level / 2, n_clusters - 1) * spread
    return value - half, value + half


def _bootstrap(columns: Floats, figure: Callable[[Floats], Floats], level: float) -> tuple[float, float] | None:
    pools = pool_clusters(np.arange(len(columns)))
    pooled: Floats = np.column_stack([np.bincount(pools, column) for column in columns.T])
    replicates = np.concatenate([figure(sums) for _, sums in resampled(pooled)])
    finite = replicates[np.isfinite(replicates)]
    if len(finite) < 0.99 * len(replicates):
        return None
    return expanded_percentiles(finite, len(pooled), level=level)

"""Intervals of clustered samples: by hand, against SciPy's distributions, and what they refuse to say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from handler.statistics import (
    bootstrap_weights,
    cluster_codes,
    cluster_function_interval,
    cluster_mean_interval,
    expanded_percentiles,
    pool_clusters,
    resampled,
    wilson_interval,
)


def test_equal_clusters_are_student_t_of_their_means():
    means = np.array([0.61, 0.55, 0.72, 0.64, 0.58])
    interval = cluster_mean_interval(20 * means, [20] * 5)
    expected = stats.t.interval(0.95, 4, loc=means.mean(), scale=stats.sem(means))
    assert interval[:2] == pytest.approx(expected, abs=1e-9)
    assert interval.method == "cluster-t"


def test_unequal_clusters_by_hand():
    """sums 1, 4 of sizes 2, 4: mean 5/6; rests 1 - 10/6 and 4 - 20/6, so -2/3 and 2/3; error sqrt(2 * 8/9) / 6."""
    interval = cluster_mean_interval([1.0, 4.0], [2, 4])
    half = stats.t.ppf(0.975, 1) * math.sqrt(2 * 8 / 9) / 6
    assert interval[:2] == pytest.approx((5 / 6 - half, 5 / 6 + half), abs=1e-9)


def test_a_rate_is_on_the_logit_scale():
    sums, sizes = np.array([3.0, 1, 4, 2]), np.array([10.0, 10, 10, 10])
    interval = cluster_mean_interval(sums, sizes, low=0, high=1)
    error = stats.sem(sums / sizes) / (0.25 * 0.75)
    expected = stats.t.interval(0.95, 3, loc=math.log(0.25 / 0.75), scale=error)
    assert interval[:2] == pytest.approx([1 / (1 + math.exp(-end)) for end in expected], abs=1e-9)
    assert interval.method == "cluster-t-logit"


@pytest.mark.parametrize("sum_of_each", [0, 5, 10])
def test_a_rate_without_spread_counts_clusters(sum_of_each):
    interval = cluster_mean_interval([sum_of_each] * 8, [10] * 8, low=0, high=1)
    assert interval == wilson_interval(round(8 * sum_of_each / 10), 8)._replace(method="cluster-wilson")
    assert interval.low <= sum_of_each / 10 <= interval.high
    assert interval.low < interval.high


def test_many_clusters_are_resampled_and_agree_with_the_normal_interval():
    rng = np.random.default_rng(3)
    means = rng.normal(0.5, 0.1, 200)
    interval = cluster_mean_interval(means * 30, [30] * 200)
    assert interval.method == "cluster-bootstrap"
    half = 1.972 * stats.sem(means)
    assert interval[:2] == pytest.approx((means.mean() - half, means.mean() + half), abs=0.1 * half)
    assert interval == cluster_mean_interval(means * 30, [30] * 200)


def test_scipy_resamples_alike():
    rng = np.random.default_rng(5)
    sums, sizes = rng.gamma(3, 4, 60), rng.integers(5, 50, 60).astype(float)
    reference = stats.bootstrap(
        (sums, sizes),
        lambda one, other, axis: one.sum(axis) / other.sum(axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    mine = cluster_mean_interval(sums, sizes)
    width = reference.high - reference.low
    assert mine[:2] == pytest.approx(tuple(reference), abs=0.06 * width)
    assert mine.high - mine.low > 0.98 * width


def test_frames_of_one_session_are_not_so_many():
    """Ten frames that all say the same are worth one: the interval of 40 such sessions is that of 40 frames."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=40)
    assert cluster_mean_interval(values, [1] * 40)[:2] == pytest.approx(
        cluster_mean_interval(10 * values, [10] * 40)[:2]
    )


def test_no_interval_without_two_clusters():
    assert cluster_mean_interval([], []) is None
    assert cluster_mean_interval([3.0], [5]) is None
    assert cluster_mean_interval([3.0, 0.0], [5, 0]) is None


def test_identical_differences_have_no_spread():
    assert cluster_mean_interval([0.0] * 40, [10] * 40)[:2] == (0, 0)


def test_limits_hold():
    interval = cluster_mean_interval([-9.9, -5.0, 9.0], [10, 10, 10], low=-1, high=1)
    assert (interval.low, interval.high) == (-1, 1)


def test_weights_draw_as_many_clusters_as_there_are():
    weights = bootstrap_weights(35, n=500, seed=4)
    assert weights.shape == (500, 35)
    assert (weights.sum(axis=1) == 35).all()
    assert (weights == bootstrap_weights(35, n=500, seed=4)).all()
    assert not (weights == bootstrap_weights(35, n=500, seed=5)).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(35), abs=0.25)
    blocks = list(resampled(np.arange(70.0).reshape(35, 2), n=500, block_rows=200))
    assert [len(drawn) for drawn, _ in blocks] == [200, 200, 100]
    assert blocks[0][1] == pytest.approx(blocks[0][0] @ np.arange(70.0).reshape(35, 2))


def test_weights_held_at_a_time_have_a_bound():
    blocks = [weights.shape for weights, _ in resampled(np.ones((250, 1)))]
    assert {n_clusters for _, n_clusters in blocks} == {250}
    assert sum(rows for rows, _ in blocks) == 9_999
    assert max(rows for rows, _ in blocks) == 4_194  # of 250 weights: 2 ** 20 at most


def test_pools_keep_clusters_whole():
    codes = cluster_codes([f"s{n // 3}" for n in range(3000)])
    assert codes.tolist()[:7] == [0, 0, 0, 1, 1, 1, 2]
    pools = pool_clusters(codes, most=100)
    assert len(set(pools.tolist())) == 100
    assert {len(set(pools[codes == one].tolist())) for one in range(1000)} == {1}
    assert set(np.bincount(pools).tolist()) == {30}
    assert (pool_clusters(codes, most=1000) == codes).all()


def test_expanded_percentiles_leave_out_what_student_t_would():
    replicates = np.sort(stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000))
    low, high = expanded_percentiles(replicates, 30)
    assert (low, high) == pytest.approx((-2.0801, 2.0801), abs=0.002)  # t(29) at 0.975 is 2.0452, times sqrt(30 / 29)


def test_a_function_of_sums_is_jackknifed_or_resampled():
    rng = np.random.default_rng(6)
    columns = np.column_stack([rng.integers(5, 15, 20), rng.integers(20, 30, 20)]).astype(float)
    interval = cluster_function_interval(columns, lambda sums: sums[:, 0] / sums[:, 1], low=0, high=1)
    straight = cluster_mean_interval(columns[:, 0], columns[:, 1])
    assert interval[:2] == pytest.approx(straight[:2], rel=0.02)
    assert interval.method == "cluster-jackknife-t"
    many = np.tile(columns, (3, 1))
    resample = cluster_function_interval(many, lambda sums: sums[:, 0] / sums[:, 1], low=0, high=1)
    assert resample.method == "cluster-bootstrap"
    assert resample[:2] == pytest.approx(cluster_mean_interval(many[:, 0], many[:, 1])[:2], rel=0.01)


def test_a_function_that_resamples_leave_undefined_has_no_interval():
    columns = np.zeros((40, 2))
    columns[0] = 3, 5
    assert cluster_function_interval(columns, lambda sums: sums[:, 0] / sums[:, 1], low=0, high=1) is None
    assert cluster_function_interval(columns[:9], lambda sums: sums[:, 0] / sums[:, 1], low=0, high=1) is None
    assert cluster_function_interval(columns[1:], lambda sums: sums[:, 0] / sums[:, 1], low=0, high=1) is None  # 0 / 0


@pytest.mark.parametrize(("n_with", "defined"), [(3, False), (5, True)])
def test_one_resample_in_a_hundred_may_leave_a_function_undefined(n_with, defined):
    """Of 40 clusters n have samples: (1 - n / 40) ** 40 of the resamples hold none, 4.4 % for 3 and 0.5 % for 5."""
    columns = np.zeros((40, 2))
    columns[:n_with] = [(1, 5), (2, 5), (3, 5), (2, 4), (1, 4)][:n_with]
    found = cluster_function_interval(columns, lambda sums: sums[:, 0] / sums[:, 1], low=0, high=1)
    assert (found is not None) is defined


def test_a_function_of_one_cluster_has_no_interval():
    assert cluster_function_interval(np.array([[3.0, 5.0]]), lambda sums: sums[:, 0], low=0, high=9) is None

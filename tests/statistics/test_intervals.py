"""Intervals against SciPy, and where a textbook interval breaks."""

import itertools
import math

import pytest
from scipy import stats

from handler.statistics import mean_interval, student_t_p, student_t_quantile, wilson_interval


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 1), (1, 1), (0, 9), (9, 9), (1, 2), (3, 9), (250, 1000), (1, 100_000)]
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_equals_scipy(successes, n, level):
    interval = wilson_interval(successes, n, level=level)
    expected = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert interval.low == pytest.approx(expected.low, abs=1e-12)
    assert interval.high == pytest.approx(expected.high, abs=1e-12)
    assert 0 <= interval.low <= successes / n <= interval.high <= 1


def test_wilson_of_nothing_is_none():
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 10, 30, 99, 1000, 10**6])
@pytest.mark.parametrize("probability", [0.5, 0.6, 0.9, 0.975, 0.995])
def test_student_t_quantile_equals_scipy(degrees, probability):
    assert student_t_quantile(probability, degrees) == pytest.approx(
        stats.t.ppf(probability, degrees), abs=1e-8, rel=1e-9
    )


def test_mean_interval_equals_scipy():
    values = [0.9, 0.7, 0.43, 0.67, 0.28]
    mean, deviation = sum(values) / 5, stats.tstd(values)
    interval = mean_interval(mean, deviation, 5)
    low, high = stats.t.interval(0.95, 4, loc=mean, scale=deviation / math.sqrt(5))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)
    assert mean_interval(0.5, 0.0, 1) is None


def test_quantile_refuses_what_it_cannot_answer():
    with pytest.raises(ValueError, match="probability"):
        student_t_quantile(1.0, 3)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10, 29, 100, 999])
def test_none_and_all_of_any_number_reach_the_ends_exactly(n):
    none, every = wilson_interval(0, n), wilson_interval(n, n)
    assert (none.low, every.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1.959963984540054**2 / (n + 1.959963984540054**2))  # z^2 / (n + z^2)
    assert every.low == pytest.approx(1 - none.high)


@pytest.mark.parametrize(("probability", "degrees"), [(0.49, 5), (0.0, 5), (1.0, 5), (0.9, 0)])
def test_quantiles_that_are_none(probability, degrees):
    with pytest.raises(ValueError, match="probability < 1 and degrees >= 1"):
        student_t_quantile(probability, degrees)


def test_the_p_of_a_t_equals_scipy():
    for t, degrees in itertools.product((-30.0, -2.1, 0.0, 0.4, 5.0, 1e200), (1, 2, 9, 400)):
        assert student_t_p(t, degrees) == pytest.approx(2 * stats.t.sf(abs(t), degrees), rel=1e-9, abs=1e-15)

"""Intervals against SciPy, and where a textbook interval breaks."""

import math

import pytest
from scipy import stats

from handler.statistics import mean_interval, student_t_quantile, wilson_interval


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

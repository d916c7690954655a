"""Agreement, correlation and corrected prevalence against SciPy, published examples and definitions written out."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from scipy import stats

from handler.statistics import (
    alpha_of,
    correlation_interval,
    fleiss_kappa_of,
    kappa_interval,
    kappa_of,
    kendall_tau_b,
    pearson,
    prediction_powered_rate,
    rogan_gladen,
    spearman,
)


def gradings(seed, n=60, levels=5):
    rng = random.Random(seed)
    one = [rng.randint(1, levels) for _ in range(n)]
    return one, [max(1, min(levels, grade + rng.choice((-2, -1, 0, 0, 1)))) for grade in one]


def ratings(*items):
    given = [Counter(grade for grade in item if grade is not None) for item in items]
    return Counter(tuple(grades.items()) for grades in given)


def weighted_by_definition(one, other, distance):
    """1 less the mean distance seen over the mean distance of all pairs of items."""
    n = len(one)
    seen = sum(distance(a, b) for a, b in zip(one, other, strict=True)) / n
    return 1 - seen / (sum(distance(a, b) for a in one for b in other) / n**2)


@pytest.mark.parametrize("seed", range(20))
def test_correlations_equal_scipy(seed):
    one, other = gradings(seed, n=random.Random(seed).randint(3, 80))
    if seed % 2:
        one = [grade + random.Random(seed + i).random() for i, grade in enumerate(one)]
    pairs = Counter(zip(one, other, strict=True))
    assert pearson(pairs) == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-12)
    assert spearman(pairs) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)
    assert kendall_tau_b(pairs) == pytest.approx(stats.kendalltau(one, other).statistic, abs=1e-12)


@pytest.mark.parametrize("measure", [pearson, spearman, kendall_tau_b])
@pytest.mark.parametrize("pairs", [{}, {(1, 1): 1}, {(1, 2): 5}, {(1, 2): 3, (1, 3): 2}, {(1, 2): 3, (4, 2): 2}])
def test_a_constant_side_has_no_correlation(measure, pairs):
    assert measure(pairs) is None


@pytest.mark.parametrize("n", range(2, 30))
def test_a_perfect_tau_is_one_and_no_more(n):
    """3 / sqrt(3) / sqrt(3), of three items in order, is 1.0000000000000002 where nothing holds it."""
    assert 1 - 1e-12 <= kendall_tau_b({(place, place): 1 for place in range(n)}) <= 1
    assert -1 <= kendall_tau_b({(place, -place): 1 for place in range(n)}) <= -1 + 1e-12


def test_pearson_of_numbers_far_from_zero_keeps_its_digits():
    near = Counter([(1, 2), (2, 1), (3, 5), (4, 4)])
    far = Counter({(1e9 + one, 1e-9 * other): times for (one, other), times in near.items()})
    assert pearson(far) == pytest.approx(pearson(near), abs=1e-6)


@pytest.mark.parametrize("n", [4, 10, 500])
@pytest.mark.parametrize("r", [-0.8, 0.0, 0.5])
def test_the_interval_of_pearson_equals_scipy(r, n):
    one = stats.norm.ppf([(i + 0.5) / n for i in range(n)])
    other = random.Random(1).sample(list(one), n)
    mixed = [r * a + b for a, b in zip(one, other, strict=True)]
    found = stats.pearsonr(one, mixed)
    expected = found.confidence_interval(0.9)
    interval = correlation_interval(float(found.statistic), n, level=0.9)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_intervals_of_rank_correlations_by_hand():
    """z = atanh(0.5) = 0.549306; spearman: sqrt(1.125 / 97) = 0.107693; kendall: sqrt(0.437 / 96) = 0.067469."""
    found = correlation_interval(0.5, 100, of="spearman")
    assert (found.low, found.high) == pytest.approx((math.tanh(0.549306 - 0.211075), math.tanh(0.760381)), abs=1e-5)
    found = correlation_interval(0.5, 100, of="kendall")
    assert (found.low, found.high) == pytest.approx((math.tanh(0.549306 - 0.132237), math.tanh(0.681543)), abs=1e-5)


def test_too_few_items_and_full_correlation_have_no_interval():
    assert correlation_interval(0.5, 3) is None
    assert correlation_interval(0.5, 4, of="kendall") is None
    assert correlation_interval(-1.0, 50) is None


def test_kappa_of_a_published_table():
    """20 and 15 of 50 grant proposals: kappa 0.4 is the usual worked example; its error is statsmodels 0.15's."""
    found = kappa_of({("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15})
    assert found.value == pytest.approx(0.4)
    assert found.standard_error == pytest.approx(0.12699606293, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("weights", "distance"),
    [(None, lambda a, b: a != b), ("linear", lambda a, b: abs(a - b)), ("quadratic", lambda a, b: (a - b) ** 2)],
)
def test_kappa_by_its_definition(seed, weights, distance):
    one, other = gradings(seed)
    one = [grade * grade / 2 for grade in one]
    found = kappa_of(Counter(zip(one, other, strict=True)), weights=weights)
    assert found.value == pytest.approx(weighted_by_definition(one, other, distance), abs=1e-12)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_the_error_of_kappa_is_that_of_its_slopes(weights):
    """The delta method with slopes found by moving each count a little."""
    one, other = gradings(3, n=200, levels=4)
    counts = Counter(zip(one, other, strict=True))
    n, step = 200, 1e-4
    middle = kappa_of(counts, weights=weights).value
    slopes = {}
    for pair in counts:
        moved = {key: times * 1.0 + step * (key == pair) for key, times in counts.items()}
        slopes[pair] = (kappa_of(moved, weights=weights).value - middle) / step * n
    mean = sum(times * slopes[pair] for pair, times in counts.items()) / n
    variance = sum(times * (slopes[pair] - mean) ** 2 for pair, times in counts.items()) / n
    found = kappa_of(counts, weights=weights)
    assert found.standard_error == pytest.approx(math.sqrt(variance / n), rel=1e-3)


def test_kappa_of_one_grade_is_not_defined_and_full_agreement_has_no_interval():
    assert kappa_of({}) is None
    assert kappa_of({("a", "a"): 9}) is None
    assert kappa_interval(kappa_of({("a", "a"): 9, ("b", "b"): 9})) is None
    found = kappa_interval(kappa_of({(1, 1): 2, (1, 2): 1, (2, 2): 2, (2, 1): 1}))
    assert found.low >= -1
    assert found.high <= 1


def test_differences_too_small_to_square_are_none():
    assert kappa_of({(0.0, 1e-300): 1, (1e-300, 0.0): 1}, weights="quadratic") is None
    assert alpha_of(ratings([0.0, 1e-300]), level="interval") is None


def test_weights_need_numbers():
    with pytest.raises(ValueError, match="has no distance to other grades"):
        kappa_of({("a", "b"): 1, ("b", "b"): 1}, weights="linear")


def test_fleiss_of_the_published_table():
    """Fourteen raters, ten subjects, five categories, after Fleiss (1971) as it is taught: 0.210."""
    table = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    items = [[category for category, times in enumerate(row) for _ in range(times)] for row in table]
    assert fleiss_kappa_of(ratings(*items)) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_needs_as_many_raters_everywhere():
    assert fleiss_kappa_of(ratings([1, 2], [1, 1, 2])) is None
    assert fleiss_kappa_of(ratings([1, 1], [1, 1])) is None
    assert fleiss_kappa_of({}) is None


def test_alpha_of_krippendorffs_own_example():
    """Four observers, twelve units, missing values: nominal 0.743, ordinal 0.815, interval 0.849 (Krippendorff, 2011)."""
    nothing = None
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nothing, nothing, nothing],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nothing, 3],
        [nothing, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nothing],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nothing],
    ]
    found = ratings(*zip(*observers, strict=True))
    for level, expected in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert alpha_of(found, level=level) == pytest.approx(expected, abs=5e-4)


def test_alpha_is_not_defined_without_two_grades():
    assert alpha_of({}, level="nominal") is None
    assert alpha_of(ratings(["a", "a"], ["a", "a"]), level="nominal") is None


def test_a_judge_who_never_errs_needs_no_correction():
    rate, interval = rogan_gladen((30, 100), (20, 20), (20, 20))
    assert rate == pytest.approx(0.3)
    assert (interval.low, interval.high) == pytest.approx((0.3 - 0.089818, 0.3 + 0.089818), abs=1e-5)


def test_rogan_and_gladen_by_hand():
    """(0.5 + 0.9 - 1) / (0.8 + 0.9 - 1) = 0.571429; variance (0.0025 + 0.326531 * 0.0016 + 0.183673 * 0.0009) / 0.49."""
    rate, interval = rogan_gladen((50, 100), (80, 100), (90, 100))
    assert rate == pytest.approx(0.571429, abs=1e-6)
    spread = 1.959964 * math.sqrt((0.0025 + 0.326531 * 0.0016 + 0.183673 * 0.0009) / 0.49)
    assert (interval.low, interval.high) == pytest.approx((rate - spread, rate + spread), abs=1e-5)


@pytest.mark.parametrize("counts", [((0, 0), (1, 2), (1, 2)), ((1, 2), (0, 0), (1, 2)), ((5, 9), (5, 10), (5, 10))])
def test_without_items_or_skill_there_is_no_correction(counts):
    assert rogan_gladen(*counts) is None


def test_prediction_powered_rate_by_hand():
    """The judge names 60 of 100; of 50 more, people name 10 that it does not and it 5 that they do not: 0.6 + 5 / 50."""
    rate, interval = prediction_powered_rate((60, 100), ((20, 10), (5, 15)))
    assert rate == pytest.approx(0.7)
    spread = 1.959964 * math.sqrt(0.24 / 100 + (15 / 50 - 0.01) / 50)
    assert (interval.low, interval.high) == pytest.approx((0.7 - spread, 0.7 + spread), abs=1e-6)
    assert prediction_powered_rate((0, 0), ((1, 0), (0, 1))) is None


def test_a_corrected_rate_stays_a_rate():
    rate, interval = prediction_powered_rate((99, 100), ((5, 5), (0, 0)))
    assert (rate, interval.high) == (1.0, 1.0)


def test_pearson_of_numbers_too_large_to_square():
    near = [(1.0, 1.0), (2.0, 2.0), (3.0, 2.5)]
    for one, other in ((1e300, 1.0), (1.0, 1e300), (1e-300, 1.0), (1.0, 1e-300)):
        far = {(x * one, y * other): 1 for x, y in near}
        assert pearson(far) == pytest.approx(stats.pearsonr(*zip(*near, strict=True)).statistic, abs=1e-12)

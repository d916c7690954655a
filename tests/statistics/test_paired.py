"""Paired tests against SciPy and enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from handler.statistics import cohens_dz, holm, mcnemar_p, sign_flip_p, superiority


@pytest.mark.parametrize(("one", "other"), [(3, 12), (0, 6), (7, 7), (40, 61), (1, 0), (0, 0)])
def test_mcnemar_is_the_binomial_test(one, other):
    expected = stats.binomtest(one, one + other).pvalue if one + other else 1.0
    assert mcnemar_p(one, other) == pytest.approx(expected)


def test_few_clusters_are_enumerated():
    sums = [0.3, -0.1, 0.25, 0.4, 0.05, 0.2]
    flips = [
        abs(sum(a * b for a, b in zip(signs, sums, strict=True))) for signs in itertools.product((1, -1), repeat=6)
    ]
    assert sign_flip_p(sums) == pytest.approx(np.mean([one >= abs(sum(sums)) - 1e-12 for one in flips]))
    assert sign_flip_p([1, 1, 1, 1, 1]) == 2 / 32


def test_many_clusters_are_drawn_as_scipy_draws_them():
    sums = np.random.default_rng(1).normal(0.15, 1, 60)
    expected = stats.permutation_test(
        (sums,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(2)
    ).pvalue
    assert sign_flip_p(sums) == pytest.approx(expected, abs=0.02)
    assert sign_flip_p(np.full(60, 1.0)) == 1 / 10_000


def test_no_difference_is_certain():
    assert sign_flip_p([0.0] * 50) == 1
    assert sign_flip_p([]) == 1


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1, 1]
    assert holm([]) == []


def test_effects():
    assert cohens_dz([1, 2, 3]) == pytest.approx(2)
    assert cohens_dz([0, 0, 0]) == 0
    assert cohens_dz([0.1, 0.1, 0.1]) is None
    assert cohens_dz([1]) is None
    assert superiority(6, 2, 2) == pytest.approx(0.7)
    assert superiority(0, 0, 0) is None

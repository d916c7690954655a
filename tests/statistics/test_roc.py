"""ROC, AUC, precision and recall against SciPy and hand arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from handler.statistics import auc, auc_interval, average_precision, isotonic, logistic, precision_recall, roc

SCORES = [0.9, 0.8, 0.8, 0.6, 0.4, 0.3]
LABELS = [True, True, False, True, False, False]


def test_counts_by_hand():
    curve = roc(SCORES, LABELS)
    assert curve.thresholds.tolist() == [0.9, 0.8, 0.6, 0.4, 0.3]
    assert curve.true_positives.tolist() == [1, 2, 3, 3, 3]
    assert curve.false_positives.tolist() == [0, 1, 1, 2, 3]
    assert (curve.n_true, curve.n_false) == (3, 3)
    precision, recall = precision_recall(curve)
    assert precision.tolist() == pytest.approx([1, 2 / 3, 3 / 4, 3 / 5, 1 / 2])
    assert recall.tolist() == pytest.approx([1 / 3, 2 / 3, 1, 1, 1])
    assert average_precision(curve) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_auc_by_hand():
    """Of nine pairs, 0.9 wins 3, 0.8 wins 2 and ties 1, 0.6 wins 2: 7.5 / 9."""
    assert auc(SCORES, LABELS) == pytest.approx(7.5 / 9)


@pytest.mark.parametrize("seed", range(5))
def test_auc_is_mann_whitney(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=300).round(1)
    labels = rng.random(300) < 0.4
    statistic = stats.mannwhitneyu(scores[labels], scores[~labels]).statistic
    assert auc(scores, labels) == pytest.approx(statistic / (labels.sum() * (~labels).sum()))
    assert auc(-scores, labels) == pytest.approx(1 - auc(scores, labels))


def test_one_class_has_no_auc():
    assert auc([0.1, 0.2], [True, True]) is None
    assert auc([], []) is None
    assert auc_interval([0.1, 0.2], [True, True], ["a", "b"]) is None
    assert average_precision(roc([0.1], [False])) is None


def test_no_interval_where_nothing_spreads():
    assert auc_interval([0.1, 0.2, 0.8, 0.9], [False, False, True, True], list("abcd")) is None  # no mistake
    assert auc_interval([0.1, 0.9, 0.8, 0.2], [False, False, True, True], list("aaaa")) is None  # one cluster
    assert auc_interval([0.1, 0.9, 0.8, 0.2], [False, False, True, True], list("aabb")) is None  # a class each


def test_bad_scores_are_refused():
    with pytest.raises(ValueError, match="finite"):
        roc([0.1, math.nan], [True, False])
    with pytest.raises(ValueError, match="one per label"):
        auc([0.1], [True, False])


def test_independent_frames_have_delongs_error():
    """With one frame a cluster the interval is DeLong's, worked out here from the placements."""
    rng = np.random.default_rng(2)
    labels = rng.random(400) < 0.5
    scores = rng.normal(size=400) + labels
    ones, others = scores[labels], scores[~labels]
    wins = (ones[:, None] > others[None, :]).mean(axis=1), (ones[:, None] > others[None, :]).mean(axis=0)
    error = math.sqrt(sum(one.var(ddof=1) / len(one) for one in wins))
    interval = auc_interval(scores, labels, range(400))
    assert interval.method == "cluster-bootstrap"
    assert (interval.high - interval.low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_frames_of_a_session_told_twice_tell_nothing_new():
    rng = np.random.default_rng(4)
    labels = rng.random(200) < 0.5
    scores = rng.normal(size=200) + labels
    sessions = np.arange(200) % 20
    once = auc_interval(scores, labels, sessions.tolist())
    twice = auc_interval(np.tile(scores, 2), np.tile(labels, 2), np.tile(sessions, 2).tolist())
    assert once.method == "cluster-jackknife-t-logit"
    assert twice[:2] == pytest.approx(once[:2])
    independent = auc_interval(np.tile(scores, 2), np.tile(labels, 2), range(400))
    assert independent.high - independent.low < 0.8 * (once.high - once.low)


def test_a_rare_class_in_many_sessions_is_jackknifed():
    """Two of 40 sessions have all that is true, so one resample in eight would have none of it."""
    from scipy import stats

    scores = np.array([0.9, 0.4, *np.linspace(0, 1, 38)])
    labels, sessions = np.arange(40) < 2, np.arange(40)

    def area(kept):
        ones, others = scores[kept & labels], scores[kept & ~labels]
        return float((ones[:, None] > others[None, :]).mean())

    whole = area(sessions >= 0)
    without = np.array([area(sessions != one) for one in sessions])
    error = math.sqrt(39 / 40 * ((without - without.mean()) ** 2).sum())
    half = stats.t.ppf(0.975, 39) * error / (whole * (1 - whole))
    expected = [1 / (1 + math.exp(-(math.log(whole / (1 - whole)) + side * half))) for side in (-1, 1)]
    interval = auc_interval(scores, labels, sessions.tolist())
    assert interval.method == "cluster-jackknife-t-logit"
    assert interval[:2] == pytest.approx(expected)


def test_isotonic_is_scipys():
    from scipy.optimize import isotonic_regression

    rng = np.random.default_rng(7)
    scores = rng.normal(size=500)
    labels = rng.random(500) < 1 / (1 + np.exp(-2 * scores))
    order = np.argsort(scores)
    steps = isotonic(scores, labels)
    assert steps.at(scores[order]) == pytest.approx(isotonic_regression(labels[order].astype(float)).x)
    assert steps.at([-99, 99]).tolist() == [steps.probabilities[0], steps.probabilities[-1]]


def test_isotonic_pools_ties_and_draws_lines_between_blocks():
    steps = isotonic([1, 1, 2, 3, 3], [False, True, False, True, True])
    assert (steps.lows, steps.highs, steps.probabilities) == ([1, 3], [2, 3], [1 / 3, 1])
    assert steps.at([2.5]) == pytest.approx([2 / 3])


def test_logistic_is_the_minimum_of_platts_loss():
    from scipy.optimize import minimize

    rng = np.random.default_rng(9)
    scores = rng.normal(0.6, 0.2, 400)
    labels = rng.random(400) < 1 / (1 + np.exp(-(9 * scores - 5)))
    targets = np.where(labels, (labels.sum() + 1) / (labels.sum() + 2), 1 / ((~labels).sum() + 2))

    def loss(beta):
        margin = beta[0] + beta[1] * scores
        return np.sum(np.logaddexp(0, margin) - targets * margin)

    assert tuple(logistic(scores, labels)) == pytest.approx(minimize(loss, [0, 0], tol=1e-12).x, abs=1e-3)


def gradient_of(line, scores, labels):
    """Of Platt's loss, per sample, in standard deviations of the score."""
    scores, labels = np.array(scores, float), np.array(labels)
    targets = np.where(labels, (labels.sum() + 1) / (labels.sum() + 2), 1 / ((~labels).sum() + 2))
    rests = 1 / (1 + np.exp(-np.clip(line.intercept + line.slope * scores, -700, 700))) - targets
    return [rests.mean(), (rests * (scores - scores.mean()) / scores.std()).mean()]


def test_logistic_reaches_its_minimum_where_two_scores_lie_far_from_many_close_ones():
    scores, labels = [0.5] * 499 + [0.501] * 499 + [0, 1], [False] * 499 + [True] * 499 + [False, True]
    assert gradient_of(logistic(scores, labels), scores, labels) == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("away", [3e2, 1e3, 1e4, 1e6])
def test_logistic_reaches_its_minimum_however_far_a_score_lies_away(n, away):
    scores = [*np.linspace(-1, 1, n), away]
    labels = [one > 0 for one in scores]
    assert gradient_of(logistic(scores, labels), scores, labels) == pytest.approx([0, 0], abs=1e-8)


def test_logistic_stays_finite_where_classes_part():
    line = logistic([1, 2, 3, 4], [False, False, True, True])
    assert line.slope > 0
    assert line.at([2.5]) == pytest.approx([0.5])
    assert 0 <= line.at([-1e9])[0] < 1e-6
    assert logistic([1, 1], [True, False]) is None
    assert logistic([1, 2], [True, True]) is None

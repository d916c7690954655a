"""How well a score tells two classes apart. Labels are true or false; a higher score speaks for true."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.statistics._clusters import (
    FEW_CLUSTERS,
    MOST_CLUSTERS,
    cluster_codes,
    expanded_percentiles,
    pool_clusters,
    resampled,
)
from handler.statistics._intervals import Interval, student_t_quantile

__all__ = ["Curve", "auc", "auc_interval", "average_precision", "precision_recall", "roc"]

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]
Integers = NDArray[np.int64]


class Curve(NamedTuple):
    """What falls on which side of each threshold, from the highest score down; "positive" is score >= threshold.

    thresholds: the distinct scores. true_positives, false_positives: counts at each. n_true, n_false: labels in all.
    """

    thresholds: Floats
    true_positives: Integers
    false_positives: Integers
    n_true: int
    n_false: int


def roc(scores: Sequence[float] | Floats, labels: Sequence[bool] | Labels) -> Curve:
    """The counts behind the ROC and the precision-recall curve. Rates: true_positives / n_true, false_positives / n_false.

    Raises ValueError where lengths differ or a score is not finite.
    """
    values, truths = _arrays(scores, labels)
    order = np.argsort(-values, kind="stable")
    values, truths = values[order], truths[order]
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True)) if len(values) else np.array([], np.int64)
    hits = np.cumsum(truths, dtype=np.int64)[last]
    return Curve(values[last], hits, last + 1 - hits, int(truths.sum()), int((~truths).sum()))


def precision_recall(curve: Curve) -> tuple[Floats, Floats]:
    """Precision and recall of "positive" at each threshold of the curve. Recall is 0 where nothing is true."""
    found = curve.true_positives.astype(np.float64)
    return found / (curve.true_positives + curve.false_positives), found / max(1, curve.n_true)


def average_precision(curve: Curve) -> float | None:
    """Precision averaged over the steps of recall, without interpolation; None where nothing is true."""
    if not curve.n_true:
        return None
    precision, recall = precision_recall(curve)
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


def auc(scores: Sequence[float] | Floats, labels: Sequence[bool] | Labels) -> float | None:
    """The area under the ROC curve: how often a true sample scores above a false one, ties half. None of one class only.

    Source: J. A. Hanley and B. J. McNeil, Radiology 143 (1982).
    """
    values, truths = _arrays(scores, labels)
    if truths.all() or not truths.any():
        return None
    return float(_placements(values[truths], np.sort(values[~truths])).mean())


def auc_interval(
    scores: Sequence[float] | Floats,
    labels: Sequence[bool] | Labels,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> Interval | None:
    """The interval of the AUC of clustered samples; None of one class only, under 2 clusters, where one cluster holds a
    whole class, or where the classes are told apart without a mistake: there is no spread to go by then.

    method: cluster-bootstrap from 30 clusters on (expanded percentiles, as `cluster_mean_interval`). With fewer
    cluster-jackknife-t-logit: Student's t with clusters - 1 degrees on the logit of the AUC, its error from leaving out one
    cluster at a time (clustered ROC curves: N. A. Obuchowski, Biometrics 53, 1997).
    """
    values, truths = _arrays(scores, labels)
    codes = cluster_codes(clusters)
    area = auc(values, truths)
    n_clusters = int(codes.max(initial=-1)) + 1
    if area is None or area in (0.0, 1.0) or n_clusters < 2:
        return None
    counts, wins = _wins(values, truths, pool_clusters(codes))
    if n_clusters >= FEW_CLUSTERS:
        replicates = _bootstrap(counts, wins)
        if replicates is not None:
            low, high = expanded_percentiles(replicates, min(n_clusters, MOST_CLUSTERS), level=level)
            return Interval(min(low, area), max(high, area), level, "cluster-bootstrap")
    error = _jackknife_error(counts, wins)
    if error is None:
        return None
    half = student_t_quantile(0.5 + level / 2, len(wins) - 1) * error / (area * (1 - area))
    middle = math.log(area / (1 - area))
    return Interval(_logistic(middle - half), _logistic(middle + half), level, "cluster-jackknife-t-logit")


def _arrays(scores: Sequence[float] | Floats, labels: Sequence[bool] | Labels) -> tuple[Floats, Labels]:
    values, truths = np.asarray(scores, np.float64), np.asarray(labels, np.bool_)
    if values.shape != truths.shape or not np.isfinite(values).all():
        raise ValueError("scores must be finite, one per label")
    return values, truths


def _placements(ones: Floats, others: Floats) -> Floats:
    """Per one, the share of the sorted others below it, ties half."""
    below = np.searchsorted(others, ones, "left") + np.searchsorted(others, ones, "right")
    return below / (2.0 * len(others))


def _wins(values: Floats, truths: Labels, codes: Integers) -> tuple[Floats, Floats]:
    """(clusters, 2) true and false samples; (clusters, clusters) how often the one's true beat the other's false ones."""
    rising = np.argsort(values, kind="stable")  # sorted keys are found much faster
    values, truths, codes = values[rising], truths[rising], codes[rising]
    n_clusters = int(codes.max()) + 1
    ones, others = values[truths], values[~truths]
    wins = np.zeros((n_clusters, n_clusters))
    for cluster in range(n_clusters):
        mine = others[codes[~truths] == cluster]
        if len(mine):
            wins[:, cluster] = np.bincount(codes[truths], _placements(ones, mine) * len(mine), n_clusters)
    counts: Floats = np.column_stack(
        [np.bincount(codes[side], minlength=n_clusters) for side in (truths, ~truths)]
    ).astype(np.float64)
    return counts, wins


def _bootstrap(counts: Floats, wins: Floats) -> Floats | None:
    """AUCs of resampled clusters; None where too many resamples lack a class."""
    found, n = [], 0
    for weights, drawn in resampled(np.column_stack([counts, wins])):
        n += len(weights)
        pairs = drawn[:, 0] * drawn[:, 1]
        # drawn[:, 2:] is weights @ wins: the wins over each cluster's false samples
        won = np.einsum("ij,ij->i", drawn[:, 2:], weights)
        found.append(won[pairs > 0] / pairs[pairs > 0])
    areas = np.concatenate(found)
    return areas if len(areas) >= 0.99 * n else None


def _jackknife_error(counts: Floats, wins: Floats) -> float | None:
    rest = counts.sum(axis=0) - counts
    pairs = rest[:, 0] * rest[:, 1]
    if not pairs.all():
        return None
    won = wins.sum() - wins.sum(axis=0) - wins.sum(axis=1) + wins.diagonal()
    areas, n = won / pairs, len(wins)
    return math.sqrt((n - 1) / n * float(((areas - areas.mean()) ** 2).sum()))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))

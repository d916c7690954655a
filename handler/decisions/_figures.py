"""What a threshold does on rows that did not choose it: rates of error with intervals, AUC, curves, slices."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.decisions._labelled import Part
from handler.decisions._thresholds import counts_by_group
from handler.statistics import (
    Curve,
    Interval,
    auc,
    auc_interval,
    average_precision,
    cluster_function_interval,
    cluster_mean_interval,
    precision_recall,
    roc,
)

__all__ = ["curves", "figures_at", "ranking", "slice_figures"]

MOST_POINTS = 200  # of a curve, as drawn
ENOUGH_PER_CLASS = 20  # frames of each verdict, for a slice to be worth figures

Floats = NDArray[np.float64]


def figures_at(part: Part, cut: float) -> dict[str, Any]:
    """Counts and rates with intervals by group; a rate without denominator is None, as is an interval of one group.

    hits: hallucinations flagged. misses: hallucinations let through. false_alarms: good frames flagged. passes: the rest.
    """
    columns = counts_by_group(part, cut)
    hits, misses, alarms, passes = (float(one) for one in columns.sum(axis=0))
    of = {
        "miss_rate": (columns[:, 1], columns[:, 0] + columns[:, 1]),
        "false_alarm_rate": (columns[:, 2], columns[:, 2] + columns[:, 3]),
        "precision": (columns[:, 0], columns[:, 0] + columns[:, 2]),
        "recall": (columns[:, 0], columns[:, 0] + columns[:, 1]),
        "f1": (2 * columns[:, 0], 2 * columns[:, 0] + columns[:, 1] + columns[:, 2]),
        "accuracy": (columns[:, 0] + columns[:, 3], columns.sum(axis=1)),
        "hallucination_rate": (columns[:, 0] + columns[:, 1], columns.sum(axis=1)),
        "flagged_rate": (columns[:, 0] + columns[:, 2], columns.sum(axis=1)),
    }
    rates = {name: float(top.sum() / below.sum()) if below.sum() else None for name, (top, below) in of.items()}
    miss, alarm = rates["miss_rate"], rates["false_alarm_rate"]
    balanced = 1 - (miss + alarm) / 2 if miss is not None and alarm is not None else None
    intervals = {name: cluster_mean_interval(top, below, low=0, high=1) for name, (top, below) in of.items()}
    intervals["balanced_accuracy"] = cluster_function_interval(columns, _balanced, low=0, high=1)
    return {
        "n": int(columns.sum()),
        "n_groups": part.n_groups,
        "hits": int(hits),
        "misses": int(misses),
        "false_alarms": int(alarms),
        "passes": int(passes),
        "balanced_accuracy": balanced,
        **rates,
        "intervals": {name: _document(one) for name, one in intervals.items()},
    }


def ranking(part: Part) -> dict[str, Any]:
    """AUC with its interval, and average precision: how well the score orders frames, whatever the threshold."""
    groups: Sequence[Hashable] = part.codes.tolist()
    return {
        "auc": auc(part.danger, part.different),
        "average_precision": average_precision(roc(part.danger, part.different)),
        "intervals": {"auc": _document(auc_interval(part.danger, part.different, groups))},
    }


def curves(part: Part, *, higher_is_better: bool) -> dict[str, Any]:
    """ROC as [false alarm rate, recall, score] and precision-recall as [recall, precision, score], at most 200 points."""
    curve = roc(part.danger, part.different)
    if not curve.n_true or not curve.n_false:
        return {"roc": [], "precision_recall": []}
    precision, recall = precision_recall(curve)
    alarms = curve.false_positives / curve.n_false
    scores = -curve.thresholds if higher_is_better else curve.thresholds
    places = _places(curve)
    return {
        "roc": [[0.0, 0.0, None], *(_point(alarms[k], recall[k], scores[k]) for k in places)],
        "precision_recall": [_point(recall[k], precision[k], scores[k]) for k in places],
    }


def slice_figures(part: Part, cut: float) -> dict[str, Any]:
    """Figures of a part of the held-out rows; too small a slice says so instead."""
    n_bad, n_good = int(part.different.sum()), int((~part.different).sum())
    counts: dict[str, Any] = {"n": n_bad + n_good, "n_different": n_bad, "n_same": n_good}
    if min(n_bad, n_good) < ENOUGH_PER_CLASS:
        return {**counts, "reason": f"fewer than {ENOUGH_PER_CLASS} held-out frames of each verdict"}
    figures, ordered = figures_at(part, cut), ranking(part)
    figures["intervals"] |= ordered.pop("intervals")
    return {**counts, **figures, **ordered}


def _balanced(sums: Floats) -> Floats:
    hits, misses, alarms, passes = sums.T
    balanced: Floats = (hits / (hits + misses) + passes / (passes + alarms)) / 2
    return balanced


def _document(interval: Interval | None) -> dict[str, Any] | None:
    return interval._asdict() if interval is not None else None


def _places(curve: Curve) -> list[int]:
    n = len(curve.thresholds)
    return [int(one) for one in np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round())]


def _point(x: float, y: float, score: float) -> list[float | None]:
    return [round(float(x), 6), round(float(y), 6), round(float(score), 6)]

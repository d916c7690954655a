"""Boosted trees and a logistic model by scikit-learn, as the plain arrays of `handler.claims`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.claims._trees import Model, Trees

__all__ = ["LOGISTIC_C", "SETTINGS", "fit_model", "plain_trees"]

# Chosen on the dev part of SugarCrepe++ and on pairs made from captions of its images.
SETTINGS = {
    "learning_rate": 0.06,
    "max_iter": 250,
    "max_leaf_nodes": 15,
    "max_depth": 7,
    "min_samples_leaf": 40,
    "l2_regularization": 1.0,
    "max_features": 0.5,
    "random_state": 0,
}
LOGISTIC_C = 0.1  # inverse strength of the penalty, of features of unit spread


def fit_model(rows: NDArray[np.float64], labels: NDArray[np.bool_], weights: NDArray[np.float64]) -> Model:
    """Gradient boosting and logistic regression, on one thread: sums in another order would be other bits."""
    ensemble, linear_model = import_module("sklearn.ensemble"), import_module("sklearn.linear_model")
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread == 0] = 1.0
    with import_module("threadpoolctl").threadpool_limits(limits=1):
        boosted = ensemble.HistGradientBoostingClassifier(**SETTINGS).fit(rows, labels, weights)
        logistic = linear_model.LogisticRegression(C=LOGISTIC_C, max_iter=2000)
        logistic.fit((rows - middle) / spread, labels, weights)
    slopes = np.asarray(logistic.coef_[0] / spread, np.float32).astype(np.float64)
    return Model(plain_trees(boosted), slopes, float(logistic.intercept_[0] - middle @ slopes))


def plain_trees(model: Any) -> Trees:
    """A fitted binary HistGradientBoostingClassifier. Leaf values as float32, as they are kept."""
    roots: list[int] = []
    feature: list[int] = []
    limit: list[float] = []
    children: list[int] = []
    value: list[float] = []
    depth = 0
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        first = len(feature)
        roots.append(first)
        for at, node in enumerate(nodes):
            leaf = bool(node["is_leaf"])
            feature.append(0 if leaf else int(node["feature_idx"]))
            limit.append(0.0 if leaf else float(node["num_threshold"]))
            children += [first + at] * 2 if leaf else [first + int(node["left"]), first + int(node["right"])]
            value.append(float(node["value"]) if leaf else 0.0)
            depth = max(depth, int(node["depth"]))
    return Trees(
        roots=np.array(roots, np.int32),
        feature=np.array(feature, np.int32),
        limit=np.array(limit, np.float64),
        children=np.array(children, np.int32),
        value=np.array(value, np.float32).astype(np.float64),
        base=float(np.ravel(model._baseline_prediction)[0]),
        depth=depth,
    )

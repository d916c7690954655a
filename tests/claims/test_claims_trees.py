"""Trees as arrays: against a tree walked by hand and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from handler.claims._trees import Trees, evaluate_trees


def test_a_row_falls_into_the_leaf_that_its_features_lead_to():
    """One tree: feature 1 at most 0.5 gives 1; else feature 0 at most 2 gives -2, more gives 4. One stump beside it."""
    trees = Trees(
        roots=np.array([0, 5], np.int32),
        feature=np.array([1, 0, 0, 0, 0, 0, 0, 0], np.int32),
        limit=np.array([0.5, 0, 2.0, 0, 0, -1.0, 0, 0]),
        children=np.array([1, 2, 1, 1, 3, 4, 3, 3, 4, 4, 6, 7, 6, 6, 7, 7], np.int32),
        value=np.array([0, 1.0, 0, -2.0, 4.0, 0, 10.0, 20.0]),
        base=0.25,
        depth=2,
    )
    rows = np.array([[9.0, 0.5], [2.0, 0.6], [2.5, 0.6], [-1.0, 0.0]])
    assert evaluate_trees(trees, rows).tolist() == [21.25, 18.25, 24.25, 11.25]
    assert evaluate_trees(trees, rows[2:3]).tolist() == [24.25]


def test_the_arrays_say_what_the_fitted_model_says():
    ensemble = pytest.importorskip("sklearn.ensemble")
    from model_export.claims.fitting import plain_trees

    random = np.random.default_rng(4)
    rows = random.normal(size=(900, 6))
    labels = rows[:, 0] * rows[:, 1] + 0.3 * random.normal(size=900) > 0
    model = ensemble.HistGradientBoostingClassifier(max_iter=30, max_depth=5, random_state=0).fit(rows, labels)
    fresh = random.normal(size=(500, 6))
    fresh[:50] = np.round(fresh[:50])
    assert evaluate_trees(plain_trees(model), fresh) == pytest.approx(model.decision_function(fresh), abs=1e-5)

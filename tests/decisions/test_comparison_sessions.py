"""Comparisons of a few sessions, against SciPy: how sure they can be, and what is said of it."""

from __future__ import annotations

import pytest
import scipy.stats

from handler.decisions.comparison import compare, render_comparison
from tests.decisions.compared import row, write


def test_few_sessions_are_tested_by_students_t(tmp_path):
    differences = {"s0": [-0.10, -0.12], "s1": [-0.08, -0.10], "s2": [-0.11, -0.13]}
    before = [row(f"{s}{n}", {"vision.similarity": 0.8}, session=s) for s in differences for n in range(2)]
    after = [
        row(f"{s}{n}", {"vision.similarity": 0.8 + each}, session=s)
        for s, two in differences.items()
        for n, each in enumerate(two)
    ]
    found = compare(write(tmp_path / "a", before), write(tmp_path / "b", after))
    assert "only 3 sessions: samples of one count together" in render_comparison(found)
    one = found["comparisons"][0]
    theirs = scipy.stats.ttest_1samp([-0.11, -0.09, -0.12], 0)
    assert (one["p_method"], one["interval"]["method"]) == ("cluster-t", "cluster-t")
    assert one["p"] == pytest.approx(theirs.pvalue)
    low, high = theirs.confidence_interval(0.95)
    assert (one["interval"]["low"], one["interval"]["high"]) == pytest.approx((low, high))


def test_two_sessions_show_no_difference_of_rates_beyond_all_frames(tmp_path):
    """Differences of 0.2 and -0.4: Student's t with 1 degree would give -0.1 +- 12.7 * 0.3, and shares end at 1."""
    frames = [(session, n) for session in ("s0", "s1") for n in range(5)]
    sides = [
        write(
            tmp_path / name,
            [row(f"{s}{n}", {"vision.hallucination": float(n < wrong[s])}, session=s) for s, n in frames],
        )
        for name, wrong in (("a", {"s0": 1, "s1": 3}), ("b", {"s0": 2, "s1": 1}))
    ]
    document = compare(*sides)
    one = document["comparisons"][0]
    assert one["difference"] == pytest.approx(-0.1)
    assert (one["interval"]["low"], one["interval"]["high"]) == (-1, 1)
    assert "few_sessions" in {mind["code"] for mind in document["warnings"]}
    shown = render_comparison(document)
    assert "-100.0 pp to +100.0 pp" in shown
    assert "These 10 samples in 2 sessions are too few to show any difference" in shown

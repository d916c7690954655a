"""Rows with scores and verdicts whose truth is known."""

from __future__ import annotations

import numpy as np

from handler.decisions import CalibrationPlan, MetricFacts, calibration_of, parse_aim

SIMILARITY = "vision.similarity"
SIGNATURE = "vision.similarity|version:1|model:m@abc|mode:strict"


def judged_rows(n=600, *, n_sessions=30, apart=2.0, seed=0, columns=None):
    """Similarities 0.5 for hallucinations and 0.5 + apart * 0.1 for good frames, spread 0.1; half are hallucinations."""
    rng = np.random.default_rng(seed)
    rows = []
    for n_row in range(n):
        bad = bool(rng.random() < 0.5)
        score = 0.5 + (0 if bad else 0.1 * apart) + 0.1 * rng.normal()
        rows.append(
            row(n_row, score, "different" if bad else "same", session=f"cam-{n_row % n_sessions}", **(columns or {}))
        )
    return rows


def row(index, score, verdict, *, session="s", assistant="vlm", tags=None, metric=SIMILARITY, **columns):
    return {
        "index": index,
        "session_id": session,
        "assistant_id": assistant,
        "sample_id": f"f{index}",
        "tags": tags or {},
        "columns": {"human_verdict": verdict, **columns},
        "metrics": {metric: {"state": "scored", "score": score}},
    }


def calibrated(rows, aim="balanced_accuracy", *, higher_is_better=True, **plan):
    facts = {SIMILARITY: MetricFacts(SIGNATURE, higher_is_better, "m@abc", ("vision.hallucination",))}
    source = {"name": "rows", "content": "0" * 16}
    return calibration_of(rows, facts, CalibrationPlan(aim=parse_aim(aim), **plan), source=source)

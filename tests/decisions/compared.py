"""Result folders made by hand, and comparisons of made-up scores by the thousand."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from unittest.mock import patch

import numpy as np

from handler.decisions.comparison._document import document_of
from handler.decisions.comparison._figures import figures_of
from handler.decisions.comparison._pairs import pair_up
from handler.decisions.comparison._rows import read_columns
from handler.decisions.comparison._runs import open_run

RULES = {"joined_by": ["sample_id"], "unit": "session_id", "metrics_named": False, "tolerance": 0.0}


def row(sample_id, scores, *, session="s", assistant="m", tags=None, **fields):
    """A row of samples.jsonl. scores: {metric: score, or the metric's part of the row}."""
    metrics = {
        name: one if isinstance(one, dict) else {"state": "skipped" if one is None else "scored", "score": one}
        for name, one in scores.items()
    }
    known = {"session_id": session, "assistant_id": assistant, "sample_id": sample_id, "tags": tags or {}}
    return {**known, "metrics": metrics, **fields}


def similar(scores, **fields):
    """Rows of vision.similarity, f0, f1, …"""
    return [row(f"f{n}", {"vision.similarity": one}, **fields) for n, one in enumerate(scores)]


def write(folder, rows, *, signature=None, worst=(), name="frames.jsonl", content="c0ffee"):
    """A finished result folder with these rows."""
    folder = Path(folder)
    folder.mkdir(parents=True)
    rows = [{"index": index, **one} for index, one in enumerate(rows)]
    (folder / "samples.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows), encoding="utf-8")
    (folder / "errors.jsonl").write_text("")
    sessions = dict.fromkeys((one["session_id"], one["assistant_id"]) for one in rows)
    metrics = {
        metric: {
            "sessions": [{"session_id": session, "assistant_id": one} for session, one in sessions],
            "groups": [],
            "overall": {},
            "worst": list(worst),
        }
        for metric in dict.fromkeys(name for one in rows for name in one["metrics"])
    }
    report = {
        "schema": "scenescore.report/1",
        "input": {"name": name, "location": None, "content": content, "bytes": 1},
        "signature": signature or {metric: f"{metric}|version:1|mode:strict" for metric in metrics},
        "counts": {"n_samples": len(rows), "n_sessions": 1, "n_unreadable": 0},
        "metrics": metrics,
        "warnings": [],
    }
    (folder / "report.json").write_text(json.dumps(report))
    return str(folder)


class Simulation:
    """Ten cameras with as many frames and sessions each, compared again and again with new scores.

    split: frames get their camera by lot instead, whatever their session.
    """

    def __init__(self, folder, *, n_cameras=10, frames=500, sessions=25, split=None):
        self.camera = np.repeat(np.arange(n_cameras), frames)
        self.session = self.camera * sessions + np.tile(np.arange(frames) % sessions, n_cameras)
        if split is not None:
            self.camera = split.permutation(self.camera)
        rows = [
            row(f"f{n}", {"vision.similarity": 0.5}, session=f"s{session}", tags={"camera": str(camera)})
            for n, (camera, session) in enumerate(zip(self.camera, self.session, strict=True))
        ]
        run = open_run(write(folder, rows))
        self._figure = figures_of("vision.similarity")
        self._sides = [
            read_columns(run, [self._figure], on=["sample_id"], group_by=["sample_id"])[""] for _ in range(2)
        ]

    def compare(self, baseline, candidate, *, group_by=("camera",)):
        """comparison.json of these scores."""
        for side, scores in zip(self._sides, (baseline, candidate), strict=True):
            side._scores[self._figure] = array("d", np.column_stack([scores, np.ones(len(scores))]).ravel())
        pairing = pair_up(*self._sides, names=("a", "b"), on=["sample_id"], cluster_by="session_id")
        # no verdict rests on an interval, and bootstrapping one takes most of the time
        with patch("handler.decisions.comparison._paired.cluster_mean_interval", return_value=None):
            return document_of([pairing], [self._figure], RULES, group_by)

    def scores(self, rng, *, drop=0.0, spread=0.1, of_sessions=0.0, camera=7):
        """Both sides' scores. spread: standard deviation of a frame's difference; of_sessions: of what a session's frames
        share of it. drop: what the camera loses."""
        shared = rng.normal(0.7, 0.1, len(self.camera))
        moved = rng.normal(0, spread, len(shared)) + rng.normal(0, of_sessions, self.session.max() + 1)[self.session]
        return shared, shared + moved - drop * (self.camera == camera)


def flagged(document, verdict="worse"):
    """The cameras named."""
    return [one["value"] for one in document["comparisons"][0]["slices"] if one["verdict"] == verdict]

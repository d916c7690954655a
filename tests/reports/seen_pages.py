"""Pages as a parser sees them, and the calibration and comparison that they show."""

from __future__ import annotations

import json
from html.parser import HTMLParser

from handler.decisions._calibration_file import sealed


class Seen(HTMLParser):
    """Elements, and the text of scripts, styles and everything else."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.blocks, self.texts, self.inside = [], [], [], None
        self.feed(html)

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        self.inside = name if name in ("script", "style") else None

    def handle_endtag(self, name):
        self.inside = None

    def handle_data(self, data):
        (self.blocks if self.inside else self.texts).append(data)

    def named(self, name):
        return [attributes for found, attributes in self.elements if found == name]


def page_of(folder):
    with open(f"{folder}/report.html", encoding="utf-8") as file:
        return file.read()


def data_of(seen):
    return json.loads(next(block for block in seen.blocks if block.startswith("{")))


RATES = {"n": 40, "hits": 9, "miss_rate": 0.1, "false_alarm_rate": 0.2, "recall": 0.9, "precision": 0.75}
MISSED = {"low": 0.02, "high": 0.3, "level": 0.95, "method": "cluster-t"}
UNSEALED = {
    "schema": "scenescore.calibration/1",
    "calibrated": True,
    "aim": "balanced_accuracy",
    "metrics": {
        "vision.similarity": {
            "signature": "vision.similarity|version:1|mode:strict",
            "calibrated": True,
            "reasons": [],
            "threshold": 0.61,
            "flags": "scores below the threshold",
            "interval": {"low": 0.55, "high": 0.7, "level": 0.95, "method": "cluster-bootstrap"},
            "held_out": {**RATES, "intervals": {"miss_rate": MISSED}},
            "calibration": {**RATES, "n": 41},
            "roc": [[0.0, 0.0, None], [0.2, 0.9, 0.61], [1.0, 1.0, 1.0]],
            "probability": {
                "method": "logistic",
                "intercept": 3.0,
                "slope": -5.0,
                "reliability": {"bins": [{"probability": 0.5, "share_different": 0.25, "interval": MISSED}]},
            },
            "slices": [{"by": "camera", "value": "<b>7</b>", "n": 12, "miss_rate": 0.5}],
        }
    },
}
CALIBRATION = sealed(UNSEALED)
COMPARISON = {
    "schema": "scenescore.comparison/1",
    "summary": "B is worse than A.",
    "comparisons": [
        {
            "candidate": "B",
            "metric": "vision.hallucination",
            "figure": "hallucination_rate",
            "is_rate": True,
            "baseline_value": 0.1,
            "candidate_value": 0.15,
            "difference": 0.05,
            "interval": {"low": 0.01, "high": 0.09, "level": 0.95, "method": "cluster-t"},
            "p_corrected": 0.0004,
            "n_samples": 500,
            "verdict": "worse",
            "wins": 3,
            "ties": 480,
            "losses": 17,
            "slices": [{"by": "camera", "value": "7", "verdict": "worse", "difference": 0.3, "n_samples": 50}],
            "regressed": [
                {"session_id": "s", "sample_id": "<i>1</i>", "candidate_answer": "No one.", "references": ["A man."]}
            ],
        }
    ],
    "matching": [{"candidate": "B", "n_matched": 500, "n_only_baseline": 2, "n_only_candidate": 0}],
}

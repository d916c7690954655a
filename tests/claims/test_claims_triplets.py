"""Triplets of the project's own, written once the judge was trained and never used to choose anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handler.claims import DEFAULT_THRESHOLD, LAYERS
from model_export.claims.encoding import Encodings
from model_export.claims.figures import Judged, figures_of_triplets


@pytest.fixture(scope="module")
def figures(encoder, tmp_path_factory):
    lines = (Path(__file__).parent / "triplets.jsonl").read_text("utf-8").splitlines()
    judged = Judged(Encodings(encoder, tmp_path_factory.mktemp("encodings"), layers=LAYERS))
    return dict(figures_of_triplets(judged, [json.loads(line) for line in lines], DEFAULT_THRESHOLD))


def test_contradictions_rank_above_paraphrases(figures):
    """Cosine alone ranks such pairs at 0.5 to 0.7."""
    assert figures["AUC, minimal edits"] >= 0.93
    assert figures["AUC, all contradictions"] >= 0.9


def test_few_paraphrases_are_called_contradictions_and_edits_are_named(figures):
    """24 paraphrases: 3 false alarms are within what 6 % may give by chance."""
    assert figures["false alarms"] <= 3 / 24
    assert figures["first claim names the edited word"] >= 0.8

"""The int8 tier against sentence-transformers' recorded cosines: the gate on text that nobody made for it."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from handler.metrics.vision import pair_scorer
from handler.models import shared_text_encoder
from handler.settings import compact_folder
from model_export.compact.gate import LIMITS, error_figures
from model_export.compact.text import calibration_texts, gate_pairs, whole_words

pytestmark = pytest.mark.model

NATURAL = ("stsb-en-dev", "coco-human-captions", "coco-model-captions", "long-answers")
REPORTED = ("edge", "very-long", "stsb-ja-150")
LOOSE = 0.03  # no bound is promised outside of natural text; a broken graph would be beyond this


@pytest.fixture(scope="module")
def compact(model):
    """The real int8 encoder."""
    folder = compact_folder(model)
    if not (folder / "card.json").is_file():
        pytest.skip(f"there is no int8 model in {folder}: make model-int8")
    return shared_text_encoder(folder, None)


def read_pairs(folder):
    if (folder / "stsb-en-dev.csv").exists():
        with open(folder / "stsb-en-dev.csv", encoding="utf-8", newline="") as file:
            return [(row[0], row[1]) for row in csv.reader(file)]
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").split("\n")
    return [(row["assistant"], row["ground_truth"]) for row in map(json.loads, filter(None, lines))]


def cosines(cases, encoder, names):
    expected, found = [], []
    for name in names:
        folder = cases / "02-sentence-pairs" / name
        expected += json.loads((folder / "expected.json").read_text())["cosine"]
        found += [score.similarity for score in pair_scorer(encoder).score(read_pairs(folder))]
    return np.array(expected), np.array(found)


@pytest.mark.full
def test_natural_text_is_within_the_gate(cases, compact):
    figures = error_figures(*cosines(cases, compact, NATURAL))
    print(figures)
    assert figures["n_pairs"] > 2000
    for name, limit in LIMITS.items():
        assert figures[name] <= limit, figures
    assert figures["n_flips"] == 0


def test_captions_are_within_the_gate(cases, compact):
    figures = error_figures(*cosines(cases, compact, ["coco-human-captions"]))
    assert figures["n_pairs"] == 200
    for name, limit in LIMITS.items():
        assert figures[name] <= limit, figures
    assert figures["n_flips"] == 0


@pytest.mark.full
@pytest.mark.parametrize("name", REPORTED)
def test_odd_texts_are_reported(cases, compact, name):
    figures = error_figures(*cosines(cases, compact, [name]))
    print(name, figures)
    assert figures["max_error"] <= LOOSE
    assert figures["n_flips"] == 0


def test_calibration_and_gate_share_no_text_with_the_cases(cases, model):
    words = whole_words(model / "tokenizer.json")
    own = {*calibration_texts(words), *(text for pair in gate_pairs(words, 200) for text in pair)}
    for name in (*NATURAL, *REPORTED):
        theirs = {text for pair in read_pairs(cases / "02-sentence-pairs" / name) for text in pair}
        assert not own & theirs, name

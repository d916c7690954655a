"""Cosines, token ids and vectors against sentence-transformers' recorded ones (fp32 tolerance 1e-5)."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from handler.metrics.vision import pair_scorer

pytestmark = pytest.mark.model

SETS = [
    "coco-human-captions",
    "coco-model-captions",
    "edge",
    "long-answers",
    "stsb-en-dev",
    "stsb-ja-150",
    "very-long",
]


def read_pairs(folder):
    if (folder / "stsb-en-dev.csv").exists():
        with open(folder / "stsb-en-dev.csv", encoding="utf-8", newline="") as file:
            return [(row[0], row[1]) for row in csv.reader(file)]
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    return [(row["assistant"], row["ground_truth"]) for row in rows]


@pytest.mark.parametrize("name", SETS)
def test_every_pair_within_tolerance(cases, encoder, name):
    folder = cases / "02-sentence-pairs" / name
    expected = json.loads((folder / "expected.json").read_text())
    pairs = read_pairs(folder)
    scores = pair_scorer(encoder).score(pairs)
    assert len(scores) == len(expected["cosine"])
    errors = [abs(score.similarity - value) for score, value in zip(scores, expected["cosine"], strict=True)]
    assert max(errors) <= 1e-5
    for key, field in (("tokens_before_truncation", "n_tokens"), ("truncated_at_384", "truncated")):
        if key in expected:
            assert [list(getattr(score, field)) for score in scores] == expected[key]


@pytest.mark.parametrize("name", ["edge", "very-long"])
def test_vectors_and_token_ids(cases, encoder, name):
    folder = cases / "02-sentence-pairs" / name
    texts = json.loads((folder / "embedding_texts.json").read_text(encoding="utf-8"))
    encoded = encoder.encode(texts)
    assert np.abs(encoded.vectors - np.load(folder / "embeddings.npy")).max() <= 1e-5
    if name == "edge":
        expected = json.loads((folder / "input_ids.json").read_text())
        assert [encoder.token_ids(text)[0] for text in texts] == expected


def test_what_stands_behind_the_limit_is_invisible_and_says_so(cases, encoder):
    pairs = read_pairs(cases / "02-sentence-pairs" / "very-long")
    score = pair_scorer(encoder).score(pairs[-1:])[0]
    assert score.similarity == pytest.approx(1.0, abs=1e-6)
    assert score.truncated == (True, True)

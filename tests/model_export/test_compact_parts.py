"""What the int8 tier is made of: its texts, the weights it reads, moments, rounding and GPTQ."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from model_export.compact.gptq import gptq, rounded
from model_export.compact.network import Network, Norm
from model_export.compact.recipe import OUTLIERS, solve
from model_export.compact.statistics import Moments
from model_export.compact.text import calibration_texts, docstring_pairs, gate_pairs, whole_words

WORDS = ["alpha", "beta", "gamma", "delta", "echo", "foxtrot", "golf", "hotel"]


def correlated(rng: np.random.Generator, rows: int, width: int) -> np.ndarray:
    """Rows whose channels depend on one another and differ in size by a factor of a thousand."""
    mixed = rng.normal(size=(rows, 6)) @ rng.normal(size=(6, width)) + 0.3 * rng.normal(size=(rows, width))
    return (mixed * np.exp(rng.uniform(-3.5, 3.5, width))).astype(np.float32)


def moments_of(rows: np.ndarray, weights: np.ndarray | None = None) -> Moments:
    found = Moments.empty(rows.shape[1])
    weights = np.ones(len(rows), np.float32) if weights is None else weights
    for start in range(0, len(rows), 100):
        part = slice(start, start + 100)
        found.add(rows[part], weights[part], np.arange(len(rows[part])))
    return found


def test_texts_are_the_same_every_time_distinct_and_of_every_kind() -> None:
    texts = calibration_texts(WORDS)
    assert texts == calibration_texts(WORDS)
    assert len(texts) == len(set(texts)) > 1000
    assert texts != calibration_texts(WORDS, seed=1)
    assert max(len(text.split()) for text in texts) > 300
    assert sum(len(text.split()) <= 3 for text in texts) > 50
    assert not any("{" in text and "}" in text and text[0] != "{" for text in texts)
    assert all(any(word in text for text in texts) for word in WORDS)


def test_gate_pairs_are_new_and_mostly_differ_in_one_phrase() -> None:
    pairs = gate_pairs(WORDS, 90)
    assert len(pairs) == 90
    assert not {text for pair in pairs for text in pair} & set(calibration_texts(WORDS))
    near = [pair for pair in pairs if (Counter(pair[0].split()) & Counter(pair[1].split())).total() >= 3]
    assert len(near) > 45


def test_docstrings_are_english_sentences_of_the_standard_library() -> None:
    pairs = docstring_pairs(200)
    assert len(pairs) == 200
    texts = [text for pair in pairs for text in pair]
    assert len(set(texts)) == 400
    assert any("argument" in text for text in texts)
    assert all(20 <= len(text) <= 250 and "\n" not in text for text in texts)


def test_whole_words_of_a_vocabulary(tmp_path: Path) -> None:
    vocabulary = {"<s>": 0, "the": 1, "##ing": 2, "a": 3, "car": 4, "x9": 5, "été": 6}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}), encoding="utf-8")
    assert whole_words(tmp_path / "tokenizer.json") == ["car", "the"]


def test_attention_bias_by_distance_is_that_of_transformers() -> None:
    modeling = pytest.importorskip("transformers.models.mpnet.modeling_mpnet")
    import torch

    empty = np.zeros((514, 4), np.float32)
    buckets = np.arange(64, dtype=np.float32).reshape(32, 2)
    norm = Norm(empty[0], empty[0])
    network = Network(empty, empty, norm, buckets, [])
    distances = torch.arange(-511, 512)
    expected = modeling.MPNetEncoder.relative_position_bucket(distances, num_buckets=32).numpy()
    assert np.array_equal(network.bias_by_distance(), buckets[expected].T)


def test_moments_are_those_of_all_rows_at_once() -> None:
    rng = np.random.default_rng(3)
    rows = correlated(rng, 350, 12)
    weights = rng.uniform(0.1, 9, 350).astype(np.float32)
    found = moments_of(rows, weights)
    mean = np.average(rows.astype(np.float64), axis=0, weights=weights)
    assert found.mean() == pytest.approx(mean, rel=1e-4, abs=1e-4)
    expected = np.cov(rows.T.astype(np.float64), aweights=weights, ddof=0)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert (np.abs(found.covariance(mean.astype(np.float32)) - expected) / scale).max() < 1e-3
    assert found.reach(mean.astype(np.float32)) == pytest.approx(np.abs(rows - mean).max(axis=0), rel=1e-4)


def test_rounding_keeps_within_half_a_step() -> None:
    weight = np.random.default_rng(0).normal(size=(40, 7)).astype(np.float32)
    integers, scale = rounded(weight)
    assert np.abs(integers).max(axis=0).tolist() == [127] * 7
    assert (np.abs(integers * scale - weight) <= scale * 0.5001).all()


def test_gptq_of_independent_channels_is_rounding_and_of_dependent_ones_far_better() -> None:
    rng = np.random.default_rng(1)
    weight = rng.normal(size=(160, 20)).astype(np.float32)
    assert np.array_equal(gptq(weight, np.eye(160))[0], rounded(weight)[0])
    rows = correlated(rng, 2000, 160).astype(np.float64)
    errors = []
    for integers, scale in (rounded(weight), gptq(weight, rows.T @ rows / len(rows))):
        assert np.abs(integers.astype(int)).max() <= 127
        errors.append(np.linalg.norm(rows @ (weight - integers * scale)))
    assert errors[1] < errors[0] / 3


@pytest.mark.parametrize("group", ["qkv", "o", "up", "down"])
def test_recipe_reproduces_the_product(group: str) -> None:
    """By the recipe's definition, in float64: what the graph does, without its operators."""
    rng = np.random.default_rng(2)
    rows = correlated(rng, 600, 96)
    rows = np.maximum(rows, -0.1699) if group == "down" else rows + rng.normal(size=96).astype(np.float32) * 5
    weight = rng.normal(size=(96, 24)).astype(np.float32)
    recipe = solve(weight, group, moments_of(rows))
    assert len(recipe.outliers) == OUTLIERS[group]
    assert (recipe.matrix[recipe.outliers] == 0).all()
    z = (rows.astype(np.float64) - recipe.mean + recipe.shift) / recipe.smooth
    z[:, recipe.outliers] = 0
    if recipe.shift:
        assert z.min() >= 0
    step = z.max(axis=1, keepdims=True) / 255 if recipe.shift else np.abs(z).max(axis=1, keepdims=True) / 127
    matrix = recipe.matrix * recipe.scale.astype(np.float64)
    product = np.rint(z / step) * step @ matrix + rows[:, recipe.outliers] @ weight[recipe.outliers]
    product += recipe.mean @ weight - (recipe.shift / recipe.smooth) @ matrix
    exact = rows.astype(np.float64) @ weight
    assert np.linalg.norm(product - exact) / np.linalg.norm(exact - exact.mean(axis=0)) < 0.02

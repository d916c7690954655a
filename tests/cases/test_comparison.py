"""Two captioners on the same COCO pictures, against the recorded cosines of the original encoder and SciPy's tests."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.stats

from handler import compare, evaluate

OLD, NEW = "minigpt-4-instruction2", "instructblip-instruction1"

pytestmark = pytest.mark.model


def test_the_better_captioner_is_named_with_scipys_figures(cases):
    folder = cases / "02-sentence-pairs" / "coco-model-captions"
    pairs = list(map(json.loads, (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()))
    cosines = json.loads((folder / "expected.json").read_text())["cosine_f64"]
    frames = [
        {
            "session_id": f"{pair['image_id']}",
            "sample_id": f"{pair['image_id']}: {pair['ground_truth']}",
            "assistant_id": pair["system"],
            "answer": pair["assistant"],
            "reference": pair["ground_truth"],
        }
        for pair in pairs
        if pair["system"] in (OLD, NEW)
    ]
    recorded = {
        (pair["system"], pair["image_id"], pair["ground_truth"]): cosine
        for pair, cosine in zip(pairs, cosines, strict=True)
    }
    same = [key[1:] for key in recorded if key[0] == OLD and (NEW, *key[1:]) in recorded]
    differences = np.array([recorded[(NEW, *key)] - recorded[(OLD, *key)] for key in same])
    pictures = sorted({image for image, _ in same})
    sums = np.array([sum(differences[n] for n, key in enumerate(same) if key[0] == image) for image in pictures])

    found = compare(evaluate(frames), by="assistant_id", baseline=OLD, metrics=["vision.similarity"])
    one = found["comparisons"][0]
    assert (found["verdict"], one["candidate"], one["n_samples"], one["n_units"]) == (
        "regressed",
        NEW,
        len(same),
        len(pictures),
    )
    assert one["difference"] == pytest.approx(differences.mean(), abs=1e-5)
    assert (one["wins"], one["losses"]) == (int((differences > 0).sum()), int((differences < 0).sum()))
    theirs = scipy.stats.bootstrap((sums / (len(same) / len(pictures)),), np.mean, method="percentile", rng=1)
    low, high = theirs.confidence_interval
    width = high - low
    assert one["interval"]["low"] == pytest.approx(low, abs=0.05 * width)
    assert one["interval"]["high"] == pytest.approx(high, abs=0.05 * width)
    assert one["p"] <= 0.001
    assert scipy.stats.ttest_1samp(sums, 0).pvalue < 0.001

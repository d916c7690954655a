"""The shared triplets and the test part of SugarCrepe++: nothing of either was fitted on."""

from __future__ import annotations

import json

import pytest

from handler.claims import DEFAULT_THRESHOLD, LAYERS
from model_export.claims.encoding import Encodings
from model_export.claims.figures import (
    Judged,
    contexts_of,
    figures_of_contexts,
    figures_of_pairs,
    figures_of_triplets,
)
from model_export.claims.pairs import part_of, read_sugarcrepe, sugarcrepe_pairs


@pytest.fixture(scope="module")
def claims_folder(cases):
    folder = cases.parent / "claims"
    if not folder.is_dir():
        pytest.skip(f"the triplets and SugarCrepe++ are not here ({folder})")
    return folder


@pytest.fixture(scope="module")
def judged(encoder, tmp_path_factory):
    return Judged(Encodings(encoder, tmp_path_factory.mktemp("encodings"), layers=LAYERS))


@pytest.fixture(scope="module")
def triplets(claims_folder):
    return [json.loads(line) for line in (claims_folder / "triplets_shared.jsonl").read_text("utf-8").splitlines()]


def test_triplets_of_camera_descriptions(judged, triplets):
    found = dict(figures_of_triplets(judged, triplets, DEFAULT_THRESHOLD))
    assert found["AUC, all contradictions"] >= 0.93
    assert found["AUC, minimal edits"] >= 0.93
    assert found["false alarms"] <= 0.06
    assert found["paraphrases with a claim"] <= 0.03
    assert found["first claim names the edited word"] >= 0.9
    kinds = {one["kind"] for one in triplets}
    assert {name for name in found if found[name] < 0.85 and name.removeprefix("AUC, ") in kinds} == set()


def test_one_wrong_sentence_among_three(judged, triplets):
    found = dict(figures_of_contexts(judged, contexts_of(triplets), DEFAULT_THRESHOLD))
    assert found["AUC"] >= 0.93
    assert found["the wrong sentence is the worst"] >= 0.9


@pytest.mark.full
def test_sugarcrepe_of_images_never_trained_on(judged, claims_folder):
    pairs = list(sugarcrepe_pairs(read_sugarcrepe(claims_folder / "data"), "test"))
    found = dict(figures_of_pairs(judged, pairs, DEFAULT_THRESHOLD))
    assert found["AUC"] >= 0.92


def test_no_image_of_the_test_part_is_trained_on(claims_folder):
    triplets = read_sugarcrepe(claims_folder / "data")
    by_part = {part: {one.image for one in triplets if part_of(one.image) == part} for part in ("train", "dev", "test")}
    assert not by_part["train"] & by_part["test"]
    assert sum(map(len, by_part.values())) == 1542  # images, as counted by the data's authors
    assert len(triplets) == 4757

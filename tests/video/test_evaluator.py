"""FastVideo's entry: samples as dicts with paths or arrays, groups, results with reasons."""

from __future__ import annotations

import numpy as np
import pytest

from handler import create_evaluator
from handler.errors import InputError, RequestError
from handler.results import MetricResult
from tests.video.clips import gray_frames, make_clip


@pytest.fixture(scope="module")
def noise():
    return np.random.default_rng(6).integers(0, 256, (3, 48, 64, 3), np.uint8)


@pytest.fixture(scope="module")
def evaluator(tiny_grit):
    return create_evaluator("vbench", mode="compat:fastvideo", detector=tiny_grit, provider="cpu", threads=1)


def test_a_path_and_an_array_give_the_same(evaluator, noise, tmp_path):
    path = make_clip(tmp_path / "noise.mkv", list(noise))
    asked = {"text_prompt": "a red car", "auxiliary_info": {"color": "red", "object": "car"}}
    array = noise.transpose(0, 3, 1, 2)
    videos = [path, array, array.astype(np.float32) / 255]
    results = evaluator.evaluate(samples=[{"video": video, "fps": 24.0, **asked} for video in videos])
    assert results.corpus == {}
    assert results[0] == results[1] == results[2] == evaluator.evaluate(video=path, **asked)
    assert isinstance(results[0]["vbench.color"], MetricResult)
    assert results[0]["vbench.color"].score == results[0]["vbench.object_class"].score == 0.0
    assert results[0]["vbench.spatial_relationship"].details == {"skipped": "missing_relationship"}


def test_a_group_takes_what_has_the_mode(evaluator):
    names = ["color", "multiple_objects", "object_class", "spatial_relationship", "temporal_flickering"]
    assert evaluator.metric_names == [f"vbench.{name}" for name in names]
    assert "vbench.total" in create_evaluator(["vbench"], mode="compat:vbench").metric_names
    with pytest.raises(RequestError, match=r"vbench.total has no mode compat:fastvideo"):
        create_evaluator(["vbench.total"], mode="compat:fastvideo")


def test_flickering_needs_no_detector(tmp_path, monkeypatch):
    """Two steps of 51 of 255 are a fifth."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    path = make_clip(tmp_path / "steps.mkv", gray_frames([0, 51, 102]))
    found = create_evaluator().evaluate(video=path, text_prompt="a dog", auxiliary_info={"object": "dog"})
    assert found["vbench.temporal_flickering"].score == pytest.approx(0.8)
    assert found["vbench.object_class"].details == {"skipped": "missing_detections"}
    still = np.zeros((1, 3, 8, 8), np.uint8)
    one = create_evaluator(["vbench.temporal_flickering"]).evaluate(video=still)
    assert one["vbench.temporal_flickering"].details == {"skipped": "single_frame"}


def test_a_video_that_cannot_be_read_is_an_error_of_its_own(evaluator, tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    (found,) = evaluator.evaluate([{"video": tmp_path / "broken.mp4", "text_prompt": "a dog"}])
    assert {(one.state, one.details["error"]) for one in found.values()} == {("error", "not_a_video")}
    assert evaluator.evaluate([]) == []


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({}, "sample 0 has no video"),
        ({"video": "v.mp4", "auxiliary_info": "red"}, "auxiliary_info is text, not an object"),
        ({"video": np.zeros((3, 8, 8), np.uint8)}, r"a video is an array \(T, 3, H, W\)"),
        ({"video": np.zeros((1, 3, 8, 8), np.int64)}, "uint8 or floats"),
        ({"video": np.full((1, 3, 8, 8), 255.0)}, "lies in 0..1, here from 255 to 255"),
        ({"video": np.full((1, 3, 8, 8), np.nan)}, "lies in 0..1"),
    ],
)
def test_samples_that_are_none(sample, words):
    with pytest.raises((RequestError, InputError), match=words):
        create_evaluator(["vbench.temporal_flickering"]).evaluate([sample])


def test_metrics_of_other_things_are_refused():
    with pytest.raises(RequestError, match=r"speech\.wer does not read videos"):
        create_evaluator(["speech.wer"])

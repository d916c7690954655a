"""What the VBench metrics say about many videos: dimensions, totals, and what was left out."""

from __future__ import annotations

import pytest
from vbench_videos import LEFT, LOW, RIGHT, frame, red, score, summary, video

from handler.errors import RequestError
from handler.metrics import get_metric, list_metrics, select_metrics


def test_what_a_video_with_nothing_to_score_counts_as():
    samples = [red("a red car"), red("a parked car"), video(frame(), prompt="a red car", color="red")]
    found = summary("color", samples)
    assert (found["score"], found["n_scored"], found["n_unseen"]) == (1.0, 1, 2)
    assert found["score_unseen_as_zero"] == 1 / 3
    assert found["skipped"] == {"no_color_named": 1, "no_detections": 1}
    zero = summary("color", samples, on_empty="zero")
    assert (zero["score"], zero["n_scored"], zero["n_unseen"], zero["skipped"]) == (1 / 3, 3, 2, {})
    assert summary("color", samples, "compat:vbench")["score"] == 1.0
    assert summary("color", samples, "compat:fastvideo")["score"] == 1 / 3
    nothing = summary("color", samples[1:])
    assert (nothing["score"], nothing["intervals"]["score"]) == (None, None)
    with pytest.raises(RequestError, match="on_empty"):
        get_metric("vbench.color", on_empty="one")


@pytest.mark.parametrize(("difference", "pairs", "expected"), [(0.0, 3, 1.0), (255.0, 1, 0.0), (51.0, 2, 0.8)])
def test_flickering(difference, pairs, expected):
    sample = video(frame_difference=difference, n_frame_pairs=pairs)
    assert score("temporal_flickering", sample).score == pytest.approx(expected, abs=1e-15)


def test_a_single_frame_has_no_flickering():
    one = video(n_frame_pairs=0)
    assert score("temporal_flickering", one).details == {"skipped": "single_frame"}
    assert score("temporal_flickering", one, "compat:vbench").score is None
    assert score("temporal_flickering", one, "compat:fastvideo").score == 1.0
    assert score("temporal_flickering", video()).details == {"skipped": "missing_frame_difference"}
    assert score("temporal_flickering", video(frame_difference=256.0, n_frame_pairs=1)).state == "error"


def test_other_frames_than_the_originals_are_warned_of():
    sample = red("a red car", sampling="middle:8", resize="vbench-float")
    assert score("color", sample, "compat:vbench").details["warnings"] == ["resize_rule", "sampling"]
    assert score("color", sample, "compat:fastvideo").details["warnings"] == ["sampling"]
    assert score("color", sample).details["warnings"] == ["object_from_prompt"]


def test_a_dimension_is_a_mean_over_frames_in_vbench_and_over_videos_in_strict():
    asked = {"object_a": "dog", "object_b": "car", "relationship": "on the left of"}
    pair = frame(("dog", LEFT), ("car", RIGHT))
    samples = [video(pair, **asked), video(pair, frame(("cat", LEFT)), frame(("cat", LEFT)), **asked)]
    assert summary("spatial_relationship", samples)["score"] == pytest.approx((1 + 1 / 3) / 2, abs=1e-15)
    assert summary("spatial_relationship", samples, "compat:vbench")["score"] == pytest.approx(2 / 4, abs=1e-15)
    for sample in samples:
        sample.object = "car"
    assert summary("object_class", samples, "compat:vbench")["score"] == 0.5
    assert summary("object_class", samples, "compat:fastvideo")["score"] == pytest.approx(2 / 3, abs=1e-15)


def test_sums_depend_on_no_order():
    third = (0, 0, 100, 100), (40, 0, 140, 100)
    pairs = [third, (LEFT, RIGHT), ((0, 0, 100, 100), (50, 10, 150, 110)), (LEFT, LOW)]
    asked = {"object_a": "dog", "object_b": "car", "relationship": "on the left of"}
    samples = [
        video(*(frame(("dog", one), ("car", two)) for one, two in pairs[: 1 + place % 4]), **asked)
        for place in range(50)
    ]
    found = summary("spatial_relationship", samples)
    scores = [score("spatial_relationship", sample).score for sample in samples]
    assert found["score"] == pytest.approx(sum(scores) / 50, abs=1e-15)
    interval = found["intervals"]["score"]
    assert interval["low"] < found["score"] < interval["high"]


def test_the_total_says_what_is_missing():
    samples = [
        red("a red car", "a blue car", dimensions=("color",)),
        video(frame(("dog", "")), object="dog", dimensions=("object_class",)),
        video(frame_difference=25.5, n_frame_pairs=3, dimensions=("temporal_flickering", "motion_smoothness")),
        video(dimensions=("scene",)),
    ]
    found = summary("total", samples)
    assert (found["quality"], found["semantic"], found["total"]) == (None, None, None)
    assert found["dimensions"]["color"] == {"score": 0.5, "scaled": 0.5}
    assert found["dimensions"]["temporal_flickering"] == {
        "score": 0.9,
        "scaled": pytest.approx((0.9 - 0.6293) / 0.3707),
    }
    assert found["dimensions"]["scene"] == {"score": None, "scaled": None}
    assert len(found["missing"]) == 13
    assert (found["n_scored"], found["skipped"]) == (3, {"no_dimension": 1})
    compat = summary("total", samples, "compat:vbench")
    assert compat["semantic"] == pytest.approx((0.5 + 1.0 - 0.0009 / 0.2846) / 9)
    assert len(compat["missing"]) == 13


def test_a_video_without_dimensions_counts_for_what_its_fields_ask():
    metric = get_metric("vbench.total")
    asked = {
        "color": red("a red car"),
        "object_class": video(frame(("dog", "")), object="dog"),
        "multiple_objects": video(frame(("dog", ""), ("cat", "")), object="dog and cat"),
        "spatial_relationship": video(
            frame(("dog", LEFT), ("car", RIGHT)), object_a="dog", object_b="car", relationship="left"
        ),
        "temporal_flickering": video(frame_difference=0.0, n_frame_pairs=1),
    }
    for dimension, sample in asked.items():
        result = metric.compute(sample)
        assert (result.score, list(result.details["dimensions"])) == (1.0, [dimension])


def test_they_are_registered():
    names = [name for name in list_metrics() if name.startswith("vbench.")]
    assert names == sorted(
        f"vbench.{one}"
        for one in "color object_class multiple_objects spatial_relationship temporal_flickering total".split()
    )
    assert select_metrics(["vbench"]) == names
    for name in names:
        metric = get_metric(name)
        assert metric.signature().startswith(f"{name}|version:1|")
        assert get_metric(name, mode="compat").mode.tool == "vbench"

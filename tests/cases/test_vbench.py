"""VBench's and FastVideo's recorded scores in compat mode: whole metrics, inner functions, totals."""

from __future__ import annotations

import json

import pytest

from handler.metrics import get_metric
from handler.metrics.vbench import (
    DIMENSIONS,
    axis_score,
    color_frames,
    frames_with_all,
    object_of_prompt,
    totals,
    vbench_axis,
)
from handler.samples import DetectedFrame, Detection, VideoSample


def frames_of(case):
    """The stub's frames: run-length coded, with (caption, box, all object words) per box.

    In the object dimensions the caption of a box is its object word; where a case tells them apart, the metric in question
    reads only one of the two.
    """
    spatial = case["dimension"] == "spatial_relationship"
    for run in case["frames"]:
        words = run["captions"] if spatial else run["object_types"]
        boxes = zip(run["boxes"], run["captions"], words, strict=True)
        detections = tuple(Detection(tuple(box), 0.9, caption, 0.9, word, 0.9) for box, caption, word in boxes)
        yield from [DetectedFrame(0, 0.0, detections)] * run["repeat"]


def sample_of(case):
    said = case["auxiliary_info"]
    said = said.get("spatial_relationship", said)
    return VideoSample(
        0,
        "s",
        "a",
        case["id"],
        None,
        (),
        prompt=case["prompt"],
        frames=tuple(frames_of(case)),
        sampling="middle:16",
        **said,
    )


@pytest.fixture(scope="module")
def rules(cases):
    path = cases.parent / "grit" / "vbench_rules_cases.json"
    if not path.is_file():
        pytest.skip("the recorded VBench rules are not here")
    return json.loads(path.read_text())["cases"]


@pytest.mark.parametrize("tool", ["vbench", "fastvideo"])
def test_whole_metrics(rules, tool):
    assert len(rules) == 41
    for case in rules:
        result = get_metric(f"vbench.{case['dimension']}", mode=f"compat:{tool}").compute(sample_of(case))
        expected = case[tool]
        assert result.score == expected.get("score"), case["id"]
        wanted = "error" if "error" in expected else "skipped" if expected.get("score") is None else "scored"
        assert result.state == wanted, case["id"]
        if tool == "vbench" and case["dimension"] == "color":
            found = result.details
            assert found["object"] == case["object_key"]
            counts = (found["n_frames_colored"], found["n_frames_right"])
            assert counts == (expected["object_frames"], expected["color_frames"]), case["id"]
        if tool == "vbench" and "frame_scores" in expected:
            assert result.details["frame_scores"] == expected["frame_scores"], case["id"]
        if tool == "vbench" and "frames" in expected:
            assert result.details["n_frames_right"] == expected["frames"], case["id"]


def test_where_the_tools_agree_is_as_recorded(rules):
    for case in rules:
        metric = f"vbench.{case['dimension']}"
        one, other = (
            get_metric(metric, mode=f"compat:{tool}").compute(sample_of(case)) for tool in ("vbench", "fastvideo")
        )
        assert ((one.score, one.state == "error") == (other.score, other.state == "error")) == case["agree"], case["id"]


def read(cases, name):
    folder = cases / "10-vbench" / name
    return json.loads((folder / "detections.json").read_text()), json.loads((folder / "expected.json").read_text())


def test_inner_color(cases):
    videos, expected = read(cases, "color-detections")
    rates = []
    for video in videos:
        wanted = expected["videos"][video["video"]]
        pairs = [[tuple(pair) for pair in frame] for frame in video["frames"]]
        found = color_frames(pairs, color=video["color"], wanted=video["object"])
        assert found == (wanted["frames_with_object_and_a_colour_word"], wanted["frames_with_the_colour"])
        rates += [found[1] / found[0]] if found[0] else []
    assert len(rates) == expected["videos_counted"]
    assert sum(rates) / len(rates) == expected["color_score"]


def test_inner_objects(cases):
    rows, expected = read(cases, "object-and-multiple-detections")
    rights = {"object_class": [], "multiple_objects": []}
    for row in rows:
        wanted = [row["object"]] if row["dimension"] == "object_class" else row["object"].split(" and ")
        right = frames_with_all(row["frames"], wanted)
        assert right / len(row["frames"]) == expected[row["dimension"]][row["prompt_en"]]
        rights[row["dimension"]].append((right, len(row["frames"])))
    for dimension, counts in rights.items():
        assert sum(r for r, _ in counts) / sum(n for _, n in counts) == expected[f"{dimension}_score"]


def test_objects_as_whole_dimensions(cases):
    rows, expected = read(cases, "object-and-multiple-detections")
    for dimension in ("object_class", "multiple_objects"):
        metric = get_metric(f"vbench.{dimension}", mode="compat:vbench")
        halves = metric.tally(), metric.tally()
        for number, row in enumerate(row for row in rows if row["dimension"] == dimension):
            frames = tuple(
                DetectedFrame(0, 0.0, tuple(Detection((0, 0, 1, 1), 1.0, object=word) for word in frame))
                for frame in row["frames"]
            )
            sample = VideoSample(0, "s", "a", "v", None, (), object=row["object"], frames=frames)
            halves[number % 2].add(metric.compute(sample))
        halves[0].merge_from(halves[1])
        assert halves[0].summary()["score"] == expected[f"{dimension}_score"]


def test_inner_spatial(cases):
    videos, expected = read(cases, "spatial-relationship")
    for name, video in videos.items():
        key = video["key"]
        axis = vbench_axis(key["relationship"])
        for frame, wanted in zip(video["frames"], expected[name], strict=True):
            boxes = [box for word, box in frame if word in (key["object_a"], key["object_b"])]
            scores = [axis_score(axis, one, two) for place, one in enumerate(boxes) for two in boxes[place + 1 :]]
            assert max(scores, default=0) == wanted, name


def test_objects_of_prompts(cases):
    expected = json.loads((cases / "10-vbench" / "full-info-subset" / "expected.json").read_text())
    rows = json.loads((cases / "10-vbench" / "full-info-subset" / "VBench_full_info_subset.json").read_text())
    colors = {row["prompt_en"]: row["auxiliary_info"]["color"]["color"] for row in rows if "color" in row["dimension"]}
    for prompt, wanted in expected["color_object_key_as_vbench_derives_it"].items():
        assert object_of_prompt(prompt, colors[prompt]) == wanted


@pytest.mark.parametrize("name", ["final-score-5-dimensions", "final-score-16-dimensions"])
def test_totals(cases, name):
    folder = cases / "10-vbench" / name
    expected = json.loads((folder / "expected.json").read_text())
    scores = {}
    for path in (folder / "eval_results").glob("*.json"):
        scores |= {dimension: found[0] for dimension, found in json.loads(path.read_text()).items()}
    found = totals(scores, missing_as_zero=True)
    assert found["missing"] == [one for one in DIMENSIONS if one not in scores]
    for dimension, one in DIMENSIONS.items():
        wanted = expected["normalised_times_weight"][dimension.replace("_", " ")]
        assert found["dimensions"][dimension]["scaled"] * one.weight == pytest.approx(wanted, abs=1e-12)
    for group in ("quality", "semantic", "total"):
        assert found[group] == pytest.approx(expected[f"{group}_score"], abs=1e-12)
    strict = totals(scores)
    assert (strict["total"] is None) == bool(strict["missing"])
    assert [one["score"] for one in strict["dimensions"].values()] == [scores.get(one) for one in DIMENSIONS]

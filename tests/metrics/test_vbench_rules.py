"""The rules of the VBench metrics on detections given by hand: strict, where the originals differ, and what is refused."""

from __future__ import annotations

import pytest
from vbench_videos import LEFT, LOW, RIGHT, frame, red, score, summary, video

from handler.samples import VideoSample


@pytest.mark.parametrize(
    ("captions", "strict", "vbench"),
    [
        (["a red car", "a blue car", "a car", "a red and white car"], 2 / 3, 2 / 3),
        (["a car covered in snow", "a colored car", "a red car"], 1.0, 1.0),
        (["a white car covered in snow"], 0.0, 1.0),
        (["A RED Car"], 1.0, None),
        (["a car"], None, None),
    ],
)
def test_colors_are_whole_words(captions, strict, vbench):
    sample = red(*captions)
    assert score("color", sample).score == strict
    assert score("color", sample, "compat:vbench").score == vbench


@pytest.mark.parametrize(
    ("asked", "said"), [("gray", "grey"), ("grey", "gray"), ("purple", "violet"), ("gold", "golden")]
)
def test_two_words_for_one_color(asked, said):
    sample = red(f"a {said} car", prompt=f"a {asked} car", color=asked)
    assert score("color", sample).score == 1.0
    assert score("color", sample, "compat:vbench").score in (None, 0.0)


def test_any_color_can_be_asked_for():
    brown = red("a brown dog", "a brown and white dog", "a black dog", prompt="a brown dog", color="brown", word="dog")
    assert score("color", brown).score == 2 / 3
    assert score("color", brown, "compat:vbench").score == 1.0  # two right frames of two with a listed colour
    light = red("a light blue car", "a blue car", prompt="a light blue car", color="light blue")
    assert score("color", light).score == 0.5


@pytest.mark.parametrize(
    ("prompt", "asked", "word", "strict", "vbench"),
    [
        ("a blue panda bear", {"color": "blue"}, "panda bear", "panda bear", "pandbear"),
        ("a red armored car", {"color": "red"}, "armored car", "armored car", "armo car"),
        ("An orange cat, close-up", {"color": "orange"}, "cat", "cat", "An  cat, close-up"),
        ("a red car on the road", {"color": "red"}, "car", "car", "car on the road"),
        ("a red sports car", {"color": "red", "object": "Car"}, "car", "car", "sports car"),
    ],
)
def test_the_object_is_read_by_words(prompt, asked, word, strict, vbench):
    sample = video(frame((word, f"a {asked['color']} thing")), prompt=prompt, **asked)
    result = score("color", sample)
    assert (result.score, result.details["object"]) == (1.0, strict)
    assert ("object_from_prompt" in result.details.get("warnings", [])) == ("object" not in asked)
    assert score("color", sample, "compat:vbench").details["object"] == vbench


def test_a_caption_counts_for_its_own_box():
    sample = video(
        frame(("wall", "a white wall"), ("car", "a red car")), frame(("car", "a car"), ("wall", "a red wall"))
    )
    sample.prompt, sample.color = "a red car", "red"
    assert score("color", sample).details["n_frames_right"] == 1
    assert score("color", sample).score == 1.0
    compat = score("color", sample, "compat:vbench")
    assert (compat.score, compat.details["n_frames_colored"]) == (1.0, 1)  # it sees the car in the second frame alone


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (red(prompt="a red car"), None),
        (video(frame(), frame(), prompt="a red car", color="red"), "no_detections"),
        (red("a red bus", word="bus"), "object_not_seen"),
        (red("a parked car"), "no_color_named"),
        (red("a red car", color=None), "missing_color"),
        (red("a red car", color=" "), "missing_color"),
        (red("a car", prompt="a car that is blue", color="blue"), "object_unclear"),
        (red("a red car", dimensions=("object_class",)), "other_dimension"),
        (VideoSample(0, "s", "g", "v", None, (), prompt="a red car", color="red"), "missing_detections"),
        (red(None), "no_captions"),
        (video(frame((None, "a red car")), prompt="a red car", color="red"), "no_object_words"),
    ],
)
def test_why_a_color_has_no_score(sample, reason):
    if reason is None:
        sample.frames = None
        reason = "missing_detections"
    result = score("color", sample)
    assert (result.state, result.details["skipped"]) == ("skipped", reason)


def test_object_class():
    seen = [frame(("Dog", "")), frame(("hotdog", ""), ("dog house", "")), frame(("tree", ""), ("dog", "")), frame()]
    sample = video(*seen, prompt="a dog running on grass, front view")
    strict = score("object_class", sample)
    assert (strict.score, strict.details["object"], strict.details["wrong_frames"]) == (0.5, "dog", [1, 3])
    assert (strict.details["n_frames"], strict.details["n_frames_empty"]) == (4, 1)
    assert score("object_class", sample, "compat").details == {"skipped": "missing_object"}
    sample.object = "dog"
    assert score("object_class", sample, "compat").score == 0.25
    sample.object = "a dog"
    assert score("object_class", sample).score == 0.5
    sample.object = "dog and cat"
    assert score("object_class", sample).details["skipped"] == "several_objects"
    assert score("object_class", sample, "compat:fastvideo").details["skipped"] == "several_objects"
    assert score("object_class", sample, "compat:vbench").score == 0.0


def test_nothing_detected_is_a_state_of_its_own():
    black = video(frame(), frame(), object="dog")
    result = score("object_class", black)
    assert (result.score, result.details) == (None, {"skipped": "no_detections", "n_frames": 2, "n_frames_empty": 2})
    assert score("object_class", black, on_empty="zero").score == 0.0
    assert score("object_class", black, "compat:vbench").score == 0.0
    found = summary("object_class", [black, video(frame(("dog", "")), object="dog")])
    assert (found["score"], found["score_unseen_as_zero"], found["n_unseen"]) == (1.0, 0.5, 1)


@pytest.mark.parametrize(
    ("asked", "strict", "vbench"),
    [
        ({"object": "bird and cat"}, 1.0, 1.0),
        ({"object": "bird and cat and dog"}, 1.0, "not_two_objects"),
        ({"object": "bird, cat and dog"}, 1.0, 0.0),
        ({"objects": ("bird", "cat", "dog")}, 1.0, "missing_object"),
        ({"prompt": "a bird, a cat and a dog, front view"}, 1.0, "missing_object"),
        ({"object": "bird and horse"}, 0.0, 0.0),
        ({"object": "bird and bird"}, 0.0, 1.0),
        ({"object": "dog and dog"}, 1.0, 1.0),
        ({"object": "bird"}, "one_object", "not_two_objects"),
        ({}, "missing_object", "missing_object"),
    ],
)
def test_multiple_objects(asked, strict, vbench):
    sample = video(frame(("bird", ""), ("cat", ""), ("dog", ""), ("dog", "")), **asked)
    for mode, expected in (("strict", strict), ("compat:vbench", vbench)):
        result = score("multiple_objects", sample, mode)
        assert (result.details.get("skipped") or result.details.get("error") or result.score) == expected


def test_fastvideo_skips_one_object_and_fails_on_three():
    sample = video(frame(("bird", "")), object="bird")
    assert score("multiple_objects", sample, "compat:fastvideo").details["skipped"] == "one_object"
    sample.object = "a and b and c"
    assert score("multiple_objects", sample, "compat:fastvideo").state == "error"


@pytest.mark.parametrize(
    ("relationship", "first", "second", "strict", "vbench", "fastvideo"),
    [
        ("on the left of", LEFT, RIGHT, 1, 1, 1),
        ("on the left of", RIGHT, LEFT, 0, 1, 1),
        ("on the right of", RIGHT, LEFT, 1, 1, 1),
        ("on the right of", LEFT, RIGHT, 0, 1, 1),
        ("to the left of", LEFT, RIGHT, 1, 0, 1),
        ("left", LEFT, RIGHT, 1, 1, 1),
        ("on the top of", LEFT, LOW, 1, 1, 1),
        ("on the top of", LOW, LEFT, 0, 1, 1),
        ("above", LEFT, LOW, 1, 0, 0),
        ("below", LOW, LEFT, 1, 0, 0),
        ("under", LEFT, LOW, 0, 0, 0),
        ("on the bottom of", LOW, LEFT, 1, 1, 1),
        ("on the left of", LEFT, LOW, 0, 0, 0),
        ("behind", LEFT, RIGHT, "unknown_relation", 0, 0),
        ("in front of", LEFT, RIGHT, "unknown_relation", 0, 0),
        ("near", LEFT, RIGHT, "unknown_relation", 0, 0),
        ("left and above", LEFT, RIGHT, "unknown_relation", 0, 1),
    ],
)
def test_sides(relationship, first, second, strict, vbench, fastvideo):
    sample = video(frame(("dog", first), ("car", second)), object_a="dog", object_b="car", relationship=relationship)
    for mode, expected in (("strict", strict), ("compat:vbench", vbench), ("compat:fastvideo", fastvideo)):
        result = score("spatial_relationship", sample, mode)
        assert (result.details.get("error") or result.score) == expected, mode


def test_a_pair_is_one_of_each():
    two_dogs = frame(("dog", LEFT), ("dog", RIGHT))
    sample = video(two_dogs, frame(), object_a="dog", object_b="car", relationship="on the left of")
    strict, compat = (score("spatial_relationship", sample, mode) for mode in ("strict", "compat"))
    assert (strict.details["frame_scores"], strict.details["n_frames_pair"]) == ([0.0, 0.0], 0)
    assert (compat.details["frame_scores"], compat.details["n_frames_pair"]) == ([1.0, 0.0], 1)
    sample.object_b = "dog"
    assert score("spatial_relationship", sample).details["frame_scores"] == [1.0, 0.0]


def test_overlap_costs_and_no_area_does_not_divide_by_zero():
    overlapping = frame(("dog", (0, 0, 100, 100)), ("car", (40, 0, 140, 100)))  # IoU 60 / 140
    points = frame(("dog", (10, 10, 10, 10)), ("car", (50, 10, 50, 10)))
    asked = {"object_a": "dog", "object_b": "car", "relationship": "on the left of"}
    assert score("spatial_relationship", video(overlapping, **asked)).score == pytest.approx(0.1 * 140 / 60)
    askew = frame(("dog", (10, 20, 110, 120)), ("car", (50, 30, 150, 130)))  # 60 by 90 of 2 * 100 * 100 in common
    assert score("spatial_relationship", video(askew, **asked)).score == pytest.approx(0.1 * (20_000 - 5400) / 5400)
    assert score("spatial_relationship", video(points, **asked)).score == 1.0
    assert (
        score("spatial_relationship", video(points, **asked), "compat:vbench").details["error"] == "boxes_without_area"
    )
    # VBench cuts boxes to whole pixels: here both become points.
    thin = frame(("dog", (10.1, 10, 10.9, 10.9)), ("car", (50.1, 10, 50.9, 10.9)))
    assert score("spatial_relationship", video(thin, **asked), "compat:vbench").state == "error"
    assert score("spatial_relationship", video(thin, **asked)).score == 1.0


def test_a_relationship_is_read_from_the_prompt():
    frames = (frame(("traffic light", LEFT), ("stop sign", RIGHT)),)
    sample = video(*frames, prompt="a traffic light on the left of a stop sign, front view")
    assert score("spatial_relationship", sample).score == 1.0
    sample.prompt = "a stop sign to the left of a traffic light"
    assert score("spatial_relationship", sample).score == 0.0
    sample.prompt = "a dog behind a car"
    assert score("spatial_relationship", sample).details == {"error": "unknown_relation", "relationship": "behind"}
    black = video(frame(), prompt="a dog behind a car")
    assert score("spatial_relationship", black).details["error"] == "unknown_relation"  # whatever is seen
    sample.prompt = "a dog chasing a car"
    assert score("spatial_relationship", sample).details == {"skipped": "missing_relationship"}

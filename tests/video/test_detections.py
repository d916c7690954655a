"""The detections file: round trips, what is refused and how, and when one is used again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from handler import storage
from handler.errors import InputError
from handler.metrics import get_metric
from handler.samples import VideoSample
from handler.video import (
    IMAGE,
    UNRESIZED,
    DetectedFrame,
    Detection,
    Detections,
    Detector,
    Sampling,
    find_detections,
    read_detections,
    sample_fields,
    store_detections,
    write_detections,
)

CAR = Detection((1.5, 2.0, 30.25, 40.0), 0.91, "a red car", 0.5, "car", 0.75)
WALL = Detection((0.0, 0.0, 64.0, 48.0), 0.62, None, None, "wall", 1.0)
VIDEO = Detections(
    source="s3://bucket/a red car-0.mp4",
    sha256="ab" * 32,
    sampling=Sampling(3, "middle", (0, 1, 1)),
    resize=UNRESIZED,
    size=(64, 48),
    detector=Detector("tiny|sha256:0123|fp32|confidence:0.5", {"name": "tiny"}),
    frames=(DetectedFrame(0, 0.0, (CAR, WALL)), DetectedFrame(1, 0.04, ()), DetectedFrame(1, 0.04, ())),
    reading={"frames_decoded": 2},
)
PICTURE = replace(VIDEO, source="cat.jpg", sampling=Sampling(1, IMAGE, (0,)), frames=(DetectedFrame(0, None, (CAR,)),))


@pytest.fixture(params=["local", "s3"])
def base(request, tmp_path):
    if request.param == "local":
        return str(tmp_path / "detections")
    request.getfixturevalue("weed")
    return request.getfixturevalue("folder")


@pytest.mark.parametrize("detections", [VIDEO, PICTURE])
def test_what_is_stored_is_found_again(base, detections):
    assert find_detections(base, detections.key) is None
    location = store_detections(base, detections)
    assert store_detections(base, replace(detections, source="another name for the same bytes")) == location
    assert find_detections(base, detections.key) == detections == read_detections(location)
    assert [one.location for one in storage.list_objects(base)] == [location]


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": "cd" * 32},
        {"rule": "time"},
        {"n": 4},
        {"detector": "another"},
    ],
)
def test_another_key_is_another_file(tmp_path, change):
    store_detections(str(tmp_path), VIDEO)
    other = replace(VIDEO.key, **change)
    assert other.name != VIDEO.key.name
    assert find_detections(str(tmp_path), other) is None


def test_frames_that_no_rule_changed_serve_every_rule(tmp_path):
    store_detections(str(tmp_path), VIDEO)
    assert find_detections(str(tmp_path), replace(VIDEO.key, resize="some rule")) == VIDEO
    resized = replace(VIDEO, resize="some rule", sha256="cd" * 32)
    store_detections(str(tmp_path), resized)
    assert find_detections(str(tmp_path), replace(resized.key, resize="another rule")) is None


def test_the_file_is_as_documented(tmp_path):
    write_detections(location := str(tmp_path / "d.json"), VIDEO)
    document = json.loads((tmp_path / "d.json").read_text())
    assert set(document) >= {"schema", "source", "sha256", "sampling", "resize", "size", "detector", "frames"}
    assert document["schema"] == "scenescore.detections/1"
    assert document["sampling"] == {"n": 3, "rule": "middle", "indices": [0, 1, 1]}
    assert [frame["index"] for frame in document["frames"]] == [0, 1, 1]
    assert document["frames"][0]["detections"][0] == {
        "box": [1.5, 2.0, 30.25, 40.0],
        "box_score": 0.91,
        "caption": "a red car",
        "caption_score": 0.5,
        "object": "car",
        "object_score": 0.75,
    }
    assert read_detections(location) == VIDEO


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("schema",), "scenescore.detections/2", "schema"),
        (("sha256",), "AB" * 32, "sha256"),
        (("size",), [0, 48], "size"),
        (("size",), ["64", "48"], "size.0"),
        (("sampling", "n"), 4, "sampling.indices"),
        (("sampling", "n"), 0, "sampling.n"),
        (("frames",), [], "frames"),
        (("frames", 2, "index"), 2, "frames.2.index"),
        (("frames", 1, "pts"), "soon", "frames.1.pts"),
        (("frames", 0, "detections", 0, "box"), [1, 2, 3], "frames.0.detections.0.box.3"),
        (("frames", 0, "detections", 1, "box"), [9, 0, 1, 1], "frames.0.detections.1.box"),
        (("frames", 0, "detections", 1, "box_score"), 1.5, "frames.0.detections.1.box_score"),
        (("frames", 0, "detections", 1, "caption"), 7, "frames.0.detections.1.caption"),
        (("detector",), "tiny", "detector"),
        (("detector", "signature"), "", "detector.signature"),
        (("reading", "frame_difference"), "3", "reading.frame_difference"),
        (("reading", "n_frame_pairs"), 1.5, "reading.n_frame_pairs"),
    ],
)
def test_an_error_names_file_and_field(tmp_path, path, value, field):
    write_detections(location := str(tmp_path / "d.json"), VIDEO)
    document = json.loads((tmp_path / "d.json").read_text())
    part = document
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    (tmp_path / "d.json").write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_detections(location)
    assert (caught.value.file, caught.value.field) == (location, field)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema": NaN}', b"\xff\xfe{}"])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "d.json").write_bytes(content)
    with pytest.raises(InputError):
        read_detections(str(tmp_path / "d.json"))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("where", ["box", "caption_score", "pts"])
def test_what_is_not_finite_is_never_written(tmp_path, number, where):
    box = (0.0, 0.0, 1.0, number) if where == "box" else CAR.box
    seen = replace(CAR, box=box, caption_score=number if where == "caption_score" else 0.5)
    frame = DetectedFrame(0, number if where == "pts" else 0.0, (seen,))
    with pytest.raises(InputError):
        write_detections(str(tmp_path / "d.json"), replace(VIDEO, frames=(frame, *VIDEO.frames[1:])))
    assert not list(tmp_path.iterdir())


def test_a_file_under_a_wrong_name_is_not_used(tmp_path):
    other = replace(VIDEO.key, n=9)
    write_detections(str(tmp_path / other.name), VIDEO)
    with pytest.raises(InputError, match="not about what its name says"):
        find_detections(str(tmp_path), other)


def test_a_metric_reads_what_the_file_says(tmp_path):
    measured = {"frame_difference": 51.0, "n_frame_pairs": 2}
    frames = (DetectedFrame(0, 0.0, (CAR,)), *VIDEO.frames[1:])
    location = store_detections(str(tmp_path), replace(VIDEO, reading=measured, frames=frames))
    fields = sample_fields(read_detections(location))
    assert (fields["sampling"], fields["resize"]) == ("middle:3", UNRESIZED)
    sample = VideoSample(0, "s", "generator", "v", None, (), prompt="a red car", color="red", **fields)
    assert get_metric("vbench.color").compute(sample).score == 1.0
    sample.object = "car"
    assert get_metric("vbench.object_class").compute(sample).score == 1 / 3
    assert get_metric("vbench.temporal_flickering").compute(sample).score == pytest.approx(0.8)
    assert sample_fields(VIDEO)["frame_difference"] is None


def test_what_json_cannot_carry_is_not_written(tmp_path):
    for reading in ({"n": 10**25}, {"note": "\ud83d"}):
        with pytest.raises(InputError, match="JSON cannot carry"):
            write_detections(str(tmp_path / "d.json"), replace(VIDEO, reading=reading))
    assert list(tmp_path.iterdir()) == []

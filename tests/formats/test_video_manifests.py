"""Manifests of videos: tables, JSON Lines, VBench's full-info files, and folders whose names are prompts."""

from __future__ import annotations

import json

import pytest

from handler.errors import InputError, RequestError
from handler.evaluation import find_files
from handler.formats import Notices, ReadOptions, asked_by, detect, open_records, plan_of
from handler.formats.tasks import read_plan
from handler.formats.tasks._video_names import item_of_video
from handler.samples import Unreadable, VideoSample

FULL_INFO = [
    {
        "prompt_en": "a red car",
        "dimension": ["color"],
        "auxiliary_info": {"color": {"color": "red"}},
    },
    {
        "prompt_en": "a dog on the left of a car, front view",
        "dimension": ["spatial_relationship"],
        "auxiliary_info": {
            "spatial_relationship": {
                "spatial_relationship": {"object_a": "dog", "object_b": "car", "relationship": "on the left of"}
            }
        },
    },
    {
        "prompt_en": "a cat and a dog",
        "dimension": ["multiple_objects"],
        "auxiliary_info": {"multiple_objects": {"object": "cat and dog"}},
    },
]


def read(path, **options):
    notices = Notices()
    return list(open_records(str(path), ReadOptions(**options), notices)), notices


def read_folder(path, **options):
    reading, notices = ReadOptions(**options), Notices()
    files = list(find_files(str(path)))
    plan = plan_of([one.location for one in files], reading)
    assert plan is not None
    assert plan.sample is VideoSample
    return list(read_plan(plan, [(one.location, one.etag) for one in files], reading, notices)), notices


def test_a_table_says_what_each_prompt_asks_for(tmp_path):
    path = tmp_path / "videos.csv"
    path.write_text(
        "video,prompt,dimension,color,object,object_a,object_b,relationship,model,seed\n"
        "clips/1.mp4,a red car,color,red,car,,,,ltx,7\n"
        "2.mp4,a dog left of a car,spatial relationship,,,dog,car,left of,,\n"
        "3.mp4,a cat and a dog,multiple_objects;object_class,,a cat and a dog,,,,,\n"
    )
    assert detect(str(path)).holds == "videos and what their prompts ask for"
    (red, left, both), _ = read(path)
    assert (red.video, red.prompt, red.color, red.object) == ("clips/1.mp4", "a red car", "red", "car")
    assert (red.session_id, red.assistant_id, red.sample_id) == ("videos", "ltx", "1.mp4")
    assert (red.dimensions, red.columns["seed"], red.frames) == (("color",), "7", None)
    assert (left.object_a, left.object_b, left.relationship) == ("dog", "car", "left of")
    assert (left.dimensions, left.color, left.assistant_id) == (("spatial_relationship",), None, "unknown")
    assert both.dimensions == ("multiple_objects", "object_class")
    assert [one.index for one in (red, left, both)] == [0, 1, 2]


def test_json_lines_and_names_of_ones_own(tmp_path):
    path = tmp_path / "videos.jsonl"
    rows = [
        {"video_path": "1.mp4", "text_prompt": "a dog", "auxiliary_info": {"object": "dog"}, "tags": {"set": "a"}},
        {
            "video_path": "2.mp4",
            "text_prompt": "x",
            "objects": ["cat", "dog"],
            "dimension": ["vbench.multiple_objects"],
        },
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (dog, both), _ = read(path)
    assert (dog.object, dog.tags) == ("dog", {"set": "a"})
    assert (both.objects, both.dimensions) == (("cat", "dog"), ("multiple_objects",))
    path.write_text(json.dumps({"video": "proxy.mp4", "file": "1.mp4", "prompt": "a dog"}))
    assert read(path, mapping={"video": "file"})[0][0].video == "1.mp4"
    with pytest.raises(RequestError, match="videos have no such field"):
        read(path, mapping={"answer": "file"})


def test_rows_that_are_none_are_named(tmp_path):
    path = tmp_path / "videos.jsonl"
    path.write_text(
        '{"video": "1.mp4", "prompt": "a"}\n{"video": "", "prompt": "b"}\n{"video": 3, "prompt": "c"}\n'
        '{"video": "4.mp4", "prompt": "d", "auxiliary_info": "red"}\n{"video": "5.mp4", "prompt": ["e"]}\n'
    )
    found, _ = read(path)
    assert [type(one) for one in found] == [VideoSample, *[Unreadable] * 4]
    assert [(one.line, one.field) for one in found[1:]] == [
        (2, "video"),
        (3, "video"),
        (4, "auxiliary_info"),
        (5, "prompt"),
    ]


def test_descriptions_of_videos_stay_descriptions(tmp_path):
    path = tmp_path / "frames.jsonl"
    path.write_text('{"video": "v1", "prompt": "Describe.", "answer": "A dog.", "reference": "A dog."}\n')
    assert not isinstance(read(path)[0][0], VideoSample)


def test_a_full_info_file_with_its_videos(tmp_path):
    path = tmp_path / "info.json"
    videos = [["a-0.mp4", "a-1.mp4"], ["b-0.mp4"], []]
    path.write_text(json.dumps([{**row, "video_list": one} for row, one in zip(FULL_INFO, videos, strict=True)]))
    found, notices = read(path)
    assert [(one.index, one.video, one.color) for one in found] == [
        (0, "a-0.mp4", "red"),
        (1, "a-1.mp4", "red"),
        (2, "b-0.mp4", None),
    ]
    assert (found[2].object_a, found[2].relationship) == ("dog", "on the left of")
    assert dict(notices.counts) == {"prompt_without_video": 1}


def test_a_folder_of_videos_named_by_their_prompts(tmp_path):
    folder = tmp_path / "ltx"
    folder.mkdir()
    for name in ("a red car-0.mp4", "a red car-1.mp4", "a well-known dog.webm", "notes.txt"):
        (folder / name).write_bytes(b"x")
    found, _ = read_folder(folder)
    assert [(one.prompt, one.session_id) for one in found] == [
        ("a red car", "ltx"),
        ("a red car", "ltx"),
        ("a well-known dog", "ltx"),
    ]
    assert found[0].video == str(folder / "a red car-0.mp4")


def test_a_folder_joined_with_vbenchs_prompts(tmp_path):
    folder, info = tmp_path / "ltx", tmp_path / "info.json"
    folder.mkdir()
    for name in ("a red car-0.mp4", "a red car-1.mp4", "a cat and a dog-0.mp4", "a bird-0.mp4"):
        (folder / name).write_bytes(b"x")
    info.write_text(json.dumps([*FULL_INFO, {"prompt_en": "a red car", "dimension": ["object_class", "color"]}]))
    found, notices = read_folder(folder, questions=str(info))
    problems = [one for one in found if isinstance(one, Unreadable)]
    cars = [one for one in found if isinstance(one, VideoSample) and one.prompt == "a red car"]
    assert [(one.color, one.dimensions) for one in cars] == [("red", ("color", "object_class"))] * 2
    assert [one.reason for one in problems] == ["prompt 'a bird' is in no row of info.json"]
    assert notices.examples == {"prompt_without_video": ["a dog on the left of a car, front view"]}
    found, _ = read_folder(folder, questions=str(info), on_missing="skip")
    assert [one.dimensions for one in found if one.prompt == "a bird"] == [()]


def test_prompts_alone_are_no_input(tmp_path):
    path = tmp_path / "info.json"
    path.write_text(json.dumps(FULL_INFO))
    with pytest.raises(InputError, match="this file holds questions, no answers: VBench's prompts, without videos"):
        read(path)


def test_both_forms_of_auxiliary_info():
    spatial = {"object_a": "a", "object_b": "b", "relationship": "above"}
    assert asked_by({"color": {"color": "red"}}) == asked_by({"color": "red"}) == {"color": "red"}
    assert asked_by(FULL_INFO[1]["auxiliary_info"])["object_b"] == "car"
    assert asked_by({"spatial_relationship": spatial}) == spatial
    assert asked_by(None) == asked_by({}) == {}


def test_a_video_of_its_own_belongs_to_its_folder(tmp_path, monkeypatch):
    folder = tmp_path / "ltx"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert item_of_video("a red car-0.mp4").stem == "ltx"
    assert item_of_video(f"{folder}/a red car-0.mp4").stem == "ltx"
    assert item_of_video("s3://bucket/wan/a red car-0.mp4").stem == "wan"
    assert item_of_video("s3://bucket/a red car-0.mp4").stem == "bucket"

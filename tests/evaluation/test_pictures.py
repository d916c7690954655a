"""Captions beside their pictures, end to end, and where pictures may lie."""

from __future__ import annotations

import json
import os

import pytest

pytest.importorskip("PIL")

from handler import storage
from handler.errors import RequestError
from handler.evaluation import EvaluationRequest, Machine, _pictures, estimate, evaluate, run
from handler.evaluation._pictures import picture_opener
from handler.metrics import get_metric
from handler.models import ImageTextEncoder, PictureError
from handler.samples import CaptionSample
from handler.storage import TransientStorageError
from tests.pictures import file_of, picture


def captioned(image):
    return CaptionSample(0, "s", "m", "1", "a red car", ("a dog",), image=image)


def test_a_file_of_captions_beside_its_pictures(clip_folder, tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.jpg").write_bytes(file_of(picture(size=(50 + number * 9, 40)), "JPEG"))
    (tmp_path / "2.jpg").write_bytes(b"<html>gone</html>")
    captions = [{"image_id": n, "caption": "a red car"} for n in range(5)]
    said = [{"image_id": n, "caption": "a dog"} for n in range(5)]
    images = [{"id": n, "file_name": f"{n}.jpg"} for n in range(4)]
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    (tmp_path / "said.json").write_text(json.dumps({"images": images, "annotations": said}))
    report = evaluate(
        tmp_path / "captions.json",
        references=tmp_path / "said.json",
        metrics=["captions.clipscore"],
        clip=clip_folder,
    )
    overall = report["metrics"]["captions.clipscore"]["overall"]
    assert (overall["n_scored"], overall["n_error"], overall["skipped"]) == (2, 2, {"missing_image": 1})
    rows = [row["metrics"]["captions.clipscore"] for row in report.samples]
    assert [row.get("error") for row in rows] == [None, None, "image_undecodable", "image_not_found", None]
    assert rows[2]["message"].startswith("2.jpg: the picture cannot be decoded")
    assert {one["code"] for one in report["warnings"]} == {"image_undecodable", "image_not_found"}
    files = {row: (tmp_path / f"{row}.jpg").read_bytes() for row in (0, 1)}
    metric = get_metric(
        "captions.clipscore", encoder=ImageTextEncoder(clip_folder), open_image=lambda name: files[int(name)]
    )
    alone = [metric.compute(captioned(str(row))).score for row in (1, 0)]
    assert [rows[1]["score"], rows[0]["score"]] == alone


def test_no_request_names_a_folder_of_the_machine():
    request = {"input": "captions.json", "metrics": ["captions.clipscore"]}
    with pytest.raises(RequestError, match="a request has no field 'clip'"):
        EvaluationRequest.parse({**request, "clip": "/etc"})
    for option in ("model", "encoder", "open_image"):
        with pytest.raises(RequestError, match=f"has no option '{option}'"):
            run(EvaluationRequest.parse({**request, "options": {"captions.clipscore": {option: "/etc"}}}))


def test_records_in_a_request_end_in_errors_where_they_name_local_pictures(clip_folder, tmp_path):
    (tmp_path / "a.png").write_bytes(file_of(picture()))
    records = [{"image_id": 1, "image": str(tmp_path / "a.png"), "caption": "a dog", "references": ["a dog"]}]
    request = {"metrics": ["captions.clipscore"]}
    inside = run(EvaluationRequest.parse(request), Machine(clip=clip_folder), records=records)
    outside = run(EvaluationRequest.parse({**request, "sessions": records}), Machine(clip=clip_folder))
    states = [report.samples[0]["metrics"]["captions.clipscore"]["state"] for report in (inside, outside)]
    assert states == ["scored", "error"]
    assert outside.samples[0]["metrics"]["captions.clipscore"]["error"] == "image_forbidden"


def test_what_a_run_takes_is_not_guessed(clip_folder, tmp_path):
    (tmp_path / "captions.jsonl").write_text('{"image_id": 1, "image": "a.png", "caption": "a", "references": ["b"]}\n')
    request = EvaluationRequest.parse({"input": str(tmp_path / "captions.jsonl"), "metrics": ["captions.clipscore"]})
    with pytest.raises(RequestError, match="how long pictures take is not estimated"):
        estimate(request, Machine(clip=clip_folder))


def opener(**request):
    return picture_opener(EvaluationRequest.parse(request))


def reason_of(open_image, image):
    with pytest.raises(PictureError) as caught:
        open_image(image)
    return caught.value.reason


def test_local_pictures_lie_relative_to_the_input(tmp_path, monkeypatch):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.png").write_bytes(b"picture")
    (tmp_path / "captions.jsonl").write_text("")
    for where in (tmp_path / "captions.jsonl", tmp_path):
        open_image = opener(input=str(where))
        assert open_image("photos/a.png") == open_image(str(tmp_path / "photos" / "a.png")) == b"picture"
        assert reason_of(open_image, "photos/b.png") == "image_not_found"
        assert reason_of(open_image, "photos") == "image_not_found"
        assert reason_of(open_image, "https://example.com/a.png") == "image_unreadable"
    monkeypatch.chdir(tmp_path / "photos")
    assert opener()("a.png") == b"picture"


def test_a_pipe_is_no_picture_and_a_large_file_is_refused(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "a.png").write_bytes(b"12345")
    open_image = opener(input=str(tmp_path))
    assert reason_of(open_image, "pipe.png") == "image_not_found"
    monkeypatch.setattr(_pictures, "MAX_BYTES", 4)
    assert reason_of(open_image, "a.png") == "image_too_large"


@pytest.mark.parametrize(
    ("image", "inputs", "reason"),
    [
        ("/etc/hostname", "s3://b/in/", "image_forbidden"),
        ("a.png", "s3://b/in/", "image_forbidden"),
        ("s3://other/a.png", "s3://b/in/", "image_forbidden"),
        ("s3://b/in-other/a.png", "s3://b/in/", "image_forbidden"),
        ("s3://b/in/a.png", "", "image_forbidden"),
        ("file:///etc/hostname", "s3://b/in/", "image_forbidden"),
        ("s3://b/in/../secret/a.png", "s3://b/in/", "image_forbidden"),
    ],
)
def test_records_in_a_request_name_no_local_picture(image, inputs, reason, monkeypatch):
    monkeypatch.setenv("SCENESCORE_INPUTS", inputs)
    assert reason_of(opener(sessions=[]), image) == reason


def test_pictures_in_s3(weed, monkeypatch):
    bucket = "scenescore-tests"
    weed.put_object(Bucket=bucket, Key="clip/in/captions.jsonl", Body=b"{}")
    weed.put_object(Bucket=bucket, Key="clip/photos/a.png", Body=b"picture")
    open_image = opener(input=f"s3://{bucket}/clip/in/captions.jsonl")
    assert open_image("../photos/a.png") == open_image(f"s3://{bucket}/clip/photos/a.png") == b"picture"
    assert opener(input=f"s3://{bucket}/clip")("photos/a.png") == b"picture"
    assert reason_of(open_image, "b.png") == "image_not_found"
    assert reason_of(open_image, "/etc/hostname") == "image_forbidden"
    assert reason_of(open_image, "s3://elsewhere/a.png") == "image_forbidden"
    monkeypatch.setenv("SCENESCORE_INPUTS", f"s3://{bucket}/clip/in/")
    narrow = opener(input=f"s3://{bucket}/clip/in/captions.jsonl")
    assert reason_of(narrow, "../photos/a.png") == "image_forbidden"
    assert reason_of(narrow, f"s3://{bucket}/clip/photos/a.png") == "image_forbidden"
    assert reason_of(opener(sessions=[]), "a.png") == "image_forbidden"


def test_what_may_be_better_next_time_ends_the_run_instead_of_a_sample(monkeypatch):
    def overloaded(*_, **__):
        raise TransientStorageError("slow down")

    monkeypatch.setattr(storage, "open_read", overloaded)
    with pytest.raises(TransientStorageError):
        opener()("s3://b/a.png")

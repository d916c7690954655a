"""Files and requests made to harm: they are refused by name, quickly, and reach nothing else."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import time

import orjson
import pytest

from handler import evaluate, storage
from handler.decisions import spreadsheet
from handler.errors import ForbiddenError, InputError, RequestError, ScenescoreError
from handler.evaluation import CalibrationRequest, EvaluationRequest
from handler.events import answer_direct, handle_messages
from handler.jobs import Clock, check_locations, run_step
from handler.models import PictureError, check_content, load_card
from handler.reports.page import csv_lines
from handler.settings import Settings
from tests.faults.stub import stub_folder

SECONDS = 5.0
MEGABYTE = 1 << 20
WORDS = {"hypothesis": "a", "reference": "b"}


def refused_quickly(work, *kinds):
    """The error of `work`, which took little time."""
    started = time.process_time()
    with pytest.raises(kinds or ScenescoreError) as caught:
        work()
    assert time.process_time() - started < SECONDS
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 2000
    return caught.value


@pytest.mark.parametrize("form", ["one line", "twice"])
def test_a_decompression_bomb_is_refused_before_it_is_large(tmp_path, form):
    """80 MB out of 80 kB; memory is looked at where files are read."""
    plain = b'{"hypothesis": "' + b" " * (80 * MEGABYTE)
    data = gzip.compress(plain if form == "one line" else gzip.compress(plain), 9)
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(data)
    error = refused_quickly(lambda: evaluate(str(path), metrics=["speech.wer"]), InputError)
    assert "bomb.jsonl.gz" in str(error)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"conversation":'])
@pytest.mark.parametrize("depth", [65, 5000, 300_000])
def test_deep_nesting(tmp_path, opening, depth):
    path = tmp_path / "deep.json"
    path.write_text(opening * depth)
    refused_quickly(lambda: evaluate(str(path)), InputError)
    body = (b"[" * depth) + (b"]" * depth)
    reply = handle_messages(
        {"Records": [{"messageId": "1", "eventSource": "aws:sqs", "body": body.decode()}]}, settings_of(), Clock()
    )
    assert reply == {"batchItemFailures": [{"itemIdentifier": "1"}]}


def test_very_long_strings(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({**WORDS, "hypothesis": "a" * (3 * MEGABYTE)}) + "\n")
    assert "characters" in str(refused_quickly(lambda: evaluate(str(path)), InputError))
    long = "x" * MEGABYTE
    for change in ({"metrics": [long]}, {"mode": long}, {"threshold": long}):
        with pytest.raises(ScenescoreError) as caught:
            evaluate([WORDS], **change)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 20_000
    with pytest.raises(RequestError) as caught:
        EvaluationRequest.parse({long: 1})
    assert len(json.dumps(caught.value.document())) < 20_000


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_an_export_is_a_formula(text):
    row = {"index": 0, "session_id": text, "assistant_id": "m", "sample_id": text, "tags": {text: text}, "metrics": {}}
    entry = {"answer": text, text: text, "scores": 0.5}
    exports = ["".join(csv_lines(lambda: [row])), spreadsheet([entry]).decode("utf-8-sig")]
    for export in exports:
        cells = [cell for line in csv.reader(io.StringIO(export, newline="")) for cell in line]
        assert any(text.strip() in cell for cell in cells)
        assert not [cell for cell in cells if cell.lstrip(" ")[:1] in ("=", "+", "-", "@", "\t", "\r", "\n", "＝")]


def settings_of(**more):
    return Settings(model=None, output="s3://b/out", inputs=("s3://b/in/",), **more)


OUTSIDE = (
    *("/etc/passwd", "../x", "file:///etc/passwd", "http://169.254.169.254/latest/meta-data", "s3://other/in/x"),
    *("s3://b/inner/x", "s3://b/in/../secret", "s3://b/out/x", "s3://b", "", "\0", "s3://b/in\n/x/../../y"),
)


@pytest.mark.parametrize("location", OUTSIDE)
@pytest.mark.parametrize("role", ["input", "references", "questions", "calibration"])
def test_what_a_request_may_name(role, location):
    request = EvaluationRequest(**{"input": "s3://b/in/a.jsonl", role: location})
    if location in ("s3://b/in/../secret", "s3://b/in\n/x/../../y"):
        # S3 has no `..`: a key with one lies under the prefix that it is written under, and names nothing else.
        assert location.startswith("s3://b/in")
        return
    with pytest.raises(ForbiddenError):
        check_locations(request, settings_of())
    found = answer_direct({"input": "s3://b/in/a.jsonl", role: location}, settings_of(), Clock())
    assert found["status"] == 403


@pytest.mark.parametrize("field", ["plan", "result"])
@pytest.mark.parametrize("location", ["s3://other/out/x", "s3://b/outer/x", "s3://b/out/../in", "/tmp/x", 7, None])
def test_what_a_step_may_name(field, location):
    step = {
        "schema": "scenescore.reduce/1",
        "id": "abc",
        "plan": "s3://b/out/p",
        "result": "s3://b/out/r",
        field: location,
    }
    with pytest.raises(RequestError):
        run_step(step, settings_of(), Clock())


def test_a_calibration_in_a_body_names_no_file(monkeypatch):
    with pytest.raises(ScenescoreError):
        check_locations(CalibrationRequest(input="/etc/passwd"), settings_of())


@pytest.mark.parametrize(
    "image", ["/etc/passwd", "../../etc/passwd", "file:///etc/passwd", "https://x/y.png", "s3://o/x.png"]
)
def test_pictures_in_records_from_outside(image, monkeypatch):
    from handler.evaluation._pictures import picture_opener

    monkeypatch.setenv("SCENESCORE_INPUTS", "s3://b/in")
    with pytest.raises(PictureError) as caught:
        picture_opener(EvaluationRequest(sessions=[]))(image)
    assert caught.value.reason in ("image_forbidden", "image_not_found", "image_unreadable")


def test_names_that_lead_elsewhere_stay_in_the_output(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "..jsonl").write_text(json.dumps(WORDS))
    evaluate(str(folder / "..jsonl"), output=str(tmp_path / "out"))
    evaluate(f"{folder}/../in/..jsonl", output=str(tmp_path / "out"), force=True)
    made = list(tmp_path.rglob("report.json"))
    assert made
    assert all((tmp_path / "out") in path.parents for path in made)


def test_links_in_the_output_are_replaced_not_followed(tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text(json.dumps(WORDS))
    location = evaluate(str(source), output=str(tmp_path / "out")).location
    victim = tmp_path / "victim"
    for name in ("report.json", "samples.jsonl", "errors.jsonl"):
        victim.write_text("mine")
        path = tmp_path / "out" / "a.jsonl" / location.rsplit("/", 1)[-1] / name
        path.unlink()
        path.symlink_to(victim)
        evaluate(str(source), output=str(tmp_path / "out"), force=True)
        assert victim.read_text() == "mine"
        assert not path.is_symlink()


def test_a_lock_that_is_a_link_is_refused(tmp_path):
    (tmp_path / ".latest.json.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ScenescoreError):
        storage.update_bytes(str(tmp_path / "latest.json"), lambda old: b"new")
    assert not (tmp_path / "elsewhere").exists()


def test_stamps_that_others_may_have_put_are_not_believed(tmp_path, monkeypatch):
    """The model's hash is checked once; the note that it was lies in the temp directory, where all may write."""
    folder = stub_folder(tmp_path / "model")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    card = load_card(folder)
    check_content(folder, card)
    (stamps,) = tmp_path.glob("scenescore-checked-*")
    damaged = (folder / "model.onnx").read_bytes()[:-1] + b"!"
    times = (folder / "model.onnx").stat()
    with (folder / "model.onnx").open("r+b") as file:
        file.write(damaged)
    os.utime(folder / "model.onnx", ns=(times.st_atime_ns, times.st_mtime_ns))
    check_content(folder, card)  # believed: only we can have said so
    stamps.chmod(0o777)
    with pytest.raises(ScenescoreError, match=r"model\.onnx"):
        check_content(folder, card)


def test_numbers_that_json_does_not_have_are_refused():
    for body in ('{"threshold": NaN}', '{"threshold": Infinity}', '{"threshold": 1e999}'):
        with pytest.raises((RequestError, orjson.JSONDecodeError)):
            EvaluationRequest.parse(orjson.loads(body))

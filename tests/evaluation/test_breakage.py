"""Things that once gave a wrong number, a crash or a lost result; each names the rule that now holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from handler import evaluate, storage
from handler.errors import RequestError, StorageError
from handler.evaluation import EvaluationRequest, Machine, run

pytestmark = pytest.mark.model

FRAME = {"answer": "A dog runs.", "reference": "A dog is running."}


def write(path, *frames):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(frame) + "\n" for frame in frames or [FRAME]))
    return path


def test_data_beside_a_file_called_report_is_read(tmp_path, model):
    for name in ("one.jsonl", "cams/a.jsonl", "cams/east/b.jsonl", "cams/report.jsonl"):
        write(tmp_path / name)
    (tmp_path / "latest.json").write_text(json.dumps([FRAME]))
    assert evaluate(str(tmp_path), model=model)["counts"]["n_samples"] == 5


def test_results_inside_the_input_folder_are_not_inputs(tmp_path, model):
    write(tmp_path / "a.jsonl")
    location = evaluate(str(tmp_path), output=str(tmp_path / "results"), model=model).location
    Path(location, "report.json").unlink()  # as a killed run may leave it
    assert evaluate(str(tmp_path), model=model)["counts"]["n_samples"] == 1


def test_a_file_replaced_while_it_is_scored_leaves_no_report(tmp_path, model):
    path = write(tmp_path / "a.jsonl", *[FRAME] * 600)

    def replace(_):
        write(tmp_path / "b.jsonl")
        os.replace(tmp_path / "b.jsonl", path)

    request = EvaluationRequest(input=str(path), output=str(tmp_path / "out"))
    with pytest.raises(StorageError, match="replaced while it was scored"):
        run(request, Machine(model=model, on_progress=replace))
    assert not list((tmp_path / "out").rglob("report.json"))


@pytest.mark.parametrize("output", ["s3://", "gs://b/x", "S3://b/x", "https://x/y", "file:///x"])
def test_an_output_of_an_unknown_kind_is_refused(tmp_path, model, output, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StorageError, match=r"only local paths and s3://bucket/key"):
        evaluate([FRAME], output=output, model=model)
    assert list(tmp_path.iterdir()) == []


def test_a_tag_asked_for_twice_counts_once(model):
    metric = evaluate([{**FRAME, "camera": 1}], group_by=["camera", "camera"], model=model)["metrics"][
        "vision.similarity"
    ]
    assert [one["n_samples"] for one in metric["groups"]] == [1]


def test_sessions_keep_their_order_and_first_assistant(model):
    def session(name, assistant, n):
        frames = [{"qa_id": "f", "assistant": "A dog.", "ground_truth_assistant": "A cat."}] * n
        return {"session_id": name, "assistant_id": assistant, "context": "", "conversation": frames}

    report = evaluate([session("one", "a", 1), session("two", "a", 0), session("three", "a", 1)], model=model)
    assert [one["session_id"] for one in report["metrics"]["vision.similarity"]["sessions"]] == ["one", "two", "three"]
    twice = evaluate([session("s", "FIRST", 1), session("s", "SECOND", 0)], mode="compat", model=model)
    assert [one["assistant_id"] for one in twice["metrics"]["vision.similarity"]["sessions"]] == ["FIRST"]


def test_links_to_one_file_are_inputs_of_their_own(tmp_path, model):
    path = write(tmp_path / "real.jsonl")
    reports = []
    for name in ("l1.jsonl", "l2.jsonl"):
        (tmp_path / name).symlink_to(path)
        reports.append(evaluate(str(tmp_path / name), output=str(tmp_path / "out"), model=model))
    assert [one.already_done for one in reports] == [False, False]
    assert [one.samples[0]["session_id"] for one in reports] == ["l1", "l2"]


def test_files_of_one_name_are_one_session_and_said_so(tmp_path, model):
    write(tmp_path / "a" / "cam.jsonl")
    write(tmp_path / "b" / "cam.jsonl")
    report = evaluate(str(tmp_path), model=model)
    assert (report["counts"]["n_sessions"], report["warnings"][0]["code"]) == (1, "same_file_name")


@pytest.mark.parametrize("nothing", ["\u200b", "\ufeff", "\u2060", "\u00ad", "\0", "\x01", " \u200b\n"])
def test_text_that_shows_nothing_is_blank(model, nothing):
    report = evaluate([{"answer": "", "reference": nothing}, {"answer": nothing, "reference": "A dog."}], model=model)
    assert report["metrics"]["vision.similarity"]["overall"]["skipped"] == {"empty_reference": 1}
    assert report["warnings"][0]["code"] == "empty_answer"


@pytest.mark.parametrize("damage", [b'{"schema": "scenesc', b"", b"[]", None])
def test_a_torn_result_is_scored_again(tmp_path, model, damage):
    path = write(tmp_path / "a.jsonl")
    report = evaluate(str(path), output=str(tmp_path / "out"), model=model)
    if damage is None:
        Path(report.location, "samples.jsonl").unlink()
    else:
        Path(report.location, "report.json").write_bytes(damage)
    Path(report.location).parent.joinpath("latest.json").write_text("{torn")
    again = evaluate(str(path), output=str(tmp_path / "out"), model=model)
    assert (again.already_done, again["metrics"]) == (False, report["metrics"])


def test_a_forced_run_that_is_stopped_leaves_the_earlier_report(tmp_path, model):
    path = write(tmp_path / "a.jsonl")
    request = EvaluationRequest(input=str(path), output=str(tmp_path / "out"))
    location = run(request, Machine(model=model)).location

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(request, Machine(model=model, force=True, on_progress=stop))
    assert storage.stat(f"{location}/report.json") is not None


def test_names_that_are_not_utf8_are_read(tmp_path, model):
    path = tmp_path / os.fsdecode(b"bad\xff.jsonl")
    write(path)
    for location in (str(path), str(tmp_path)):
        report = evaluate(location, output=str(tmp_path / "out"), force=True, model=model)
        assert report.samples[0]["session_id"] == "bad\ufffd"


def test_a_generator_that_never_ends_is_read_to_the_limit(tmp_path, model):
    def forever():
        while True:
            yield FRAME

    report = evaluate(forever(), limit=3, output=str(tmp_path), model=model)
    assert report["counts"]["n_samples"] == 3


def test_an_object_that_holds_itself_twice_is_named(model):
    knot = dict(FRAME)
    knot["a"] = knot["b"] = knot
    report = evaluate([FRAME, knot], max_error_rate=0.9, model=model)
    assert "nested more than" in report.errors[0]["reason"]


def test_equal_scores_have_an_equal_mean_and_no_spread(model):
    overall = evaluate([FRAME] * 1000, model=model)["metrics"]["vision.similarity"]["overall"]
    assert overall["mean_similarity"] == overall["min_similarity"] == overall["max_similarity"]
    assert overall["std_similarity"] == 0.0


def test_many_languages_are_one_warning_in_the_end(model):
    frames = [{**FRAME, "language": f"tongue {n}"} for n in range(200)]
    assert len(evaluate(frames, model=model)["warnings"]) <= 31
    for name in ("unknown", "n/a", "English (US)", "und", "american english"):
        assert evaluate([{**FRAME, "language": name}], model=model)["warnings"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"limit": 2**70}, "limit"), ({"input": "b.json"}, "given twice"), ({"model": 5}, "model must be a path")],
)
def test_calls_that_make_no_sense_are_refused(model, arguments, message):
    with pytest.raises(RequestError, match=message):
        evaluate([FRAME], **{"model": model, **arguments})

"""A run that is stopped and carried on leaves what an undisturbed one leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handler import storage
from handler.errors import InputError, OutOfTimeError
from handler.evaluation import EvaluationRequest, Machine, _run, run
from handler.reports import _parts

pytestmark = pytest.mark.model


@pytest.fixture
def source(tmp_path, monkeypatch):
    """23 frames in three cameras with two bad lines, scored four at a time."""
    monkeypatch.setattr(_run, "CHUNK", 4)
    lines = []
    for n in range(23):
        frame = {"session_id": f"cam-{n % 3}", "qa_id": f"f{n}", "tags": {"odd": n % 2}}
        lines.append(
            json.dumps({**frame, "assistant": f"Dog {n}." if n % 4 else " ", "ground_truth_assistant": "A dog."})
        )
        if n in (3, 22):
            lines.append("{broken")
    path = tmp_path / "frames.jsonl"
    path.write_text("\n".join(lines))
    return path


def carry_on(request, machine):
    """Call until it is done; returns the report and how often it was stopped."""
    for stops in range(50):
        try:
            return run(request, machine), stops
        except OutOfTimeError:
            continue
    raise AssertionError("it never ends")


def comparable(report):
    return {key: value for key, value in report.items() if key not in ("timing", "request")}


@pytest.mark.parametrize("remote", [False, True])
@pytest.mark.parametrize("patience", [1, 2, 3, 99])
def test_stopped_and_carried_on_equals_undisturbed(source, tmp_path, model, patience, remote, request):
    base = (
        f"{request.getfixturevalue('folder')}/out" if remote and request.getfixturevalue("weed") else tmp_path / "parts"
    )
    asked = {"input": str(source), "max_error_rate": 0.5, "group_by": ["odd"]}
    whole = run(EvaluationRequest(**asked, output=str(tmp_path / "whole")), Machine(model=model))
    calls = iter(range(10_000))
    machine = Machine(model=model, must_stop=lambda: next(calls) % patience == patience - 1)
    report, stops = carry_on(EvaluationRequest(**asked, output=str(base)), machine)
    assert stops == {1: 6, 2: 3, 3: 2, 99: 0}[patience]
    assert comparable(report) == comparable(whole)
    for name in ("samples.jsonl", "errors.jsonl"):
        expected = storage.read_bytes(f"{whole.location}/{name}")
        assert storage.read_bytes(f"{report.location}/{name}") == expected
        assert expected
    left = [info.location.rsplit("/", 1)[-1] for info in storage.list_objects(f"{report.location}/")]
    assert sorted(left) == ["errors.jsonl", "report.html", "report.json", "samples.jsonl"]


def test_large_parts_are_put_away_on_the_way(source, tmp_path, model, monkeypatch):
    monkeypatch.setattr(_parts, "ROTATE_AT", 500)
    asked = {"input": str(source), "max_error_rate": 0.5}
    whole = run(EvaluationRequest(**asked, output=str(tmp_path / "whole")), Machine(model=model))
    monkeypatch.setattr(_parts, "IN_MEMORY", 100)
    report = run(
        EvaluationRequest(**asked, output=str(tmp_path / "parts")), Machine(model=model, must_stop=lambda: False)
    )
    assert Path(report.location, "samples.jsonl").read_bytes() == Path(whole.location, "samples.jsonl").read_bytes()


def test_stopped_where_the_limit_is_reached_keeps_its_notices(source, tmp_path, model):
    rows = [{"session_id": "s", "qa_id": "twice", "assistant": "A dog.", "ground_truth_assistant": "A cat."}] * 8
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = {"input": str(source), "limit": 8}
    whole = run(EvaluationRequest(**asked, output=str(tmp_path / "whole")), Machine(model=model))
    calls = iter(range(10_000))
    machine = Machine(model=model, must_stop=lambda: next(calls) % 2 == 1)  # after every second chunk of 4
    report, stops = carry_on(EvaluationRequest(**asked, output=str(tmp_path / "parts")), machine)
    assert (stops, [one["code"] for one in whole["warnings"]]) == (1, ["duplicate_sample_id"])
    assert comparable(report) == comparable(whole)


def test_too_many_bad_lines_are_refused_after_a_stop_too(source, tmp_path, model):
    calls = iter(range(10_000))
    machine = Machine(model=model, must_stop=lambda: next(calls) == 1)
    request = EvaluationRequest(input=str(source), output=str(tmp_path / "out"))
    with pytest.raises(OutOfTimeError):
        run(request, machine)
    with pytest.raises(InputError, match=r"frames.jsonl:5.*2 of 25 items"):
        run(request, machine)
    folder = next((tmp_path / "out" / "frames.jsonl").iterdir())
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == ["error.json", "errors.jsonl"]
    assert [json.loads(line)["line"] for line in (folder / "errors.jsonl").read_text().splitlines()] == [5, 25]

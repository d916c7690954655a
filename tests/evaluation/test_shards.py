"""An input cut into shards gives the bytes of samples.jsonl, and the report, of an evaluation in one piece."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handler import evaluate, storage
from handler.errors import InputError, RequestError, ScenescoreError
from handler.evaluation import (
    EvaluationRequest,
    Machine,
    ShardPlan,
    plan_shards,
    reduce_shards,
    run,
    run_shards,
    score_shard,
)
from handler.reports import Report
from tests.evaluation.shard_files import FORMS, TASKS, close, frames, write_lines

N_SHARDS = (1, 2, 7, 64)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, model):
    """{form: (folder with the files, request, report, rows, errors)} of evaluations in one piece."""
    known = {}

    def undisturbed(name):
        if name not in known:
            at = tmp_path_factory.mktemp(name)
            asked = {**FORMS, **TASKS}[name](at)
            for role in ("input", "questions", "references"):
                if role in asked:
                    asked[role] = str(at / asked[role])
            report = run(EvaluationRequest(**asked, output=str(at / "whole")), Machine(model=model))
            known[name] = (asked, report, *(Path(report.location, one).read_bytes() for one in FILES))
        return known[name]

    return undisturbed


FILES = ("samples.jsonl", "errors.jsonl")


def in_shards(asked, output, machine, n, *, order=1, carry=None):
    """Plan, score and reduce in this process, every step from what is stored. Returns the report and the plan."""
    plan = plan_shards(EvaluationRequest(**asked, output=output), machine, run="r", n_shards=n)
    assert isinstance(plan, ShardPlan)
    for number in range(len(plan.shards))[::order]:
        score_shard(ShardPlan.load(plan.location), number, machine)
    return reduce_shards(ShardPlan.load(plan.location), machine), plan


def assert_same(report, whole, rows, errors):
    assert storage.read_bytes(f"{report.location}/samples.jsonl") == rows
    assert storage.read_bytes(f"{report.location}/errors.jsonl") == errors
    for key in whole:
        if key not in ("timing", "request"):
            assert close(report[key], whole[key]), key
    left = [info.location.rsplit("/", 1)[-1] for info in storage.list_objects(f"{report.location}/")]
    assert sorted(left) == ["errors.jsonl", "report.html", "report.json", "samples.jsonl"]


@pytest.mark.model
@pytest.mark.parametrize("n", N_SHARDS)
@pytest.mark.parametrize("name", FORMS)
def test_descriptions_in_shards_equal_one_piece(undisturbed, tmp_path, model, name, n):
    asked, *expected = undisturbed(name)
    report, plan = in_shards(asked, str(tmp_path / "out"), Machine(model=model), n)
    assert_same(report, *expected)
    assert len(plan.shards) <= n
    if n == 7 and name != "nothing_scored":
        assert len(plan.shards) == 7
    in_the_middle = [shard.start.place is not None for shard in plan.shards[1:]]
    if name in ("jsonl", "jsonl_windows", "csv", "csv_excel", "csv_old_mac", "csv_without_header"):
        assert all(in_the_middle)  # byte ranges: nothing before them is read
    if name in ("jsonl_gzip", "json_list", "csv_utf_16"):
        assert not any(in_the_middle)


@pytest.mark.model
@pytest.mark.parametrize("n", N_SHARDS)
@pytest.mark.parametrize("name", TASKS)
def test_answers_in_shards_equal_one_piece(undisturbed, tmp_path, model, name, n):
    asked, *expected = undisturbed(name)
    report, _ = in_shards(asked, str(tmp_path / "out"), Machine(model=model), n)
    assert_same(report, *expected)


@pytest.mark.model
@pytest.mark.parametrize("name", ["jsonl", "csv_excel", "folder", "pope"])
def test_the_order_in_which_shards_are_scored_does_not_matter(undisturbed, tmp_path, model, name):
    asked, *expected = undisturbed(name)
    report, _ = in_shards(asked, str(tmp_path / "out"), Machine(model=model), 7, order=-1)
    assert_same(report, *expected)


@pytest.mark.model
@pytest.mark.parametrize(("name", "n"), [("jsonl", 3), ("wer", 64), ("folder", 2)])
def test_processes_of_this_machine(undisturbed, tmp_path, model, name, n):
    asked, *expected = undisturbed(name)
    seen = []
    machine = Machine(model=model, shards=n, threads=2, on_progress=seen.append)
    request = EvaluationRequest(**asked, output=str(tmp_path / "out"))
    report = run_shards(request, machine)
    assert_same(report, *expected)
    assert sum(seen) == report["counts"]["n_samples"]
    assert run_shards(request, machine).already_done


@pytest.mark.model
@pytest.mark.parametrize("name", ["csv", "wer", "captions"])
def test_shards_on_s3(undisturbed, tmp_path, model, weed, folder, name):
    asked, whole, rows, errors = undisturbed(name)
    for role in ("input", "questions", "references"):
        if role in asked:
            at = f"{folder}/{Path(asked[role]).name}"
            storage.write_bytes(at, Path(asked[role]).read_bytes())
            asked = {**asked, role: at}
    report, _ = in_shards(asked, f"{folder}/out", Machine(model=model), 7)
    expected = {**whole, "input": {**report["input"], "bytes": whole["input"]["bytes"]}}
    assert_same(report, expected, rows, errors)


def test_work_is_cut_evenly_without_a_look_at_more_than_it_takes(tmp_path, model):
    """10,000 frames in 8 byte ranges of equal text; each shard reads its own bytes and the file's head."""
    write_lines(tmp_path / "a.jsonl", frames(10_000))
    request = EvaluationRequest(input=str(tmp_path / "a.jsonl"), output=str(tmp_path / "out"))
    plan = plan_shards(request, Machine(model=model), run="r", n_shards=8)
    assert {shard.n_records for shard in plan.shards} <= set(range(1230, 1271))
    offsets = [0, *(shard.start.place.offset for shard in plan.shards[1:])]
    data = (tmp_path / "a.jsonl").read_bytes()
    assert [data[at - 1 : at] for at in offsets[1:]] == [b"\n"] * 7
    assert [data.count(b"\n", 0, shard.start.place.offset) + 1 for shard in plan.shards[1:]] == [
        shard.start.place.line for shard in plan.shards[1:]
    ]


@pytest.mark.model
def test_what_cannot_be_read_is_refused_before_anything_is_scored(tmp_path, model):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in frames(9)) + "{broken\n")
    asked = {"input": str(path)}
    failed = []
    for output, go in (("whole", run), ("shards", run_shards)):
        with pytest.raises(InputError, match=r"a.jsonl:10"):
            go(EvaluationRequest(**asked, output=str(tmp_path / output)), Machine(model=model, shards=3))
        (at,) = (tmp_path / output / "a.jsonl").iterdir()
        failed.append({file.name: file.read_bytes() for file in at.rglob("*") if file.is_file()})
    assert failed[0] == failed[1]
    assert sorted(failed[0]) == ["error.json", "errors.jsonl"]


@pytest.mark.model
def test_a_file_replaced_after_it_was_cut_is_refused(tmp_path, model):
    path = tmp_path / "a.jsonl"
    write_lines(path, frames(20))
    plan = plan_shards(
        EvaluationRequest(input=str(path), output=str(tmp_path / "out")), Machine(model=model), run="r", n_shards=2
    )
    write_lines(path, frames(21))
    with pytest.raises(ScenescoreError, match="replaced"):
        score_shard(plan, 1, Machine(model=model))


@pytest.mark.model
def test_reduce_waits_for_every_shard(tmp_path, model):
    path = tmp_path / "a.jsonl"
    write_lines(path, frames(20))
    machine = Machine(model=model)
    plan = plan_shards(EvaluationRequest(input=str(path), output=str(tmp_path / "out")), machine, run="r", n_shards=3)
    score_shard(plan, 0, machine)
    with pytest.raises(ScenescoreError, match="not finished: 2 of 3 shards, the first is 1"):
        reduce_shards(plan, machine)
    again = plan_shards(EvaluationRequest(input=str(path), output=str(tmp_path / "out")), machine, run="r", n_shards=5)
    assert len(again.shards) == 3  # the plan that is there is kept
    for number in (0, 1, 2):
        score_shard(again, number, machine)
    assert isinstance(reduce_shards(again, machine), Report)


@pytest.mark.parametrize(
    ("data", "asked", "said"),
    [
        ("a.jsonl", {"shards": 0, "output": "out"}, "from 1 to 10,000, got 0"),
        ("a.jsonl", {"shards": 2}, "only a file with an output"),
        ([{"hypothesis": "a", "reference": "a"}], {"shards": 2, "output": "out"}, "only a file can be cut"),
    ],
)
def test_what_cannot_be_cut_is_refused(data, asked, said):
    with pytest.raises(RequestError, match=said):
        evaluate(data, **asked)


def test_the_python_door_cuts_and_resumes(tmp_path):
    write_lines(tmp_path / "m.jsonl", [{"hypothesis": f"a {i}", "reference": f"b {i}"} for i in range(30)])
    whole = evaluate(tmp_path / "m.jsonl")
    report = evaluate(tmp_path / "m.jsonl", output=str(tmp_path / "out"), shards=3, resume=True)
    assert (report.samples, report["metrics"]) == (whole.samples, whole["metrics"])


@pytest.mark.parametrize("shards", [None, 2])
def test_what_a_run_left_that_was_killed_while_it_tidied_up_goes_when_it_is_resumed(tmp_path, shards):
    write_lines(tmp_path / "a.jsonl", [{"question": f"Is it {i}?", "answer": "yes", "label": "no"} for i in range(9)])
    request = EvaluationRequest(input=str(tmp_path / "a.jsonl"), output=str(tmp_path / "out"))
    report = run_shards(request, Machine(shards=2))
    left = Path(report.location, "shards", "run", "00000")
    left.mkdir(parents=True)
    (left / "state.json").write_text("{}")
    assert run_shards(request, Machine(resume=True, shards=shards)).already_done
    assert sorted(one.name for one in Path(report.location).iterdir()) == [
        "errors.jsonl",
        "report.html",
        "report.json",
        "samples.jsonl",
    ]

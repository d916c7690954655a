"""Answers to questions through the one path: joined files, shards, order, roles, identity."""

from __future__ import annotations

import json
import random

import pytest

from handler import evaluate
from handler.errors import InputError, OutOfTimeError, RequestError
from handler.evaluation import EvaluationRequest, Machine, _run, run
from handler.evaluation._book import Book
from handler.evaluation._inputs import find_files, read_files
from handler.evaluation._metrics import make_metrics
from handler.evaluation._opened import read_options
from handler.formats import Notices, inspect_records, plan_of

SAID = ["Yes", "No", "yes, a dog", "", "I cannot tell.", "No, there is none.", "There is a dog.", "maybe"]


def write_lines(path, records):
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


@pytest.fixture
def pope(tmp_path):
    """40 questions and a mixture of answers."""
    questions = [
        {
            "question_id": n,
            "image": f"{n // 4}.jpg",
            "text": f"Is there a dog in image {n}?",
            "label": ["yes", "no"][n % 2],
        }
        for n in range(40)
    ]
    answers = [{"question_id": n, "text": SAID[n * 7 % 8], "model_id": "m", "prompt": "?"} for n in range(40)]
    return write_lines(tmp_path / "coco_pope_random.json", questions), answers


@pytest.fixture
def bench(tmp_path):
    """Comparison pairs, the last without its counterpart, and counts."""
    rows = [
        {
            "q_id": f"{n // 2}_{'pn'[n % 2]}",
            "question": "?",
            "gt_answer": "TF"[n % 2],
            "model_answer": "TFtx"[n * 5 % 4],
        }
        for n in range(21)
    ]
    rows += [{"q_id": f"c{n}", "gt_answer": 1 + n % 3, "model_answer": str(1 + n % 4)} for n in range(20)]
    return None, rows


@pytest.fixture
def vqa(tmp_path):
    words = ["red", "Red.", "two", "2", "a dog"]
    annotations = [
        {
            "question_id": n,
            "question_type": f"type {n % 3}",
            "answer_type": ["other", "number"][n % 2],
            "answers": [{"answer": words[(n + k * k) % 5], "answer_id": k} for k in range(10)],
        }
        for n in range(30)
    ]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"info": {}, "annotations": annotations}))
    return path, [{"question_id": n, "answer": words[n % 4]} for n in range(30)]


@pytest.fixture
def sequences(tmp_path):
    questions = [
        {
            "sequence_id": f"s{n}",
            "task": ["counting", "grouping"][n % 2],
            "coarse": {"type": "count", "answer": str(n % 3)},
            "fine": [{"question": "?", "answer": ["yes", "no"][k % 2]} for k in range(1 + n % 4)],
        }
        for n in range(20)
    ]
    answers = [{"sequence_id": f"s{n}", "coarse": str(n % 2), "fine": ["Yes"] * (1 + n % 4)} for n in range(20)]
    return write_lines(tmp_path / "sequences.jsonl", questions), answers


KINDS = {"pope": "questions", "vqa": "references", "sequences": "questions", "bench": None}


def figures(report):
    """What must be the same however the answers were cut or ordered."""
    metrics = {
        name: {**metric, "sessions": sorted(metric["sessions"], key=lambda one: one["session_id"])}
        for name, metric in report["metrics"].items()
    }
    codes = [(one["code"], one["count"]) for one in report["warnings"]]
    return json.loads(json.dumps([report["counts"], metrics, codes]))


@pytest.fixture(params=KINDS)
def case(request, tmp_path):
    """(folder, answers, request fields) of each kind."""
    companion, answers = request.getfixturevalue(request.param)
    role = KINDS[request.param]
    (tmp_path / "in").mkdir()
    return tmp_path, answers, {role: companion} if role else {}


@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("mode", ["strict", "compat"])
def test_states_of_shards_merge_to_the_same_report(case, shards, mode):
    folder, answers, fields = case
    path = write_lines(folder / "in" / "answers.jsonl", answers)
    fields = {name: str(location) for name, location in fields.items()}
    request = EvaluationRequest.parse({"input": str(path), "mode": mode, **fields})
    whole = run(request)
    files = tuple(find_files(str(path)))
    options = read_options(request)
    plan = plan_of([str(path)], options)
    metrics = make_metrics(request, Machine(), plan.sample)
    samples = list(read_files(files, options, Notices(), plan))
    size = -(-len(samples) // shards)
    merged = None
    for start in range(0, len(samples), size):
        part = samples[start : start + size]
        book = Book(metrics, [])
        for sample in part:
            book.scored_all([sample], {metric.name: [metric.compute(sample)] for metric in metrics})
        state = json.loads(json.dumps(book.state()))
        book = Book(metrics, [])
        book.restore(state)
        ledgers = book.ledgers
        if merged is None:
            merged = ledgers
        else:
            for name, ledger in merged.items():
                ledger.merge_from(ledgers[name])
    assert merged is not None
    assert {name: ledger.report() for name, ledger in merged.items()} == whole["metrics"]


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_a_folder_of_shards_is_one_input(case, shards):
    """The questions are joined with all files together: one that is answered in another file is not missing."""
    folder, answers, fields = case
    path = write_lines(folder / "in" / "answers.jsonl", answers)
    whole = figures(evaluate(path, **fields))
    path.unlink()
    for n in range(shards):
        size = -(-len(answers) // shards)
        write_lines(folder / "in" / f"{n}.jsonl", answers[n * size : (n + 1) * size])
    cut = figures(evaluate(folder / "in", **fields))
    if fields:
        assert cut == whole
    else:  # sessions are files here
        name = "vlm2bench.native"
        assert cut[1][name]["overall"] == whole[1][name]["overall"]


def test_shuffled_answers_give_the_same_report(case):
    folder, answers, fields = case
    whole = figures(evaluate(write_lines(folder / "in" / "answers.jsonl", answers), **fields))
    shuffled = random.Random(5).sample(answers, len(answers))
    again = figures(evaluate(write_lines(folder / "in" / "answers.jsonl", shuffled), **fields))
    if not fields:  # without a question file, a row's place is its line
        for found in (whole, again):
            found[1]["vlm2bench.native"].pop("worst")
    assert again == whole


def test_swapped_files_are_told_apart_by_content(pope, tmp_path):
    questions, answers = pope
    path = write_lines(tmp_path / "answers.jsonl", answers)
    right = evaluate(path, questions=questions)
    assert figures(evaluate(questions, questions=path)) == figures(right)
    assert figures(evaluate(path, references=questions)) == figures(right)
    with pytest.raises(InputError, match="label"):
        evaluate(questions, questions=path, format="pope")  # roles as asked for


def test_inspect_says_which_file_is_what(pope, tmp_path):
    questions, answers = pope
    path = write_lines(tmp_path / "answers.jsonl", answers)
    request = EvaluationRequest(input=str(questions), questions=str(path))
    detection = inspect_records(str(questions), read_options(request)).detection
    assert detection.roles == {"answers": str(path), "questions": str(questions)}
    assert "though it was not given as INPUT" in detection.reason
    assert detection.holds == "answers to yes/no questions"


def test_the_questions_are_part_of_the_results_name(pope, tmp_path):
    questions, answers = pope
    path = write_lines(tmp_path / "answers.jsonl", answers)
    first = evaluate(path, questions=questions, output=tmp_path / "out")
    assert evaluate(path, questions=questions, output=tmp_path / "out").already_done
    questions.write_text(questions.read_text().replace('"label": "yes"', '"label": "no"', 1))
    second = evaluate(path, questions=questions, output=tmp_path / "out")
    assert not second.already_done
    assert first.location != second.location


def test_a_file_that_nothing_reads_is_refused(pope, vqa, tmp_path):
    questions, answers = pope
    path = write_lines(tmp_path / "answers.jsonl", answers)
    with pytest.raises(InputError, match="do not belong together"):
        evaluate(path, questions=questions, references=vqa[0])
    plain = write_lines(tmp_path / "frames.jsonl", [{"caption": "A dog.", "human": "A dog."}])
    with pytest.raises((RequestError, InputError)):
        evaluate(plain, questions=questions)
    with pytest.raises(RequestError, match=r"vlm2bench\.native reads VLM2-Bench answers"):
        evaluate(path, questions=questions, metrics=["vlm2bench.native"])


def test_answers_without_their_questions_say_what_to_add(pope, tmp_path):
    path = write_lines(tmp_path / "answers.jsonl", pope[1])
    with pytest.raises(InputError, match="Add --questions"):
        evaluate(path)


def test_a_table_of_yes_and_no_can_be_scored_by_name(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("id,answer,reference\n1,Yes.,yes\n2,no,yes\n")
    overall = evaluate(path, metrics=["pope"])["metrics"]["pope"]["overall"]
    assert (overall["tp"], overall["fn"]) == (1, 1)


def test_records_in_memory_are_joined_as_files_are(pope):
    questions, answers = pope
    report = evaluate(answers, questions=questions)
    assert report["metrics"]["pope"]["overall"]["n_samples"] == 40
    whole = evaluate([{"answer": "Yes", "label": "yes"}, {"answer": "NO", "label": "no"}])
    assert whole["metrics"]["pope"]["overall"]["accuracy"] == 1.0


def test_a_folder_may_hold_the_questions_beside_the_answers(pope, tmp_path):
    questions, answers = pope
    (tmp_path / "run").mkdir()
    write_lines(tmp_path / "run" / "answers-1.jsonl", answers[:25])
    write_lines(tmp_path / "run" / "answers-2.jsonl", answers[25:])
    (tmp_path / "run" / questions.name).write_text(questions.read_text())
    whole = evaluate(write_lines(tmp_path / "answers.jsonl", answers), questions=questions)
    assert figures(evaluate(tmp_path / "run")) == figures(whole)
    (tmp_path / "run" / "again.json").write_text(questions.read_text())
    with pytest.raises(InputError, match="two files hold questions"):
        evaluate(tmp_path / "run")


def test_splits_in_one_file_are_summed_apart_and_together(tmp_path):
    """30 random, 30 popular: rightly answered are all of the first and half of the second."""
    rows = [
        {"question_id": n, "text": "?", "label": ["yes", "no"][n % 2], "category": ["random", "popular"][n // 30]}
        for n in range(60)
    ]
    questions = write_lines(tmp_path / "pope.jsonl", rows)
    answers = [{"question_id": n, "answer": rows[n]["label"] if n < 30 else "Yes"} for n in range(60)]
    metric = evaluate(write_lines(tmp_path / "a.jsonl", answers), questions=questions)["metrics"]["pope"]
    assert {one["session_id"]: one["accuracy"] for one in metric["sessions"]} == {"random": 1.0, "popular": 0.5}
    assert {one["session_id"]: one["yes_ratio"] for one in metric["sessions"]} == {"random": 0.5, "popular": 1.0}
    assert (metric["overall"]["accuracy"], metric["overall"]["yes_ratio"]) == (0.75, 0.75)


def test_a_run_that_is_stopped_goes_on_where_it_was(case, monkeypatch):
    folder, answers, fields = case
    path = write_lines(folder / "in" / "answers.jsonl", answers)
    whole = figures(evaluate(path, **fields))
    monkeypatch.setattr(_run, "CHUNK", 6)
    fields = {name: str(location) for name, location in fields.items()}
    request = EvaluationRequest.parse({"input": str(path), "output": str(folder / "out"), **fields})
    stops, report = 0, None
    while report is None:
        try:
            report = run(request, Machine(must_stop=lambda: True))
        except OutOfTimeError:
            stops += 1
    assert stops > 2
    assert figures(report)[:2] == whole[:2]
    assert len(report.samples) == report["counts"]["n_samples"]

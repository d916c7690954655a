"""Groups by what only the questions say, and what a request learns when nobody has the name it asks for."""

from __future__ import annotations

import orjson
import pytest

from handler import evaluate
from handler.evaluation import EvaluationRequest, Machine, run_shards

QUESTIONS = [
    {"question_id": 1, "image": "a.jpg", "text": "Is there a dog?", "label": "yes", "object": "dog"},
    {"question_id": 2, "image": "a.jpg", "text": "Is there a car?", "label": "no", "object": "car"},
    {"question_id": 3, "image": "b.jpg", "text": "Is there a dog?", "label": "no", "object": "dog"},
]
ANSWERS = [{"question_id": n, "answer": "Yes"} for n in (1, 2, 3)]


@pytest.fixture
def files(tmp_path):
    for name, rows in (("questions", QUESTIONS), ("answers", ANSWERS)):
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return str(tmp_path / "answers.jsonl"), str(tmp_path / "questions.jsonl")


def test_answers_are_grouped_by_a_column_of_their_questions(files):
    report = evaluate(files[0], questions=files[1], group_by=["object"])
    groups = report["metrics"]["pope"]["groups"]
    assert [(one["value"], one["n_scored"], one["accuracy"]) for one in groups] == [("car", 1, 0.0), ("dog", 2, 0.5)]
    assert not [one for one in report["warnings"] if one["code"] == "unknown_group"]


def test_a_name_that_nobody_has_is_answered_with_those_there_are(files):
    report = evaluate(files[0], questions=files[1], group_by=["colour"])
    warning = next(one for one in report["warnings"] if one["code"] == "unknown_group")
    assert warning["examples"] == ["colour (there is: object, question, image, session_id, assistant_id, language)"]


def test_shards_name_the_same_as_one_piece_does(files, tmp_path):
    rows = [{**row, f"only_{row['question_id']}": 1} for row in QUESTIONS]
    (tmp_path / "questions.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    request = EvaluationRequest(
        input=files[0], questions=files[1], group_by=["colour"], output=str(tmp_path / "results")
    )
    report = run_shards(request, Machine(shards=3, threads=1))
    warning = next(one for one in report["warnings"] if one["code"] == "unknown_group")
    named = "colour (there is: object, only_1, question, image, session_id, assistant_id, language)"
    assert warning["examples"] == [named]

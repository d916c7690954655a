"""A comma before a closing brace is refused in every JSON document, the files beside the answers included."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.errors import InputError
from handler.formats import Notices, ReadOptions, open_records

PEOPLE = [{"answer": "yes", "answer_id": n} for n in range(1, 11)]
ANNOTATIONS = {"annotations": [{"question_id": 1, "answer_type": "yes/no", "question_type": "is", "answers": PEOPLE}]}


def test_descriptions(tmp_path):
    path = tmp_path / "frame.json"
    path.write_text('{"answer": "a", "reference": "b",}')
    with pytest.raises(InputError, match=r"trailing comma"):
        list(open_records(str(path), ReadOptions(), Notices()))


def test_annotations_beside_answers(tmp_path):
    answers, references = tmp_path / "results.json", tmp_path / "annotations.json"
    answers.write_text(json.dumps([{"question_id": 1, "answer": "yes"}]))
    references.write_text(json.dumps(ANNOTATIONS))
    report = evaluate(str(answers), references=str(references))
    assert report["metrics"]["vqa.accuracy"]["overall"]["n_scored"] == 1
    references.write_text(json.dumps(ANNOTATIONS)[:-1] + ",}")
    with pytest.raises(InputError, match=r"annotations.json.*trailing comma"):
        evaluate(str(answers), references=str(references))

"""Label Studio's exports: tasks, and tables with a row for each annotation."""

from __future__ import annotations

import json

import pytest
from judge_files import read, samples

from handler import evaluate
from handler.formats import Notices


def result(name, value, kind="choices"):
    return {"from_name": name, "to_name": "text", "type": kind, "value": value, "id": "x"}


def annotation(by, *results, cancelled=False):
    return {"id": by, "completed_by": by, "was_cancelled": cancelled, "result": list(results)}


def prediction(version, *results):
    return {"model_version": version, "score": 0.5, "result": list(results)}


GOOD, BAD = {"choices": ["Good"]}, {"choices": ["Bad"]}
TASKS = [
    {
        "id": 11,
        "data": {"text": "A dog runs.", "response": "A dog", "camera": "north"},
        "annotations": [
            annotation(
                1, result("quality", GOOD), result("stars", {"rating": 4}, "rating"), result("why", {"text": ["ok"]})
            ),
            annotation(2, result("quality", BAD), result("stars", {"rating": 2}, "rating")),
            annotation(3, result("quality", BAD), cancelled=True),
        ],
        "predictions": [prediction("gpt-4o", result("quality", GOOD), result("stars", {"rating": 5}, "rating"))],
    },
    {
        "id": 12,
        "data": {"text": "A cat sits.", "llm_quality": "Bad"},
        "annotations": [annotation({"id": 1, "email": "a@example.org"}, result("quality", BAD))],
        "predictions": [prediction("gpt-4o", result("quality", BAD)), prediction("qwen", result("quality", GOOD))],
    },
]


def test_label_studio_tasks(tmp_path):
    notices = Notices()
    found = samples(tmp_path / "export.json", TASKS, notices)
    assert [(one.session_id, one.assistant_id, one.sample_id, one.grade, one.people) for one in found] == [
        ("quality", "gpt-4o", "11", "Good", ("Good", "Bad")),
        ("stars", "gpt-4o", "11", 5.0, (4.0, 2.0)),
        ("quality", "gpt-4o", "12", "Bad", ("Bad",)),
        ("quality", "qwen", "12", "Good", ("Bad",)),
    ]
    assert [one.index for one in found] == [0, 1, 2, 3]
    assert found[0].lengths == (5.0,)
    assert found[0].columns["camera"] == "north"
    assert notices.counts == {"cancelled_annotation": 1}


def test_label_studio_through_the_whole_path(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(TASKS))
    report = evaluate(path)
    found = {
        (one["session_id"], one["assistant_id"]): (one["n_scored"], one["n_skipped"])
        for one in report["metrics"]["judge.agreement"]["sessions"]
    }
    assert found == {("quality", "gpt-4o"): (1, 1), ("stars", "gpt-4o"): (1, 0), ("quality", "qwen"): (1, 0)}
    assert {one["code"] for one in report["warnings"]} == {"cancelled_annotation", "judge_card_incomplete"}


def test_label_studio_with_the_judge_in_the_data(tmp_path):
    found = samples(tmp_path / "export.json", TASKS[1:], mapping={"answer": "llm_quality", "references": "quality"})
    assert [(one.grade, one.people) for one in found] == [("Bad", ("Bad",))]


def test_label_studio_without_predictions_owes_a_grade(tmp_path):
    """Criteria are then those that people graded; a comment is none."""
    tasks = [{**TASKS[0], "predictions": []}]
    found = read(tmp_path / "export.json", tasks)
    assert [one.field for one in found] == ["answer", "answer"]
    assert not any("--map" in one.reason for one in found)
    (found,) = read(tmp_path / "export.json", [{**tasks[0], "data": {"judge": "Bad"}, "id": 5}])[:1]
    assert "--map answer=judge" in found.reason


def test_the_card_takes_the_judges_name_from_the_file(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(TASKS))
    found = evaluate(path)["metrics"]["judge.agreement"]
    names = {(one["session_id"], one["assistant_id"]): one["card"]["judge"] for one in found["sessions"]}
    assert names == {("quality", "gpt-4o"): "gpt-4o", ("stars", "gpt-4o"): "gpt-4o", ("quality", "qwen"): "qwen"}
    assert found["overall"]["card"]["judge"] == "gpt-4o, qwen"
    given = evaluate(path, options={"judge.agreement": {"judge": "both"}})["metrics"]["judge.agreement"]
    assert given["overall"]["card"]["judge"] == "both"
    rows = [{"judge": "a", "human": "a", "judge_model": "claude"}]
    whole = {"judge.agreement": {"rubric": "Be kind.", "date": "2026-11-30"}}
    report = evaluate(rows, options=whole)
    assert report["metrics"]["judge.agreement"]["overall"]["card"]["judge"] == "claude"
    assert report["warnings"] == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"predictions": [17]}, "export with predictions included"),
        ({"annotations": [3]}, "annotations included"),
        ({"annotations": [{"result": [{"value": GOOD}]}]}, "has no from_name"),
        ({"annotations": [{"result": "none"}]}, "not a list"),
    ],
)
def test_other_label_studio_exports_are_refused_in_words(tmp_path, change, reason):
    (found,) = read(tmp_path / "export.json", [{**TASKS[0], **change}])
    assert reason in found.reason


def test_regions_and_second_results_are_noticed(tmp_path):
    region = result("box", {"rectanglelabels": ["Dog"], "x": 1}, "rectanglelabels")
    several = {**TASKS[1], "annotations": [annotation(1, result("quality", BAD), result("quality", GOOD), region)]}
    notices = Notices()
    found = samples(tmp_path / "export.json", [several], notices)
    assert found[0].people == ("Bad",)
    assert notices.counts == {"several_results": 1, "result_without_grade": 1}


@pytest.mark.parametrize(
    ("value", "kind", "grade"),
    [
        ({"number": 7}, "number", 7.0),
        ({"choices": ["b", "a"]}, "choices", "a, b"),
        ({"selected": "left"}, "pairwise", "left"),
        ({"taxonomy": [["Animal", "Dog"]]}, "taxonomy", "Animal / Dog"),
        ({"text": ["4"]}, "textarea", 4.0),
    ],
)
def test_kinds_of_label_studio_results(tmp_path, value, kind, grade):
    task = {
        "id": 1, "data": {}, "annotations": [annotation(1, result("q", value, kind))],
        "predictions": [prediction("m", result("q", value, kind))],
    }  # fmt: skip
    (found,) = samples(tmp_path / "export.json", [task])
    assert (found.grade, found.people) == (grade, (grade,))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_label_studio_tables_have_a_row_for_each_annotation(tmp_path, form):
    rows = [
        {"id": 1, "judge": "Good", "quality": "Good", "annotator": 5, "annotation_id": 50, "lead_time": 1.5},
        {"id": 1, "judge": "Good", "quality": "Bad", "annotator": 6, "annotation_id": 51, "lead_time": 2.5},
        {
            "id": 2,
            "judge": "Bad",
            "quality": {"choices": ["b", "a"]},
            "annotator": 5,
            "annotation_id": 52,
            "lead_time": 3,
        },
    ]
    text = rows
    if form == "csv":
        ticked = '"{""choices"": [""b"", ""a""]}"'
        text = f"id,judge,quality,annotator,annotation_id\n1,Good,Good,5,50\n1,Good,Bad,6,51\n2,Bad,{ticked},5,52\n"
    found = samples(tmp_path / f"min.{form}", text, format="judge", mapping={"references": "quality"})
    assert [(one.sample_id, one.grade, one.people) for one in found] == [
        ("1", "Good", ("Good", "Bad")),
        ("2", "Bad", ("a, b",)),
    ]

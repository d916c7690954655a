"""VQA's official code: its recorded accuracies in compat mode, and where strict says something else."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.errors import InputError
from handler.metrics.vqa import normalised, official_normalised

SETS = {
    "real-7-questions": ("majority", "minority", "sloppy", "long"),
    "synthetic-14-normalisation-in-context": ("a", "b", "c"),
    "answers-without-answer_id": ("majority", "minority"),
}
RUNS = [(name, results) for name, several in SETS.items() for results in several]


def scored(folder, results, **request):
    return evaluate(
        folder / f"results_{results}.json",
        references=folder / "annotations.json",
        questions=folder / "questions.json",
        **request,
    )


def scores(report):
    return {row["sample_id"]: row["metrics"]["vqa.accuracy"]["score"] for row in report.samples}


@pytest.mark.parametrize(("name", "results"), RUNS)
def test_compat_is_the_official_code(cases, name, results):
    folder = cases / "06-vqa" / name
    expected = json.loads((folder / "expected.json").read_text())[results]
    report = scored(folder, results, mode="compat:vqa")
    summary = report["metrics"]["vqa.accuracy"]["overall"]
    for percents, digits in ((expected["accuracy_n2"], 2), (expected["accuracy_n10"], 10)):
        assert round(100 * summary["accuracy"], digits) == percents["overall"]
        for ours, theirs in (("by_question_type", "perQuestionType"), ("by_answer_type", "perAnswerType")):
            found = {name: round(100 * one["accuracy"], digits) for name, one in summary[ours].items()}
            assert found == percents[theirs]
    assert {name: round(100 * score, 10) for name, score in scores(report).items()} == expected["perQuestion_n10"]


@pytest.mark.parametrize("mode", ["strict", "compat:vqa"])
@pytest.mark.parametrize(
    ("results", "match"), [("missing_one", "'262242000' has no answer"), ("unknown_id", "'999' has no question")]
)
def test_results_that_do_not_fit_the_questions_are_refused(cases, results, match, mode):
    """The official code ends in an AssertionError; strict goes on when it is allowed to skip."""
    folder = cases / "06-vqa" / "real-7-questions"
    assert json.loads((folder / "expected.json").read_text())[results]["raises"]
    with pytest.raises(InputError, match=match):
        scored(folder, results, mode=mode)
    summary = scored(folder, results, mode=mode, on_missing="skip")["metrics"]["vqa.accuracy"]["overall"]
    assert (summary["n_scored"], summary["n_skipped"]) == {"missing_one": (6, 1), "unknown_id": (7, 1)}[results]


def test_every_input_is_normalised_as_the_official_code_does(cases):
    table = json.loads((cases / "06-vqa" / "normalisation-table" / "expected.json").read_text())
    assert len(table) == 111
    for row in table:
        assert official_normalised(row["input"]) == row["official_normalised"], row["input"]


def test_strict_normalisation_differs_only_in_apostrophes_wide_letters_and_what_would_be_nothing(cases):
    table = json.loads((cases / "06-vqa" / "normalisation-table" / "expected.json").read_text())
    differs = [
        row["input"]
        for row in table
        if normalised(row["input"]) != (row["official_normalised"] or normalised(row["input"]))
    ]
    assert all(any(c in one for c in "’‘`´") or not one.isascii() for one in differs), differs


def test_strict_normalises_when_all_people_agree(cases):
    """Ten times "orange", answer "Orange": the official code compares raw and says 0; strict says 1."""
    folder = cases / "06-vqa" / "real-7-questions"
    official, strict = (scores(scored(folder, "sloppy", mode=mode)) for mode in ("compat", "strict"))
    differs = {name for name in official if official[name] != pytest.approx(strict[name])}
    assert differs == {"458752002"}
    assert (official["458752002"], strict["458752002"]) == (0.0, 1.0)


def test_strict_needs_no_answer_ids(cases):
    """Without them the official code drops all twins of the answer left out; strict leaves out one person at a time."""
    folder = cases / "06-vqa" / "answers-without-answer_id"
    official, strict = (scored(folder, "majority", mode=mode) for mode in ("compat", "strict"))
    assert {one["code"] for one in official["warnings"]} == {"answer_id_missing"}
    assert scores(official) == pytest.approx({"262146002": 0.6, "262148000": 0.3})
    assert scores(strict) == pytest.approx({"262146002": 1.0, "262148000": 1.0})


def test_the_layout_of_results_is_known_before_their_references_are(cases):
    path = next((cases / "06-vqa" / "repo-demo-results").glob("Open*.json"))
    with pytest.raises(InputError, match="answers without their questions"):
        evaluate(path)

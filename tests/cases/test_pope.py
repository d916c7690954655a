"""POPE's recorded results: the original's counts and ratios in compat mode, and where strict says something else."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.errors import InputError

COUNTS = ("tp", "fp", "tn", "fn")
RATIOS = ("accuracy", "precision", "recall", "f1", "yes_ratio")
REAL = {
    "llava15-7b-coco-adversarial-greedy": "coco_pope_adversarial.json",
    "llava15-7b-coco-popular-sample": "coco_pope_popular.json",
    "llava15-7b-coco-random-greedy": "coco_pope_random.json",
}
DEGENERATE = ("all_yes", "all_no", "all_correct", "all_wrong", "fewer_answers_40", "more_answers_70")


def overall(answers, questions, **request):
    return evaluate(answers, questions=questions, **request)["metrics"]["pope"]["overall"]


def assert_equal(summary, expected):
    for name in COUNTS:
        assert summary[name] == expected[name.upper()], name
    for name in RATIOS:
        if expected[name] is not None:
            assert summary[name] == pytest.approx(expected[name], abs=1e-6), name


@pytest.mark.parametrize("mode", ["strict", "compat:pope"])
@pytest.mark.parametrize("name", REAL)
def test_real_answers(cases, name, mode):
    """LLaVA says Yes or No and nothing else: both modes give the original's numbers."""
    folder = cases / "03-pope" / name
    expected = json.loads((folder / "expected.json").read_text())
    report = evaluate(next(folder.glob("*.jsonl")), questions=folder / REAL[name], mode=mode)
    metric = report["metrics"]["pope"]
    assert_equal(metric["overall"], expected["pope_evaluate_py"])
    assert metric["overall"]["label_yes_ratio"] == 0.5
    assert [one["session_id"] for one in metric["sessions"]] == [REAL[name].removesuffix(".json")]
    assert report["counts"]["n_samples"] == expected["n_answers"]


def test_a_pretty_printed_list_of_questions(cases):
    """The original cannot read this layout; the expected numbers are its own on the same records, one a line."""
    folder = cases / "03-pope" / "gqa_pope_seem_random-heuristic"
    expected = json.loads((folder / "expected.json").read_text())["pope_evaluate_py_on_lines"]
    for mode in ("strict", "compat"):
        assert_equal(overall(folder / "answers.json", folder / "gqa_pope_seem_random.json", mode=mode), expected)


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_answers(cases, name):
    """Where the original ends in a traceback, what is undefined is null and the rest is said."""
    folder = cases / "03-pope" / "degenerate-60q"
    expected = json.loads((folder / "expected.json").read_text())[name]
    report = evaluate(
        folder / f"answers_{name}.json", questions=folder / "coco_pope_random_60.json", mode="compat:pope"
    )
    summary = report["metrics"]["pope"]["overall"]
    assert_equal(summary, expected)
    if expected["raises"]:
        assert summary["f1"] is None
        assert summary["accuracy"] is not None
    noted = {one["code"]: one["count"] for one in report["warnings"]}
    missing = {"fewer_answers_40": {"unanswered_question": 20}, "more_answers_70": {"answer_without_question": 10}}
    assert noted == missing.get(name, {})


def test_an_empty_file_is_an_error_in_words(cases):
    folder = cases / "03-pope" / "degenerate-60q"
    with pytest.raises(InputError, match="is empty"):
        evaluate(folder / "answers_empty.json", questions=folder / "coco_pope_random_60.json", mode="compat:pope")


@pytest.mark.parametrize(("name", "match"), [("fewer_answers_40", "has no answer"), ("more_answers_70", "no question")])
def test_strict_does_not_score_a_prefix_in_silence(cases, name, match):
    """The original zips: it scores as many pairs as there are. strict wants every question answered, or leave to skip."""
    folder = cases / "03-pope" / "degenerate-60q"
    files = (folder / f"answers_{name}.json", folder / "coco_pope_random_60.json")
    with pytest.raises(InputError, match=match):
        overall(*files)
    summary = overall(*files, on_missing="skip")
    assert summary["n_skipped"] == {"fewer_answers_40": 20, "more_answers_70": 10}[name]
    assert summary["yes_ratio"] == 0.5  # of the answers that have a label; the original counts all 70


def test_every_odd_answer_is_read_as_the_original_reads_it(cases):
    folder = cases / "03-pope" / "answer-parsing-1"
    expected = json.loads((folder / "expected.json").read_text())
    report = evaluate(folder / "answers.json", questions=folder / "questions.json", mode="compat:pope")
    assert_equal(report["metrics"]["pope"]["overall"], expected["pope_evaluate_py"])
    for row, one in zip(report.samples, expected["per_answer"], strict=True):
        assert row["metrics"]["pope"]["parsed"] == one["pope_decision"], one["answer"]


def test_strict_reads_odd_answers_for_what_they_say(cases):
    """Where strict differs from the original: silence and doubt are no "yes", NO is a "no"."""
    folder = cases / "03-pope" / "answer-parsing-1"
    expected = json.loads((folder / "expected.json").read_text())["per_answer"]
    report = evaluate(folder / "answers.json", questions=folder / "questions.json")
    read = {one["answer"]: row["metrics"]["pope"]["parsed"] for row, one in zip(report.samples, expected, strict=True)}
    differs = {one["answer"]: read[one["answer"]] for one in expected if one["pope_decision"] != read[one["answer"]]}
    for answer, said in {"NO": "no", "Nope": "no", "": None, "There isn't a dog in the image.": "no"}.items():
        assert differs[answer] == said
    # The only "no" that strict takes for a yes begins with Yes and has a `not` further on.
    assert [answer for answer, said in differs.items() if said == "yes"] == ["Yes, but not a real dog"]
    summary = report["metrics"]["pope"]["overall"]
    assert summary["n_unparsed"] == sum(said is None for said in read.values())
    assert summary["n_scored"] + summary["n_unparsed"] == summary["n_samples"] == 53

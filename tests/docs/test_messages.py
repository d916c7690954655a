"""What people met on the way through the documents: each message names what to type."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.cli import main
from handler.decisions.comparison import render_comparison
from model_export.__main__ import main as export
from tests.conftest import EXAMPLE

LABELLED = [
    {"session_id": f"s{n % 4}", "sample_id": str(n), "hypothesis": said, "reference": "go on", "human_verdict": verdict}
    for n, (said, verdict) in enumerate([("go on", "same"), ("stop", "different")] * 8 + [("go", None)])
]


@pytest.fixture
def result(tmp_path):
    """The folder above a result that needed no model."""
    path = tmp_path / "said.json"
    path.write_text(json.dumps(LABELLED), encoding="utf-8")
    evaluate(path, output=str(tmp_path / "results"))
    return tmp_path / "results" / "said.json"


def test_a_calibration_takes_the_folder_above_a_result(result, capsys):
    assert main(["calibrate", str(result), "--json"]) == 0
    above = json.loads(capsys.readouterr().out)
    (inside,) = (path for path in result.iterdir() if path.is_dir())
    assert main(["calibrate", str(inside), "--json"]) == 0
    assert above["metrics"] == json.loads(capsys.readouterr().out)["metrics"]


def test_where_there_is_no_result_one_that_is_there_is_named(result, capsys):
    assert main(["compare", str(result.parent), str(result)]) == 2
    assert f"e.g. {result}: one that holds report.json or latest.json" in capsys.readouterr().err


def test_an_input_is_told_from_a_result(capsys):
    assert main(["compare", str(EXAMPLE), str(EXAMPLE)]) == 2
    assert f"`scenescore evaluate {EXAMPLE}` makes a result of it" in capsys.readouterr().err


def test_ids_without_texts_are_called_so(result, tmp_path, capsys):
    assert main(["calibrate", str(result), "--suggest", "2", "--output", str(tmp_path / "ids.csv")]) == 0
    assert "Results keep no texts, so the file has ids only" in capsys.readouterr().out


def test_a_missing_text_names_the_options_of_the_terminal(tmp_path, capsys):
    path = tmp_path / "half.jsonl"
    path.write_text('{"hypothesis": "a", "reference": "a"}\n{"answer": 5}\n', encoding="utf-8")
    assert main(["evaluate", str(path), "--output", str(tmp_path / "results")]) == 2
    assert "--on-missing skip (on_missing)" in capsys.readouterr().err


@pytest.mark.parametrize(("difference", "is_named"), [(0.0001, False), (-0.0004, False), (0.01, True)])
def test_no_number_of_samples_settles_a_difference_that_is_not_seen(difference, is_named):
    texts = {"metric": "speech.wer", "figure": "wer", "baseline": "a", "candidate": "b", "verdict": "open"}
    figures = {"baseline_value": 0.5, "candidate_value": 0.5 + difference, "difference": difference, "p_corrected": 0.9}
    counts = {"wins": 9, "ties": 1, "losses": 8, "n_samples": 18, "slices": [], "regressed": [], "is_rate": False}
    settled = {"interval": None, "detectable_difference": 0.1, "unit": "session"}
    settled["to_settle"] = {"n_samples": 4_000, "n_units": 400}
    found = {"verdict": "no_difference_shown", "summary": "", "matching": [], "refused": [], "warnings": []}
    rules = {"joined_by": [], "n_figures_tested": 1, "n_slices_tested": 0, "power": 0.8}
    text = render_comparison({**found, "rules": rules, "comparisons": [{**texts, **figures, **counts, **settled}]})
    assert ("4,000 samples" in text) is is_named


def test_the_export_calls_itself_what_is_typed(capsys):
    with pytest.raises(SystemExit):
        export(["text-encoder", "--help"])
    assert capsys.readouterr().out.startswith("usage: scenescore export text-encoder")


def test_a_verb_that_does_not_exist_is_answered_with_the_nearest(capsys):
    assert main(["evalute", "frames.csv"]) == 2
    assert capsys.readouterr().err == "scenescore: there is no verb 'evalute'. Did you mean `scenescore evaluate`?\n"

"""vision.claims on the terminal: the words that are wrong, limits on it, its threshold from verdicts, two runs compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handler.cli import main

pytestmark = pytest.mark.model

COUNTED = ("men stand at the gate", "dogs sleep on the grass", "women cross the road", "children sit on the steps")
RIGHT = [(f"Two {what}.", f"Two {what}.") for what in COUNTED]
WRONG = [(f"Three {what}.", f"Two {what}.") for what in COUNTED]


def write(path, pairs, **more):
    rows = [
        {"session_id": f"cam-{n // 2 % 4}", "sample_id": f"f{n}", "answer": answer, "reference": reference, **one}
        for n, (answer, reference) in enumerate(pairs)
        for one in [{name: values[n] for name, values in more.items()}]
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.fixture
def frames(tmp_path, model):
    """Three frames right, two wrong, in every camera's turn."""
    return write(tmp_path / "frames.jsonl", [*RIGHT[:3], *WRONG[2:]])


def results(folder):
    report = next(Path(folder).rglob("report.json"))
    rows = [json.loads(line) for line in (report.parent / "samples.jsonl").read_text().splitlines()]
    return json.loads(report.read_text()), rows


def test_the_table_names_what_the_model_said_and_what_people_saw(frames, tmp_path, capsys):
    assert main(["evaluate", str(frames), "--metrics", "vision", "--output", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    table = printed[printed.index("vision.claims") :].splitlines()
    assert " ".join(table[0].split()) == (
        "vision.claims contradicted 95 % interval flagged decided undecided above skipped most often"
    )
    (overall,) = [line.split() for line in table[: table.index("")] if line.startswith("all ")]
    assert overall[1] == "40.0%"
    assert overall[-2:] == ["number", "(2)"]
    worst = printed[printed.index("Highest contradictions") :].splitlines()
    at = next(n for n, line in enumerate(worst) if line.split()[1:] == ["cam-1", "/", "f3"])
    assert [line.strip() for line in worst[at + 1 : at + 4]] == [
        "model : Three women cross the road.",
        "person: Two women cross the road.",
        'number: model "three women", person "two women"',
    ]
    assert "Why:" not in printed
    assert "calibrate" in printed.splitlines()[-1]
    assert "--metrics vision.claims,vision.similarity" in printed.splitlines()[-1]


def test_where_nothing_is_contradicted_the_lowest_similarities_are_shown(tmp_path, model, capsys):
    frames = write(tmp_path / "frames.jsonl", [("A bus waits.", "A child eats an apple in the kitchen.")])
    for metrics in ("vision.hallucination", "vision.hallucination,vision.similarity"):
        words = ["--metrics", metrics, "--output", str(tmp_path / metrics)]
        assert main(["evaluate", str(frames), *words]) == 0
        printed = capsys.readouterr().out
        assert "\nLowest similarities\n" in printed
        assert "Highest" not in printed


def test_limits_on_the_rate_and_on_a_kind(frames, tmp_path, capsys):
    words = ["evaluate", str(frames), "--metrics", "vision.claims", "--output", str(tmp_path / "out")]
    for gate, code in (
        ("vision.claims.rate>0.5", 0),
        ("claims.rate>0.03", 1),
        ("vision.claims.kinds.number>0", 1),
        ("vision.claims.kinds.place>0", 0),
        ("vision.claims.n_undecided>0", 0),
        ("vision.claims.kind_rates.number>0.01", 1),
    ):
        assert main([*words, "--fail-if", gate]) == code, gate
    printed = capsys.readouterr().out
    assert "vision.claims.kind_rates.number > 0.01: 0.4 (95% interval" in printed


def test_the_similarity_threshold_is_not_taken_for_its_own(frames, tmp_path, capsys):
    words = ["evaluate", str(frames), "--metrics", "vision.claims", "--output", str(tmp_path / "out")]
    assert main([*words, "--threshold", "0.9"]) == 2
    assert "--option vision.claims.threshold=0.9" in capsys.readouterr().err
    assert main([*words, "--option", "vision.claims.threshold=1"]) == 0
    report, rows = results(tmp_path / "out")
    assert report["metrics"]["vision.claims"]["overall"]["n_contradicted"] == 0
    assert {row["metrics"]["vision.claims"]["threshold"] for row in rows} == {1}
    assert main([*words, "--option", "vision.claims.threshold=2"]) == 2
    assert "must be a number in 0..1" in capsys.readouterr().err


def test_of_a_group_those_are_taken_that_have_the_mode(frames, tmp_path, capsys):
    words = ["evaluate", str(frames), "--mode", "compat:fair-forge", "--output", str(tmp_path / "out")]
    assert main([*words, "--metrics", "vision"]) == 0
    assert sorted(results(tmp_path / "out")[0]["metrics"]) == ["vision.hallucination", "vision.similarity"]
    assert main([*words, "--metrics", "vision.claims"]) == 2
    assert "vision.claims has no mode compat:fair-forge" in capsys.readouterr().err


def test_a_threshold_from_verdicts(tmp_path, model, capsys):
    verdicts = ["same", "different"] * 8
    pairs = [pair for one in zip(RIGHT * 2, WRONG * 2, strict=True) for pair in one]
    frames = write(tmp_path / "judged.jsonl", pairs, human_verdict=verdicts)
    calibration = tmp_path / "c.json"
    assert main(["calibrate", str(frames), "--metrics", "vision", "--output", str(calibration)]) == 0
    after = " --metrics vision.claims,vision.hallucination,vision.similarity"
    assert f"Next: scenescore evaluate INPUT{after} --calibration {calibration}" in capsys.readouterr().out
    found = json.loads(calibration.read_text())["metrics"]
    assert sorted(found) == ["vision.claims", "vision.similarity"]
    assert found["vision.claims"]["sets"] == ["vision.claims"]
    assert found["vision.claims"]["flags"] == "scores above the threshold"
    assert "threshold:" not in found["vision.claims"]["signature"]
    words = ["evaluate", str(frames), "--calibration", str(calibration), "--metrics", "vision"]
    assert main([*words, "--output", str(tmp_path / "out")]) == 0
    report, _ = results(tmp_path / "out")
    overall = report["metrics"]["vision.claims"]["overall"]
    assert overall["threshold"] == found["vision.claims"]["threshold"]
    assert overall["threshold_source"].startswith("calibration ")
    assert overall["rate"] == 0.5
    assert report["calibration"]["metrics"] == ["vision.claims", "vision.hallucination"]
    again = [*words, "--option", "vision.claims.threshold=0.5", "--output", str(tmp_path / "other")]
    assert main(again) == 2
    assert "a threshold is stated beside the calibration" in capsys.readouterr().err


def test_what_to_type_next_names_the_metric_that_was_judged(tmp_path, model, capsys):
    verdicts = ["same", "different"] * 8
    pairs = [pair for one in zip(RIGHT * 2, WRONG * 2, strict=True) for pair in one]
    frames = write(tmp_path / "judged.jsonl", pairs, human_verdict=verdicts)
    calibration, chosen = tmp_path / "c.json", tmp_path / "to-label.csv"
    assert main(["calibrate", str(frames), "--metrics", "vision.claims", "--output", str(calibration)]) == 0
    command = f"evaluate INPUT --metrics vision.claims --calibration {calibration}"
    assert capsys.readouterr().out.splitlines()[-1] == f"Next: scenescore {command}"
    followed = command.replace("INPUT", str(frames)).split()
    assert main([*followed, "--output", str(tmp_path / "out")]) == 0
    frames = write(tmp_path / "frames.jsonl", pairs)
    suggest = ["--metrics", "vision.claims", "--suggest", "3", "--output", str(chosen)]
    assert main(["calibrate", str(frames), *suggest]) == 0
    assert f"then: scenescore calibrate {chosen} --metrics vision.claims\n" in capsys.readouterr().out


def test_a_calibration_of_similarity_alone_leaves_the_threshold_of_claims(tmp_path, model, capsys):
    verdicts = ["same", "different"] * 4
    pairs = [pair for one in zip(RIGHT, WRONG, strict=True) for pair in one]
    frames = write(tmp_path / "judged.jsonl", pairs, human_verdict=verdicts)
    calibration = tmp_path / "c.json"
    assert main(["calibrate", str(frames), "--output", str(calibration)]) == 0
    words = ["evaluate", str(frames), "--calibration", str(calibration), "--output", str(tmp_path / "out")]
    assert main([*words, "--metrics", "vision"]) == 0
    report, _ = results(tmp_path / "out")
    assert report["calibration"]["metrics"] == ["vision.hallucination"]
    assert "threshold_source" not in report["metrics"]["vision.claims"]["overall"]
    assert {"code": "not_in_calibration", "count": 1, "examples": ["vision.claims"]} in report["warnings"]
    shown = capsys.readouterr().out
    assert "threshold of vision.hallucination by calibration" in shown
    assert "the calibration has no threshold for a metric's score, and the metric keeps its own: 1" in shown
    assert main([*words, "--metrics", "vision.claims"]) == 2
    assert "has no threshold for vision.claims" in capsys.readouterr().err


def test_a_calibration_of_claims_alone_leaves_the_threshold_of_similarity_and_says_so(tmp_path, model, capsys):
    pairs = [pair for one in zip(RIGHT, WRONG, strict=True) for pair in one]
    frames = write(tmp_path / "judged.jsonl", pairs, human_verdict=["same", "different"] * 4)
    calibration = tmp_path / "c.json"
    assert main(["calibrate", str(frames), "--metrics", "vision.claims", "--output", str(calibration)]) == 0
    words = ["evaluate", str(frames), "--calibration", str(calibration), "--output", str(tmp_path / "out")]
    assert main([*words, "--metrics", "vision"]) == 0
    report, _ = results(tmp_path / "out")
    assert report["metrics"]["vision.hallucination"]["overall"]["threshold"] == 0.75
    assert {"code": "not_in_calibration", "count": 1, "examples": ["vision.hallucination"]} in report["warnings"]
    assert "threshold of vision.claims by calibration" in capsys.readouterr().out


def test_two_runs_are_compared_by_the_frames_contradicted(tmp_path, model, capsys):
    for name, pairs in (("old", RIGHT[:2] + WRONG[2:]), ("new", RIGHT)):
        frames = write(tmp_path / "frames.jsonl", pairs)
        assert main(["evaluate", str(frames), "--metrics", "vision.claims", "--output", str(tmp_path / name)]) == 0
    folders = [str(next((tmp_path / name).rglob("report.json")).parent) for name in ("old", "new")]
    capsys.readouterr()
    assert main(["compare", *reversed(folders)]) == 0
    assert 'after : number: model "three women", person "two women"' in capsys.readouterr().out
    assert main(["compare", *folders, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (found,) = document["comparisons"]
    assert (found["metric"], found["figure"]) == ("vision.claims", "rate")
    assert (found["baseline_value"], found["candidate_value"]) == (0.5, 0.0)

"""`scenescore calibrate` and `evaluate --calibration`, on the real model."""

from __future__ import annotations

import csv
import json

import pytest

from handler.cli import main

pytestmark = pytest.mark.model

PLACES = ["at the gate", "near the car", "by the door", "in the yard", "on the stairs", "under the bridge"]
PAIRS = [("A man stands", "A person is standing", "ok"), ("A dog runs", "Nobody is there", "hallucination")]


@pytest.fixture(scope="module")
def frames(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("calibrate") / "frames.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["session_id", "sample_id", "answer", "reference", "human_verdict"])
        for n in range(24):
            answer, reference, verdict = PAIRS[n % 2]
            place, other = PLACES[n // 2 % 6], PLACES[(n // 2 + n // 12) % 6]
            verdict = verdict if n < 20 else ""
            writer.writerow([f"cam-{n // 2 % 4}", f"f{n}", f"{answer} {place}.", f"{reference} {other}.", verdict])
    return path


@pytest.fixture(scope="module")
def calibration(frames):
    path = frames.parent / "calibration.json"
    assert main(["calibrate", str(frames), "--output", str(path)]) == 0
    return path


def test_too_few_verdicts_are_not_called_calibrated(frames, tmp_path, capsys):
    path = tmp_path / "c.json"
    assert main(["calibrate", str(frames), "--output", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "NOT calibrated" in printed
    assert "needs 50" in printed
    assert "Next: scenescore calibrate INPUT --suggest 100   (frames worth a verdict, until it is" in printed
    document = json.loads(path.read_text())
    assert document["calibrated"] is False
    assert document["verdicts"] == {
        "column": "human_verdict",
        "rule": "true, yes and 1 mean same",
        "words": {"ok": 10, "hallucination": 10},
        "n_same": 10,
        "n_different": 10,
        "n_without": 4,
    }
    assert 0 < document["metrics"]["vision.similarity"]["threshold"] < 0.8


def test_evaluate_uses_it_and_says_so(frames, calibration, tmp_path, capsys):
    assert main(["evaluate", str(frames), "--calibration", str(calibration), "--output", str(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    made = json.loads(calibration.read_text())
    threshold = made["metrics"]["vision.similarity"]["threshold"]
    assert report["calibration"]["fingerprint"] == made["fingerprint"]
    assert report["calibration"]["calibrated"] is False
    assert f"threshold:{threshold}|calibration:{made['fingerprint']}" in report["signature"]["vision.hallucination"]
    overall = report["metrics"]["vision.hallucination"]["overall"]
    assert overall["threshold"] == threshold
    assert overall["threshold_source"] == f"calibration {made['fingerprint']}"
    assert "not_calibrated" in [one["code"] for one in report["warnings"]]
    folder = next(tmp_path.rglob("report.json")).parent
    for line in (folder / "samples.jsonl").read_text().splitlines():
        verdict = json.loads(line)["metrics"]["vision.hallucination"]
        assert verdict["is_hallucination"] == (verdict["similarity_score"] < threshold)
        assert 0 <= verdict["probability"] <= 1


def test_another_calibration_is_another_folder(frames, calibration, tmp_path):
    for extra in ([], ["--calibration", str(calibration)]):
        assert main(["evaluate", str(frames), "--output", str(tmp_path), *extra]) == 0
    assert len(list(tmp_path.rglob("report.json"))) == 2


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--threshold", "0.6"], "a threshold is stated beside the calibration"),
        (["--option", "vision.hallucination.threshold=0.6"], "a threshold is stated beside the calibration"),
        (["--mode", "compat:fair-forge"], "made with mode:strict, and this request scores with mode:compat:fair-forge"),
        (["--metrics", "vision.similarity"], "no metric of this request has a threshold to calibrate"),
    ],
)
def test_what_does_not_fit_is_refused(frames, calibration, tmp_path, capsys, extra, said):
    command = ["evaluate", str(frames), "--calibration", str(calibration), "--output", str(tmp_path), *extra]
    assert main(command) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.rglob("report.json"))


def test_a_finished_result_is_not_scored_again(frames, calibration, tmp_path, monkeypatch):
    assert main(["evaluate", str(frames), "--output", str(tmp_path)]) == 0
    folder = next(tmp_path.rglob("report.json")).parent
    monkeypatch.setenv("SCENESCORE_MODEL", str(tmp_path / "nowhere"))
    again = tmp_path / "again.json"
    assert main(["calibrate", str(folder), "--output", str(again)]) == 0
    assert json.loads(again.read_text())["metrics"] == json.loads(calibration.read_text())["metrics"]


def test_where_every_frame_is_judged_nothing_is_suggested_and_other_frames_are_asked_for(tmp_path, capsys):
    judged = tmp_path / "judged.csv"
    judged.write_text("answer,reference,human_verdict\nA dog runs.,A dog is running.,same\n")
    assert main(["calibrate", str(judged), "--suggest", "5", "--output", str(tmp_path / "l.csv")]) == 2
    assert "without a verdict. Name a file with frames that nobody has judged, or" in capsys.readouterr().err


def test_suggestions_can_be_filled_in_and_read_back(frames, tmp_path, capsys):
    path = tmp_path / "to-label.csv"
    assert main(["calibrate", str(frames), "--suggest", "3", "--output", str(path)]) == 0
    assert "3 frames to label" in capsys.readouterr().out
    text = path.read_text("utf-8-sig").splitlines()
    assert text[0].startswith("answer,reference,")
    assert not {"vision.similarity", "why"} & set(text[0].split(","))
    place = text[0].split(",").index("sample_id")
    ids = {line.split(",")[place] for line in text[1:]}
    assert len(ids) == 3
    assert ids <= {"f20", "f21", "f22", "f23"}
    path.write_text("\n".join([text[0], *(f"{line}same" for line in text[1:])]), "utf-8")
    labelled = tmp_path / "labelled.json"
    assert main(["calibrate", str(path), "--output", str(labelled)]) == 0
    assert json.loads(labelled.read_text())["verdicts"]["n_same"] == 3
    tasks = tmp_path / "tasks.json"
    assert main(["calibrate", str(frames), "--suggest", "2", "--output", str(tasks)]) == 0
    assert {"answer", "reference", "sample_id"} <= json.loads(tasks.read_text())[0]["data"].keys()


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--verdict", "nobody"], "there is no column 'nobody'"),
        (["--aim", "best"], "there is no aim 'best'"),
        (["--word", "ok"], "is not NAME=VALUE"),
        (["--same-from", "3"], "not a grade"),
        (["--calibration", "x.json"], "made from verdicts"),
        (["--held-out", "1"], "held_out"),
    ],
)
def test_a_wrong_call_has_one_clear_line(frames, tmp_path, capsys, extra, said):
    assert main(["calibrate", str(frames), "--output", str(tmp_path / "c.json"), *extra]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "c.json").exists()

"""calibration.json: what it holds, when it calls itself calibrated, and that it is the same every time."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

from handler.decisions._labelled import split_groups
from handler.errors import RequestError
from tests.decisions.judged import SIMILARITY, calibrated, judged_rows, row


@pytest.fixture(scope="module")
def document():
    return calibrated(judged_rows(1200, n_sessions=60))


def test_it_finds_what_is_known(document):
    """Classes at 0.5 and 0.7 with spread 0.1: threshold 0.6, misses and false alarms both Phi(-1) = 0.1587, AUC 0.9214."""
    assert document["calibrated"]
    assert document["reasons"] == []
    entry = document["metrics"][SIMILARITY]
    assert entry["threshold"] == pytest.approx(0.6, abs=0.01)
    assert entry["interval"]["low"] < 0.6 < entry["interval"]["high"]
    assert entry["flags"] == "scores below the threshold"
    held = entry["held_out"]
    for name, truth in (
        ("miss_rate", 0.1587),
        ("false_alarm_rate", 0.1587),
        ("auc", 0.9214),
        ("balanced_accuracy", 0.8413),
    ):
        interval = held["intervals"][name]
        assert interval["low"] < truth < interval["high"], name
        assert interval["method"].startswith("cluster-")
    assert held["hits"] + held["misses"] + held["false_alarms"] + held["passes"] == held["n"] == 600
    assert held["best_possible"]["aim_value"] - held["aim_value"] < 0.02


def test_counts_are_those_of_the_rows(document):
    rows = judged_rows(1200, n_sessions=60)
    n_bad = sum(one["columns"]["human_verdict"] == "different" for one in rows)
    assert (document["verdicts"]["n_different"], document["verdicts"]["n_same"]) == (n_bad, 1200 - n_bad)
    counts = document["metrics"][SIMILARITY]["counts"]
    assert counts["calibration"]["n"] + counts["held_out"]["n"] == 1200
    assert counts["calibration"]["n_groups"] + counts["held_out"]["n_groups"] == 60


def test_flags_are_those_of_the_threshold(document):
    entry, rows = document["metrics"][SIMILARITY], judged_rows(1200, n_sessions=60)
    tested = split_groups(rows, by="session_id", held_out=0.5, seed=0).tested
    flagged = [one for one, held in zip(rows, tested, strict=True) if held and score(one) < entry["threshold"]]
    assert len(flagged) == entry["held_out"]["hits"] + entry["held_out"]["false_alarms"]


def score(one):
    return one["metrics"][SIMILARITY]["score"]


def test_the_probability_is_near_the_truth(document):
    """Equal classes 2 spreads apart: log-odds of "different" are 20 (0.6 - score)."""
    probability = document["metrics"][SIMILARITY]["probability"]
    assert probability["method"] == "logistic"
    assert probability["slope"] == pytest.approx(-20, rel=0.25)
    assert -probability["intercept"] / probability["slope"] == pytest.approx(0.6, abs=0.015)
    reliability = probability["reliability"]
    assert sum(one["n"] for one in reliability["bins"]) == 600
    assert reliability["expected_calibration_error"] < 0.06
    assert reliability["brier"] < 0.15 < reliability["brier_of_base_rate"]


def test_a_step_curve_where_it_is_asked_for():
    probability = calibrated(judged_rows(1200, n_sessions=60), probability="isotonic")["metrics"][SIMILARITY][
        "probability"
    ]
    assert probability["method"] == "isotonic"
    assert probability["lows"] == sorted(probability["lows"])
    assert probability["probabilities"] == sorted(probability["probabilities"], reverse=True)
    assert probability["reliability"]["expected_calibration_error"] < 0.08


def test_the_same_rows_give_the_same_file(document):
    assert calibrated(judged_rows(1200, n_sessions=60)) == document
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_another_aim_or_verdict_is_another_fingerprint(document):
    rows = judged_rows(1200, n_sessions=60)
    rows[5]["columns"]["human_verdict"] = {"same": "different", "different": "same"}[
        rows[5]["columns"]["human_verdict"]
    ]
    others = [calibrated(rows), calibrated(judged_rows(1200, n_sessions=60), "f1")]
    assert len({one["fingerprint"] for one in (document, *others)}) == 3


def test_a_metric_that_is_better_when_low_is_mirrored(document):
    rows = judged_rows(1200, n_sessions=60)
    for one in rows:
        one["metrics"][SIMILARITY]["score"] *= -1
    entry = calibrated(rows, higher_is_better=False)["metrics"][SIMILARITY]
    straight = document["metrics"][SIMILARITY]
    assert entry["threshold"] == -straight["threshold"]
    assert entry["flags"] == "scores above the threshold"
    assert entry["interval"]["low"] == -straight["interval"]["high"]
    assert entry["held_out"]["intervals"] == straight["held_out"]["intervals"]
    assert entry["probability"]["slope"] == pytest.approx(-straight["probability"]["slope"])


def test_to_halve_an_interval(document):
    """Four times the frames do, as many sessions of the same size; the interval of the rate then has half its width."""
    more = document["metrics"][SIMILARITY]["to_halve"]["error_rates"]
    assert more == {"times": 4, "frames": 1800, "groups": 90}
    larger = calibrated(judged_rows(4800, n_sessions=240))["metrics"][SIMILARITY]
    width = {
        n: interval["high"] - interval["low"] for n, interval in intervals(document["metrics"][SIMILARITY], larger)
    }
    assert width["rate", 2] / width["rate", 1] == pytest.approx(0.5, abs=0.12)
    assert width["threshold", 2] / width["threshold", 1] == pytest.approx(0.5, abs=0.15)


def intervals(*entries):
    for number, entry in enumerate(entries, 1):
        yield ("rate", number), entry["held_out"]["intervals"]["balanced_accuracy"]
        yield ("threshold", number), entry["interval"]


@pytest.mark.parametrize("n_sessions", [4, 15, 60])
def test_no_session_is_on_both_sides(n_sessions):
    rows = judged_rows(300, n_sessions=n_sessions)
    split = split_groups(rows, by="session_id", held_out=0.5, seed=3)
    sides = {}
    for one, held in zip(rows, split.tested.tolist(), strict=True):
        sides.setdefault(one["session_id"], set()).add(held)
    assert all(len(side) == 1 for side in sides.values())
    assert 0.3 < split.tested.mean() < 0.7
    assert split.notes == []


def test_the_split_depends_on_names_alone():
    rows = judged_rows(300, n_sessions=15)
    before = {one["sample_id"]: held for one, held in zip(rows, sides_of(rows), strict=True)}
    random.Random(1).shuffle(rows)
    assert {one["sample_id"]: held for one, held in zip(rows, sides_of(rows), strict=True)} == before
    assert sides_of(rows) != sides_of(rows, seed=1)


def sides_of(rows, seed=0):
    return split_groups(rows, by="session_id", held_out=0.5, seed=seed).tested.tolist()


def test_a_frame_a_session_is_said_and_calibrates():
    document = calibrated(judged_rows(600, n_sessions=600))
    assert document["calibrated"]
    assert document["split"]["by"] == "frame"
    assert "independent" in document["split"]["notes"][0]


def test_frames_of_one_session_never_call_themselves_calibrated():
    document = calibrated(judged_rows(600, n_sessions=1))
    assert not document["calibrated"]
    assert "all frames have one session_id" in document["reasons"][0]
    assert document["metrics"][SIMILARITY]["threshold"] == pytest.approx(0.6, abs=0.02)
    independent = calibrated(judged_rows(600, n_sessions=1), split_by="sample_id")
    assert independent["calibrated"]


def test_a_column_can_say_what_stays_together():
    rows = judged_rows(600, n_sessions=600)
    for one in rows:
        one["columns"]["camera"] = f"c{one['index'] % 24}"
    document = calibrated(rows, split_by="camera")
    counts = document["metrics"][SIMILARITY]["counts"]
    assert counts["calibration"]["n_groups"] + counts["held_out"]["n_groups"] == 24
    del rows[7]["columns"]["camera"]
    with pytest.raises(RequestError, match="cam-7/f7 has no 'camera'"):
        calibrated(rows, split_by="camera")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (judged_rows(90, n_sessions=30), "needs 50"),
        (judged_rows(600, n_sessions=12), "has 6 groups (session_id), and needs 10"),
        (judged_rows(600, apart=0, seed=4), "does not tell the verdicts apart"),
        (judged_rows(600, apart=-2.0), "the wrong way round"),
    ],
)
def test_too_little_to_call_it_calibrated(rows, reason):
    document = calibrated(rows)
    assert document["calibrated"] is False
    assert any(reason in one for one in document["reasons"]), document["reasons"]
    json.dumps(document, allow_nan=False)


def test_no_threshold_has_a_reason():
    one_sided = [row(n, n / 100, "same", session=f"s{n}") for n in range(100)]
    flat = [row(n, 0.25, "same" if n % 2 else "different", session=f"s{n}") for n in range(100)]
    verdicts = [row(n, float(n % 2), "same" if n % 2 else "different", session=f"s{n}") for n in range(100)]
    unscored = [row(n, None, "same" if n % 2 else "different", session=f"s{n}") for n in range(100)]
    for rows, reason in (
        (one_sided, "one verdict only"),
        (flat, "all scores are equal"),
        (verdicts, "0 and 1 already"),
        (unscored, "no frame with a verdict was scored"),
    ):
        entry = calibrated(rows)["metrics"][SIMILARITY]
        assert (entry["threshold"], entry["calibrated"]) == (None, False)
        assert reason in entry["reasons"][-1]


def test_slices_say_so_where_they_are_small():
    rows = judged_rows(1200, n_sessions=60)
    for one in rows:
        one["tags"] = {"light": "night" if one["index"] % 60 == 0 else "day"}
        one["assistant_id"] = f"vlm-{one['index'] // 60 % 2}"
        one["columns"]["lens"] = "wide" if one["index"] % 3 else "tele"
    slices = calibrated(rows, group_by=["lens"])["metrics"][SIMILARITY]["slices"]
    found = {(one["by"], one["value"]): one for one in slices}
    assert {by for by, _ in found} == {"lens", "assistant_id", "light"}
    assert found["light", "night"]["reason"] == "fewer than 20 held-out frames of each verdict"
    assert found["assistant_id", "vlm-0"]["balanced_accuracy"] == pytest.approx(0.84, abs=0.06)
    assert found["lens", "wide"]["n"] + found["lens", "tele"]["n"] == 600
    with pytest.raises(RequestError, match="no frame with a verdict has 'lense'"):
        calibrated(rows, group_by=["lense"])


def test_rows_without_a_verdict_are_counted_not_used():
    rows = judged_rows(600)
    document = calibrated([*rows, *(row(600 + n, 0.1, blank) for n, blank in enumerate(["", "unsure", None]))])
    assert document["verdicts"]["n_without"] == 3
    assert document["metrics"] == calibrated(rows)["metrics"]


def test_curves_run_from_corner_to_corner(document):
    entry = document["metrics"][SIMILARITY]
    assert entry["roc"][0][:2] == [0, 0]
    assert entry["roc"][-1][:2] == [1, 1]
    assert len(entry["roc"]) <= 201
    rates = np.array([point[:2] for point in entry["roc"]])
    assert (np.diff(rates, axis=0) >= 0).all()
    assert entry["precision_recall"][-1][0] == 1
    assert all(math.isfinite(value) for point in entry["precision_recall"] for value in point)


def test_a_row_that_the_metric_leaves_undecided_takes_no_part():
    rows = judged_rows(400, n_sessions=40)
    silent = [row(400 + n, 0.0, "same", session=f"silent{n}") for n in range(50)]
    for one in silent:
        one["metrics"][SIMILARITY]["undecided"] = "empty_answer"
    counts = calibrated([*rows, *silent])["metrics"][SIMILARITY]["counts"]
    assert counts["calibration"]["n"] + counts["held_out"]["n"] == 400

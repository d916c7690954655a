"""`latest.json`: S3's sequencers decide, whatever their length and case; without them the last to finish does."""

from __future__ import annotations

import json

import pytest

from handler.reports import mend_latest, update_latest


def latest(tmp_path, *updates):
    moved = [update_latest(str(tmp_path / name), "c", sequencer) for name, sequencer in updates]
    return moved, json.loads((tmp_path / "latest.json").read_text())["folder"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("0055AED6DCD90281E5", "0055AED6DCD90281E6"),
        ("0055AED6", "0055AED601"),
        ("0055aed6dc", "0055AED6DD"),
        ("0A", "1"),
    ],
)
def test_the_greater_sequencer_is_newer_in_either_order(tmp_path, older, newer):
    (tmp_path / "x").mkdir()
    assert latest(tmp_path / "x", ("old", older), ("new", newer)) == ([True, True], "new")
    (tmp_path / "y").mkdir()
    assert latest(tmp_path / "y", ("new", newer), ("old", older)) == ([True, False], "new")


def test_a_repetition_changes_nothing_and_a_torn_pointer_is_replaced(tmp_path):
    assert latest(tmp_path, ("a", "01"), ("a", "01")) == ([True, False], "a")
    (tmp_path / "latest.json").write_text("{torn")
    assert latest(tmp_path, ("b", "00")) == ([True], "b")
    assert latest(tmp_path, ("c", None)) == ([True], "c")


def test_a_result_whose_run_was_killed_before_it_pointed_there_is_pointed_at_when_found(tmp_path):
    b = str(tmp_path / "b")
    assert mend_latest(b, "c", "2026-01-01T00:00:00Z")
    assert not mend_latest(b, "c", "2026-01-01T00:00:00Z")
    assert latest(tmp_path, ("a", None)) == ([True], "a")  # finished now
    assert not mend_latest(b, "c", "2026-01-01T00:00:00Z")
    assert mend_latest(b, "c", "9999-01-01T00:00:00Z")
    assert latest(tmp_path, ("b", "0A")) == ([True], "b")
    assert not mend_latest(b, "c", "9999-01-01T00:00:00Z")  # the sequencer stays
    assert json.loads((tmp_path / "latest.json").read_text())["sequencer"] == "0A"

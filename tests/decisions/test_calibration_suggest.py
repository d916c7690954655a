"""Which frames to label next, and the files to do it in."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest

from handler.decisions import label_studio_tasks, spreadsheet, suggest
from tests.decisions.judged import SIMILARITY, judged_rows, row


def test_half_are_near_the_threshold_and_no_camera_fills_the_list():
    rows = judged_rows(600, n_sessions=10)
    found = suggest(rows, {SIMILARITY: True}, n=40, thresholds={SIMILARITY: 0.6})
    assert len({one.index for one in found}) == 40
    assert [one.index for one in found] == sorted(one.index for one in found)
    near = [rows[one.index] for one in found if one.reason == "near the threshold"]
    assert len(near) == 30
    assert max(abs(one["metrics"][SIMILARITY]["score"] - 0.6) for one in near) < 0.05
    assert set(Counter(one["session_id"] for one in near).values()) == {3}
    rest = [one.scores[SIMILARITY] for one in found if one.reason == "spread over the scores"]
    assert min(rest) < 0.4
    assert max(rest) > 0.8


def test_metrics_that_disagree_are_looked_at():
    rows = [row(n, n / 100, "") for n in range(100)]
    for n, one in enumerate(rows):
        one["metrics"]["other"] = {
            "score": 1 - n / 100 if n not in (3, 95) else n / 100
        }  # lower is better, but for two
    found = suggest(rows, {SIMILARITY: True, "other": False}, n=8, thresholds={})
    assert {one.index for one in found if one.reason == "metrics disagree"} == {3, 95}


def test_few_frames_are_all_taken_and_unscored_ones_never():
    rows = [row(n, n / 10 if n else None, "") for n in range(5)]
    assert [one.index for one in suggest(rows, {SIMILARITY: True}, n=50, thresholds={})] == [1, 2, 3, 4]
    assert suggest(rows[:1], {SIMILARITY: True}, n=5, thresholds={}) == []


ENTRIES = [
    {"sample_id": "1", "answer": "=1+1", "reference": "Zwei, „drei“\nvier", "why": "near the threshold"},
    {"sample_id": "2", "answer": "A dog", "reference": None, "why": "-"},
]


def test_a_spreadsheet_runs_nothing_and_reads_utf8():
    data = spreadsheet(ENTRIES)
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert [one["answer"] for one in rows] == ["'=1+1", "A dog"]
    assert rows[0]["reference"] == "Zwei, „drei“\nvier"
    assert [one["human_verdict"] for one in rows] == ["", ""]


def test_label_studio_tasks_hold_data():
    assert [one["data"] for one in json.loads(label_studio_tasks(ENTRIES))] == [
        {"answer": "=1+1", "reference": "Zwei, „drei“\nvier", "sample_id": "1"},
        {"answer": "A dog", "reference": None, "sample_id": "2"},
    ]


def test_who_judges_sees_the_question_and_the_texts_first_and_no_score():
    texts = {"answer": "A dog", "reference": "A cat", "reference_2": "A lion"}
    entry = {"session_id": "s", **texts, "question": "What is it?", "camera": "7", SIMILARITY: 0.31, "why": "near"}
    names = ["question", "answer", "reference", "reference_2", "session_id", "camera"]
    table = spreadsheet([entry]).decode("utf-8-sig").splitlines()
    assert table == [",".join([*names, "human_verdict"]), "What is it?,A dog,A cat,A lion,s,7,"]
    assert list(json.loads(label_studio_tasks([entry]))[0]["data"]) == names


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_exactly_as_many_as_asked(n):
    assert len(suggest(judged_rows(100), {SIMILARITY: True}, n=n, thresholds={})) == n

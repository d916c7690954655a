"""Counts as people read them: one frame, two frames, in every sentence that a metric or a verb says."""

from __future__ import annotations

import orjson
import pytest

from handler import evaluate
from handler.cli import main
from handler.counting import many

HEADER = "session_id,sample_id,answer,reference"
ROW = "cam-1,f1,A dog runs.,A dog is running."
CLAIMED = {"answer": "A dog runs.", "reference": "A dog is running."}


@pytest.mark.parametrize(
    ("n", "noun", "text"),
    [
        (0, "frame", "0 frames"),
        (1, "frame", "1 frame"),
        (2, "frame", "2 frames"),
        (1, "query", "1 query"),
        (2, "query", "2 queries"),
        (1, "box", "1 box"),
        (1000, "box", "1,000 boxes"),
        (1, "more group", "1 more group"),
        (2, "entry", "2 entries"),
    ],
)
def test_a_count_is_singular_where_it_is_one(n, noun, text):
    assert many(n, noun) == text


def test_summaries_of_one_frame_say_one_frame():
    metrics = evaluate([CLAIMED], metrics=["vision"])["metrics"]
    sentences = {name: metric["overall"]["summary"] for name, metric in metrics.items()}
    assert "across 1 frame." in sentences["vision.similarity"]
    assert "in 0 of 1 frame (0%)" in sentences["vision.hallucination"]
    assert "in 0 of 1 frame (0%)" in sentences["vision.claims"]


@pytest.mark.parametrize(
    ("record", "metric", "sentence"),
    [
        ({"text": "a dog", "pred_text": "a cat"}, "speech.wer", "1 word edit over 2 reference words:"),
        ({"text": "dog", "pred_text": "cat"}, "speech.wer", "1 word edit over 1 reference word:"),
    ],
)  # fmt: skip
def test_summaries_of_other_tasks_say_it_as_well(tmp_path, record, metric, sentence):
    path = tmp_path / "said.jsonl"
    path.write_bytes(orjson.dumps({"audio_filepath": "a.wav", **record}) + b"\n")
    assert sentence in evaluate(str(path))["metrics"][metric]["overall"]["summary"]


def test_the_terminal_the_markdown_and_the_page_say_one_frame_in_one_session(tmp_path, capsys):
    (tmp_path / "one.csv").write_text(f"{HEADER}\n{ROW}\n")
    assert main(["evaluate", str(tmp_path / "one.csv"), "--metrics", "vision", "--output", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "one.csv: 1 frame in 1 session" in shown
    assert main(["report", str(tmp_path / "out" / "one.csv"), "--format", "md"]) == 0
    assert "1 frame in 1 session" in capsys.readouterr().out
    page = next((tmp_path / "out" / "one.csv").glob("*/report.html")).read_text()
    for wrong in ("1 frames", "1 sessions", "1 items"):
        assert f">{wrong}" not in page
        assert f" {wrong}" not in page
        assert wrong not in shown


def test_a_row_with_one_cell_is_told_in_the_singular(tmp_path, capsys):
    (tmp_path / "broken.csv").write_text(f"{HEADER}\n{ROW}\nalone\n")
    assert main(["evaluate", str(tmp_path / "broken.csv"), "--output", str(tmp_path / "out")]) == 2
    assert "line 3 has 1 cell for 4 columns" in capsys.readouterr().err

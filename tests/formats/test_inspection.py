"""The facts behind `inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handler.formats import TextLengths, _inspect, inspect_records


def test_one_pass_gives_the_facts(tmp_path: Path) -> None:
    frames = [
        {"qa_id": "1", "assistant": "aaaa", "ground_truth_assistant": "b", "colour": "red"},
        {"qa_id": "1", "assistant": " ", "ground_truth_assistant": "b"},
        {"qa_id": "2", "ground_truth_assistant": "bb"},
        {"qa_id": "3", "assistant": 7, "ground_truth_assistant": "b"},
    ]
    data = [
        {"session_id": "s", "assistant_id": "m", "language": "english", "conversation": frames},
        {"session_id": "e", "conversation": []},
        {"session_id": "s", "assistant_id": "m", "conversation": frames[:1]},
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(data, indent=1))
    facts = inspect_records(str(path))
    assert (facts.n_sessions, facts.n_samples, facts.n_unreadable, facts.n_empty_sessions) == (2, 4, 1, 1)
    assert facts.file_bytes == path.stat().st_size
    assert facts.detection.format == "fair-forge"
    assert facts.unreadable[0].field == "conversation[3].assistant"
    assert facts.empty_sessions == ("e",)
    assert (facts.duplicate_sample_ids, facts.repeated_sessions) == (2, 1)
    assert facts.languages == {"english": 3, "": 1}
    assert facts.missing == {"answer": 1}
    assert facts.blank == {"answer": 1}
    assert facts.unknown_fields == ("colour",)
    assert facts.answer_lengths == TextLengths(3, 1, 1, 4, 4, 4, 4)
    assert (facts.n_distinct_texts, facts.bounded) == (4, False)


def test_languages_are_listed_up_to_a_limit_and_counted_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_inspect, "_LISTED", 2)
    path = tmp_path / "x.jsonl"
    said = ("english", "french", "german", "english", "german")
    path.write_text("".join(json.dumps({"answer": "a", "reference": "b", "language": one}) + "\n" for one in said))
    assert inspect_records(str(path)).languages == {"english": 2, "french": 1}


def test_lengths_are_exact_up_to_ten_thousand_and_in_hundreds_from_there(tmp_path: Path) -> None:
    """95 % of the way from the first of five to the last is place 3.8: the lower one, place 3, counts."""
    path = tmp_path / "x.jsonl"
    said = [{"answer": "a" * n, "reference": "b"} for n in (9_999, 10_000, 10_099, 10_199, 20_150)]
    path.write_text("".join(json.dumps(one) + "\n" for one in said))
    assert inspect_records(str(path)).answer_lengths == TextLengths(5, 9_999, 10_000, 10_000, 10_100, 10_100, 20_100)

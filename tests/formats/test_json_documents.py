"""JSON documents and JSON Lines: shapes, places, faults, bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from annotation_files import read_text
from mutations import FRAMES, flat, lines, sessions, streamed

from handler.errors import InputError
from handler.formats import _walk, detect
from handler.formats._keys import count_keys
from handler.samples import EmptySession

ONE = {
    "session_id": "s",
    "assistant_id": "m",
    "conversation": [{"qa_id": "1", "assistant": "a", "ground_truth_assistant": "b"}],
}


def contents(text: str, **options: Any) -> list[tuple[Any, ...]]:
    result = read_text(text, **options)
    assert not result.unreadable, result.unreadable
    return [
        (s.session_id, s.assistant_id, s.sample_id, s.answer, s.references, dict(s.columns)) for s in result.samples
    ]


def test_all_shapes_of_one_session_agree() -> None:
    wanted = [("s1", "m", str(f["qa_id"]), f["assistant"], (f["ground_truth_assistant"],)) for f in FRAMES]
    one = sessions()[0]
    backwards = dict(reversed(list(one.items())))
    for text in (
        json.dumps(one),
        json.dumps(one, indent=3),
        json.dumps([one]),
        json.dumps(backwards, indent=1),
        lines([one]),
        json.dumps(flat()),
        lines(flat()),
        lines(flat()).replace("\n", "\r\n\r\n"),
        lines(flat()).rstrip(),
        json.dumps(streamed(), indent=1),
        lines(streamed()),
    ):
        assert [row[:5] for row in contents(text)] == wanted
    assert [row[:5] for row in contents(json.dumps(flat()[0]))] == wanted[:1]


def test_lines_of_frames_and_elements() -> None:
    for items in (sessions(), flat()):
        text = json.dumps(items, indent=1)
        rows = text.split("\n")
        for sample in read_text(text).samples:
            assert rows[(sample.line or 0) - 1].strip() == "{"
    assert [s.line for s in read_text("\n" + lines(flat())).samples] == [2, 3, 4]
    assert [s.line for s in read_text("[\n" + ",\n\n".join(map(json.dumps, flat())) + "]").samples] == [2, 4, 6]


def test_default_ids_are_lines_or_positions() -> None:
    bare = [{"answer": "a", "reference": "b"}] * 2
    assert [r[:3] for r in contents("\n" + lines(bare))] == [("cam-1", "unknown", "2"), ("cam-1", "unknown", "3")]
    assert [r[2] for r in contents(json.dumps(bare))] == ["1", "2"]
    frames = [{"assistant": "a", "ground_truth_assistant": "b"}] * 2
    assert [r[:3] for r in contents(json.dumps({"conversation": frames}))] == [
        ("cam-1", "unknown", "1"),
        ("cam-1", "unknown", "2"),
    ]


def test_one_bad_line_costs_one_line() -> None:
    good = json.dumps(ONE)
    bad = [
        '{"session_id": "x", ',
        "{'session_id': 1}",
        "[]",
        "12",
        '"text"',
        "null",
        good + good,
        '{"a": ' * 70 + "1" + "}" * 70,
        '{"a": ' * 5000,
        '{"n": ' + "1" * 5000 + "}",
        '{"conversation": 3}',
    ]
    for broken in bad:
        for text in (f"{good}\n{broken}\n{good}\n", f"{broken}\n{good}\n{good}\n"):
            result = read_text(text)
            assert len(result.samples) == 2, broken
            (record,) = result.unreadable
            assert record.line == text.split("\n").index(broken) + 1


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('[{"a": 1},]', 1, 11, "trailing comma"),
        ('{\n"conversation": [],\n}', 3, 1, "trailing comma"),
        ("{'a': 1}", 1, 2, "single quotes"),
        ('// made by hand\n{"a": 1}', 1, 1, "comments"),
        ('[\n{"a": 1} # one\n]', 2, 10, "comments"),
        ('[{"a": True}]', 1, 8, "write true, false or null"),
        ('[{"a": "x', 1, 8, "unexpected end"),
        ('[{"a": "x"},\n', 2, 1, "unexpected end"),
        ('{"conversation": [{"assistant": "a"}', 1, 37, "unexpected end"),
        ('[{"a": "tab\there"}]', 1, 12, "control character U\\+0009"),
        ('[{"a": "he said\n\'stop\'"}]', 1, 16, "control character U\\+000A"),
        ('[{"a": "one,\n] two"}]', 1, 13, "control character U\\+000A"),
        ('[{"a": "one\n# two"}]', 1, 12, "control character U\\+000A"),
        ('[{"a": 1}] x', 1, 12, "extra data"),
        ('{"a": 1} {"a": 2}', 1, 10, "JSON Lines"),
        ('[{"a": 1} {"a": 2}]', 1, 11, "not valid JSON: expecting ',' delimiter, found"),
        ('[{"a" 1}]', 1, 7, "delimiter"),
        ("[" * 100_000, 1, 2, "nested more than 64"),
        ("[" * 70 + "]" * 70, 1, 2, "nested more than 64"),
        ('[{"n": ' + "1" * 5000 + "}]", 1, 2, "too many digits"),
    ],
)
def test_faults_of_a_document(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read_text(text)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    ("item", "field", "words"),
    [
        ({"session_id": "s", "context": ""}, "conversation", "is missing"),
        ({"session_id": "s", "conversations": []}, "conversation", "did you mean 'conversations'?"),
        ({"session_id": "s", "conversation": None}, "conversation", "session 's': conversation is null, not a list"),
        ({"session_id": "s", "conversation": {"a": 1}}, "conversation", "is an object, not a list"),
        ({"session_id": "s", "conversation": [7]}, "conversation[0]", "a number (7) where a frame"),
        ({"session_id": [1], "conversation": [FRAMES[0]]}, "session_id", "session_id is a list, not an id"),
        ({"session_id": True, "conversation": []}, "session_id", "session_id is true, not an id"),
        ({"metadata": 1, "batch": {}}, "metadata", "is a number (1), not an object"),
        ({"metadata": {}, "batch": {"assistant": "a"}}, "batch.ground_truth_assistant", "is missing"),
        ([1], None, "a list where a session or a frame"),
        ("x", None, "text where"),
    ],
)
def test_items_of_the_wrong_shape(item: Any, field: str | None, words: str) -> None:
    for text in (json.dumps([item, ONE]), lines([ONE, item, ONE])):
        (record,) = read_text(text).unreadable
        assert record.field == field
        assert words in record.reason


def test_empty_conversations_are_reported_and_not_more() -> None:
    text = json.dumps(
        [{"session_id": "a", "conversation": []}, {"conversation": [], "session_id": 2, "assistant_id": "m"}]
    )
    assert read_text(text).records == [EmptySession("a", "unknown"), EmptySession("2", "m")]


def test_duplicate_keys_in_every_form() -> None:
    frame = '{"qa_id": "1", "assistant" : "a", "assistant": "b", "ground_truth_assistant": ": odd \\":"}'
    for text in (f"[{frame}]", frame + "\n" + frame, f'{{"session_id": "s", "conversation": [{frame}]}}'):
        result = read_text(text)
        assert {s.answer for s in result.samples} == {"b"}
        assert "'assistant' comes twice" in result.notices.examples["duplicate_key"][0]
    assert not read_text('[{"answer": ": odd", "reference" : "\\":"}]').notices.counts


def test_a_conversation_before_its_session_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [{"qa_id": str(n), "assistant": "a", "ground_truth_assistant": "b"} for n in range(50)]
    late = json.dumps({"conversation": frames, "session_id": "late", "assistant_id": "m", "language": "de"})
    result = read_text(late)
    assert {(s.session_id, s.assistant_id, s.language) for s in result.samples} == {("late", "m", "de")}
    assert len(result.samples) == 50
    monkeypatch.setattr(_walk, "MAX_ELEMENT", 1000)
    with pytest.raises(InputError, match="before the conversation"):
        read_text(late)
    assert len(read_text(json.dumps({"session_id": "s", "conversation": frames, "context": "x"})).samples) == 50


def test_sessions_on_lines_longer_than_the_sniffed_part() -> None:
    frames = [{"qa_id": str(n), "assistant": "a" * 90, "ground_truth_assistant": "b" * 90} for n in range(3000)]
    text = lines([{"session_id": name, "conversation": frames} for name in "xy"])
    result = read_text(text)
    assert [s.session_id for s in result.samples] == ["x"] * 3000 + ["y"] * 3000
    assert {s.line for s in result.samples} == {1, 2}
    big = {"session_id": "z", "notes": "n" * 900_000, "conversation": frames[:2]}
    assert len(read_text(json.dumps([big, big])).samples) == 4


def test_commas_on_lines_of_their_own_make_no_lines_of_a_document() -> None:
    """Most lines are objects, the first is none, and the document is longer than the sniffed part."""
    frames = [json.dumps({"qa_id": str(n), "assistant": "a" * 200, "reference": "b" * 200}) for n in range(1000)]
    result = read_text('{"session_id": "s", "conversation": [\n' + "\n,\n".join(frames) + "\n]}")
    assert [s.sample_id for s in result.samples] == [str(n) for n in range(1000)]
    assert {s.session_id for s in result.samples} == {"s"}
    assert not result.unreadable


def test_texts_and_elements_have_bounds() -> None:
    frame = {"qa_id": "f", "answer": "a" * 1_000_001, "reference": "b"}
    for text in (json.dumps([frame]), lines([frame, frame])):
        assert "1,000,001 characters" in read_text(text).unreadable[0].reason
    named = json.dumps([{"caption": "a" * 1_000_001, "human": ["b"]}, {"caption": "a", "human": "b" * 1_000_001}])
    assert [one.field for one in read_text(named).unreadable] == ["caption", "human"]
    with pytest.raises(InputError, match="more than 64,000,000"):
        read_text('[{"answer": "' + "x" * 65_000_000 + '"}]')
    with pytest.raises(InputError, match="line 2 is longer than"):
        read_text('{"answer": "a", "reference": "b"}\n{"answer": "' + "x" * 65_000_000)


def test_a_list_whose_commas_are_missing_is_a_broken_list_and_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[\n{"answer": "a dog", "reference": "a cat"}\n{"answer": "two", "reference": "one"}\n]\n')
    assert detect(str(path)).format == "fair-forge"
    path.write_text('{"answer": "a dog",\n{"answer": "two", "reference": "one"}\n{"answer": "b", "reference": "c"}\n')
    assert detect(str(path)).format == "jsonl"  # one line is broken


def test_a_line_nested_too_deep_costs_one_line() -> None:
    deep = '{"answer": "a", "reference": "b", "x": %s}'
    found = read_text("\n".join([deep % "[]", deep % ("[" * 70 + "]" * 70), deep % "[[]]"]))
    assert [one.line for one in found.samples] == [1, 3]
    assert [(one.line, one.reason) for one in found.unreadable] == [(2, "nested more than 64 levels deep")]


def test_keys_are_counted_in_lists_and_in_objects() -> None:
    assert count_keys({"a": [{"b": 1}, {"c": {"d": 2}}], "e": {"f": [3]}}) == 6
    assert count_keys([{"a": 1}, [{"b": 2}], 3]) == 2

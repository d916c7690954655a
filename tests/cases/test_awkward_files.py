"""Every awkward annotation file, against what the collection says a good tool makes of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from handler.errors import InputError
from handler.formats import Notices, ReadOptions, inspect_records, open_records
from handler.samples import EmptySession, Sample, Unreadable

REFUSED = {  # name: (line, column, words)
    "trailing_comma.json": (144, 1, "trailing comma"),
    "empty_file.json": (None, None, "the file is empty"),
    "whitespace_only.json": (None, None, "no content"),
    "truncated.json": (90, 31, "unexpected end"),
    "single_quotes.json": (1, 3, "single quotes"),
    "comments.json": (1, 1, "comments"),
    "latin1.json": (6, None, "not UTF-8: byte 0xe9 at offset 115"),
    "latin1.csv": (2, None, "not UTF-8: byte 0xe9 at offset 67"),
    "utf16.json": (None, None, "UTF-16"),
    "control_characters.json": (1, 109, "control character U+0009"),
}
UNREADABLE = {  # name: (samples read, [(line, words)])
    "nan_ground_truth.json": (8, [(8, "'cam-entrance-01', sample 'frame_001': ground_truth_assistant is NaN")]),
    "missing_ground_truth.json": (
        8,
        [(36, "'cam-entrance-01', sample 'frame_003': ground_truth_assistant is missing")],
    ),
    "null_assistant.json": (8, [(36, "'cam-entrance-01', sample 'frame_003': assistant is null")]),
    "misspelt_field.json": (8, [(8, "ground_truth_assistant is missing; did you mean 'groundtruth'?")]),
    "weight_negative.json": (0, [(8, "weight is -1; it must be a number >= 0")]),
    "list_then_lines.jsonl": (4, [(1, "a list where")]),
    "one_bad_line.jsonl": (9, [(2, "unexpected end")]),
    "ragged.csv": (0, [(2, "a cell is missing"), (3, "too many")]),
    "human_scores_mixed_types.jsonl": (1, [(1, "human is a number (3)"), (3, "human is a number (4)")]),
}
NOTICED = {
    "duplicate_qa_id.json": ("duplicate_sample_id", "session 'cam-entrance-01', sample 'frame_001'"),
    "duplicate_session_id.json": ("repeated_session", "cam-entrance-01"),
    "duplicate_keys.json": ("duplicate_key", "session_id"),
    "lone_surrogate.json": ("lone_surrogate", "broken"),
}
SAME_AS_PLAIN = [
    "utf8_bom.json",
    "crlf.json",
    "dataset.json.gz",
    "gzip_without_suffix.json",
    "dataset.jsonl",
    "jsonl_named_json.json",
    "jsonl_blank_lines_no_final_newline.jsonl",
    "nan_metadata.json",
    "unknown_fields.json",
]


@pytest.fixture(scope="module")
def files(cases: Path) -> Path:
    return cases / "11-awkward-annotations" / "files"


@pytest.fixture(scope="module")
def expected(files: Path) -> dict[str, Any]:
    return json.loads((files / "expected.json").read_text(encoding="utf-8"))


def read(path: Path, **options: Any) -> tuple[list[Any], Notices]:
    notices = Notices()
    return list(open_records(str(path), ReadOptions(**options), notices)), notices


def contents(path: Path, **options: Any) -> list[tuple[Any, ...]]:
    records, _ = read(path, **options)
    assert all(isinstance(r, Sample) for r in records), records
    return [(s.index, s.session_id, s.assistant_id, s.sample_id, s.answer, s.references, s.language) for s in records]


def test_every_file_that_is_not_refused_has_its_samples(files: Path, expected: dict[str, Any]) -> None:
    assert set(expected) == {path.name for path in files.iterdir()} - {"expected.json", "SOURCE.md"}
    for name, case in expected.items():
        if name in REFUSED:
            continue
        records, _ = read(files / name)
        samples = [r for r in records if isinstance(r, Sample)]
        bad = [r for r in records if isinstance(r, Unreadable)]
        assert bool(bad) == (name in UNREADABLE), bad
        content = case.get("expected_content", {})
        if "interactions" in content:
            assert len(samples) + len(bad) == content["interactions"]
        if "sessions" in content:
            assert len({(s.session_id, s.assistant_id) for s in samples}) == (
                1 if name == "duplicate_session_id.json" else content["sessions"]
            )


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_the_place_and_the_cause(files: Path, name: str) -> None:
    line, column, words = REFUSED[name]
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        read(files / name)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.file is not None
    assert caught.value.file.endswith(name)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_items_name_line_and_cause(files: Path, name: str) -> None:
    n_samples, wanted = UNREADABLE[name]
    records, _ = read(files / name)
    bad = [r for r in records if isinstance(r, Unreadable)]
    assert sum(isinstance(r, Sample) for r in records) == n_samples
    assert [r.line for r in bad] == [line for line, _ in wanted]
    for record, (_, words) in zip(bad, wanted, strict=True):
        assert words in record.reason


@pytest.mark.parametrize("name", NOTICED)
def test_notices(files: Path, name: str) -> None:
    code, words = NOTICED[name]
    _, notices = read(files / name)
    assert notices.counts[code] >= 1
    assert words in " ".join(notices.examples[code])


@pytest.mark.parametrize("name", SAME_AS_PLAIN)
def test_every_form_of_the_same_data_gives_the_same_samples(files: Path, name: str) -> None:
    assert contents(files / name) == contents(files / "plain.json")


def test_integer_ids_become_text(files: Path) -> None:
    ids = [row[3] for row in contents(files / "integer_qa_id.json")]
    assert ids[:5] == ["0", "1", "2", "3", "4"]


def test_skipping_what_is_missing(files: Path) -> None:
    for name in ("missing_ground_truth.json", "nan_ground_truth.json", "null_assistant.json"):
        records, _ = read(files / name, on_missing="skip")
        assert sum(s.answer is None or s.references == () for s in records) == 1
        assert len(records) == 9
    assert inspect_records(str(files / "missing_ground_truth.json")).missing == {"references": 1}


def test_an_empty_session_is_reported(files: Path) -> None:
    records, _ = read(files / "empty_conversation.json")
    assert records[0] == EmptySession("cam-entrance-01", "argos-gpt4o")
    assert len(records) == 5
    assert read(files / "empty_list.json")[0] == []
    assert read(files / "header_only.csv")[0] == []


def test_blank_answers_are_data(files: Path) -> None:
    assert [row[4] for row in contents(files / "empty_assistant.json")].count("") == 1


def test_the_last_of_two_equal_keys_counts(files: Path) -> None:
    ((_, session_id, _, _, answer, *_),) = contents(files / "duplicate_keys.json")
    assert (session_id, answer) == ("b", "second")


def test_half_a_surrogate_pair_is_replaced(files: Path) -> None:
    assert contents(files / "lone_surrogate.json")[0][4] == "broken \ufffd emoji"


def test_nan_never_leaves(files: Path) -> None:
    records, _ = read(files / "nan_metadata.json")
    json.dumps([dict(r.columns) for r in records], allow_nan=False)


def test_quotes_and_newlines(files: Path, expected: dict[str, Any]) -> None:
    rows = expected["quotes_and_newlines.csv"]["expected_content"]["rows"]
    records, _ = read(files / "quotes_and_newlines.csv")
    assert [[s.session_id, s.sample_id, s.answer, *s.references] for s in records] == [
        [session, sample, answer, reference] for session, sample, _, answer, reference in rows
    ]
    assert [s.line for s in records] == [2, 3, 5, 6, 7, 8, 9]


def test_other_delimiters_give_the_same_rows(files: Path) -> None:
    first_three = contents(files / "quotes_and_newlines.csv")[:3]
    assert contents(files / "semicolon.csv") == first_three
    assert contents(files / "table.tsv") == first_three


def test_the_sep_line_and_loose_headers(files: Path) -> None:
    assert contents(files / "excel_sep_line.csv") == [(0, "cam-1", "unknown", "f1", "a", ("b",), None)]
    assert contents(files / "header_case_and_spaces.csv") == contents(files / "excel_sep_line.csv")
    assert contents(files / "utf8_bom.csv")[0][1] == "cam-1"


def test_a_named_encoding(files: Path) -> None:
    assert contents(files / "latin1.csv", encoding="latin-1")[0][4:6] == ("Une femme âgée", ("Une dame âgée",))
    assert contents(files / "latin1.json", encoding="latin-1")[0][4] == "Une personne est tombée près de l'entrée."
    assert contents(files / "utf16.json", encoding="utf-16") == contents(files / "plain.json")


def test_fair_forge_datasets_are_read(cases: Path) -> None:
    for folder in (cases / "01-fair-forge").iterdir():
        for path in folder.glob("*.json"):
            if path.name != "expected.json":
                records, _ = read(path)
                assert not [r for r in records if isinstance(r, Unreadable)]

"""References read from files, pairs written for a person, and the page of text that a terminal shows."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pytest

from handler.doctor import Described, examine, read_references, render_examination, write_pairs
from handler.doctor._examine import LIMITS
from handler.errors import InputError, RequestError, StorageError
from handler.formats import ReadOptions
from tests.doctor.examined import BARE, ONE, TWO, Made, Scored, edits, rewrites

SKIP = ReadOptions(on_missing="skip")


def read(path, options=SKIP):
    unreadable = []
    found = read_references(str(path), options, unreadable)
    return [(one.text, *one.others) for one in found], unreadable


def examined(**more):
    metric = Scored(lambda answer: 0.25 if "blue" in answer else 0.5)
    other = Scored(lambda answer: 0.5, name="test.blind")
    found = examine(
        [Described(one) for one in (ONE, TWO, BARE)], [metric, other], edits=edits, rewrites=rewrites, **more
    )
    head = {"input": "refs.txt", "n_read": 4, "n_unreadable": 0}
    return {**found.document, **head}, found.pairs


def test_references_need_no_answers(tmp_path):
    lines = [
        {"reference": "A dog."},
        {"references": ["A cat.", " ", "Cat."], "answer": "x"},
        {"reference": 7},
        {"answer": "y"},
    ]
    path = tmp_path / "refs.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    found, unreadable = read(path)
    assert found == [("A dog.",), ("A cat.", "Cat.")]
    assert len(unreadable) == 1
    table = tmp_path / "table.csv"
    table.write_text("frame,human_caption\n1,A dog.\n2,\n")
    assert read(table, ReadOptions(mapping={"references": "human_caption"}, on_missing="skip"))[0] == [("A dog.",)]


def test_plain_text_has_a_reference_a_line(tmp_path):
    path = tmp_path / "refs.txt"
    path.write_bytes("\ufeffA dog.\r\n\r\n  Ein Zug. \n\u200b\nLast".encode())
    assert read(path) == ([("A dog.",), ("Ein Zug.",), ("Last",)], [])
    path.write_bytes(b"fine\n\xff\xfe\n")
    with pytest.raises(InputError) as found:
        read(path)
    assert (found.value.line, found.value.hint) == (2, "Name its --encoding")
    with pytest.raises(InputError, match="not no-such"):
        read(path, ReadOptions(encoding="no-such"))


def test_a_folder_and_gzip_are_read_as_evaluate_reads_them(tmp_path):
    for name, text in (("a.jsonl.gz", "A dog."), ("b.jsonl.gz", "A cat.")):
        (tmp_path / name).write_bytes(gzip.compress(json.dumps({"reference": text}).encode()))
    assert read(tmp_path)[0] == [("A dog.",), ("A cat.",)]


def test_files_without_people_are_refused(tmp_path):
    path = tmp_path / "ranked.json"
    path.write_text('[{"query_id": "q", "ranked": ["b", "a"], "relevant": ["a"]}]')
    with pytest.raises(InputError, match="no descriptions by people"):
        read(path)
    with pytest.raises(StorageError, match="no such file"):
        read(tmp_path / "nowhere.json")


def test_a_table_to_check_is_inert_and_complete(tmp_path):
    _, pairs = examined()
    pairs[0]["true"] = "=HYPERLINK(1)"
    path = tmp_path / "pairs.csv"
    write_pairs(str(path), pairs)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
    assert [row["kind"] for row in rows] == ["attribute", "negation"]
    assert rows[0] == {
        "kind": "attribute",
        "reference": ONE,
        "true": "'=HYPERLINK(1)",
        "source": pairs[0]["source"],
        "false": "A blue car stops.",
        "test.scored.true": "0.5",
        "test.scored.false": "0.25",
        "test.scored.preferred": "true",
        "test.blind.true": "0.5",
        "test.blind.false": "0.5",
        "test.blind.preferred": "neither",
        "is_right": "",
    }
    write_pairs(str(tmp_path / "pairs.jsonl"), pairs)
    lines = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    assert lines == json.loads(json.dumps(pairs))
    with pytest.raises(RequestError, match=r"neither a \.csv nor"):
        write_pairs(str(tmp_path / "pairs.xlsx"), pairs)
    write_pairs(str(tmp_path / "none.csv"), [])
    assert (tmp_path / "none.csv").read_text("utf-8-sig") == "kind,reference,true,source,false,is_right\n"


def test_the_terminal_shows_shares_ties_examples_and_limits():
    document, _ = examined()
    shown = render_examination(document)
    assert shown.startswith("refs.txt: 3 references of 4 pictures (seed 0), 2 pairs\n")
    assert "In 1 reference no rule found anything to change." in shown
    assert "For 1 reference there is no true version, by another person or by rule: no pair." in shown
    assert "True versions: 0 by another person, 2 by rule." in shown
    rows = {line.split()[0]: line for line in shown.splitlines() if line and not line.startswith(" ")}
    assert rows["attribute"].split()[1:4] == ["2", "1", "100.0%"]
    assert "50.0% (0.0% to 100.0%, 1 tie)" in rows["attribute"]
    assert rows["role"].split() == ["role", "0", "0", "-", "-"]
    assert "attribute: test.scored right (0.500 true, 0.250 false), test.blind tie (0.500 true, 0.500 false)" in shown
    text = " ".join(shown.split())
    assert all(" ".join(one.split()) in text for one in LIMITS)
    assert "vision.claims flatters itself here" in shown


def test_texts_cannot_act_on_the_terminal():
    evil = "Two \x1b[31mmen\x07\nwait"
    found = examine(
        [Described(evil)],
        [Scored(lambda answer: 0.5)],
        edits=lambda one: [Made("a\x1b]0;kind", one + "!")],
        rewrites=lambda one: [Made("wording", one + " here")],
    )
    shown = render_examination({**found.document, "input": "in\x1b.txt", "n_read": 1, "n_unreadable": 2})
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "2 items could not be read." in shown


def test_a_text_without_a_break_is_shown_as_far_as_the_line_goes():
    found = examine(
        [Described("x" * 300, ("A man waits.",))], [], edits=lambda _: [Made("number", "y")], rewrites=rewrites
    )
    shown = render_examination({**found.document, "input": "in.txt", "n_read": 1, "n_unreadable": 0})
    (line,) = [line for line in shown.splitlines() if line.startswith("    person:")]
    assert line.endswith("xxx …")
    assert len(line) <= 100

"""`scenescore doctor` as a person meets it."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys

import pytest

from handler.cli import main
from tests.conftest import EXAMPLE

SEEN = (
    ("A man walks a black dog in the park.", "In the park somebody is out with a dark dog."),
    ("Two women sit on a red bench.", "A couple of ladies are sitting on a bench that is red."),
    ("The gate is closed.", "Somebody shut the gate."),
    ("A truck turns left at the crossing.", "At the crossing a lorry makes a left turn."),
)


@pytest.fixture
def people(tmp_path):
    """Pictures that two people described."""
    path = tmp_path / "people.jsonl"
    path.write_text("".join(json.dumps({"references": list(both)}) + "\n" for both in SEEN))
    return path


def printed(capsys, *arguments):
    assert main(["doctor", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_json_is_the_document_and_nothing_else(people, capsys, tmp_path):
    arguments = (people, "--metrics", "captions.ngram", "--json", "--output", tmp_path / "pairs.jsonl")
    document = json.loads(printed(capsys, *arguments))
    assert (document["schema"], document["input"]) == ("scenescore.doctor/1", "people.jsonl")
    assert (document["n_read"], document["n_examined"], document["n_unreadable"]) == (4, 4, 0)
    pairs = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    assert len(pairs) == document["n_pairs"] == document["n_by_another"] > 4
    assert {(one["reference"], one["true"]) for one in pairs} == set(SEEN)
    assert all(one["false"] not in (one["reference"], one["true"]) for one in pairs)
    counted = {one["kind"]: one["n_pairs"] for one in document["kinds"]}
    assert sum(counted.values()) == len(pairs)
    for kind in document["kinds"]:
        found = kind["metrics"]["captions.ngram"]
        assert found["n"] == found["wins"] + found["ties"] + found["losses"] == kind["n_pairs"] <= kind["n_references"]


def test_edits_share_more_words_than_another_person_does(people, capsys):
    """ROUGE-L counts shared words, so that it must prefer most false versions: the point of the verb."""
    document = json.loads(printed(capsys, people, "--metrics", "captions.ngram", "--json"))
    outcomes = [kind["metrics"]["captions.ngram"] for kind in document["kinds"]]
    assert sum(one["losses"] for one in outcomes) > 3 * sum(one["wins"] for one in outcomes)


def test_the_same_call_says_the_same(people, capsys):
    first = printed(capsys, people, "--metrics", "captions.ngram,wer", "--limit", 2, "--seed", 5)
    assert first == printed(capsys, people, "--metrics", "captions.ngram,wer", "--limit", 2, "--seed", 5)
    assert first.startswith("people.jsonl: 2 references of 4 pictures (seed 5)")
    assert "speech.wer" in first
    assert "What this cannot know" in first


def test_plain_text_is_rewritten_by_rule(tmp_path, capsys):
    path = tmp_path / "seen.txt"
    path.write_text("\n".join(one for one, _ in SEEN))
    table = tmp_path / "pairs.csv"
    shown = printed(capsys, path, "--metrics", "captions.ngram", "--output", table)
    rows = list(csv.DictReader(table.read_text("utf-8-sig").splitlines()))
    assert f"Written: {table} ({len(rows)} pairs to check)" in shown
    assert f"True versions: 0 by another person, {len(rows)} by rule." in shown
    assert all("another person" not in row["source"] for row in rows)
    assert set(rows[0]) >= {"kind", "reference", "true", "false", "is_right", "captions.ngram.preferred"}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere.json"], r"nowhere\.json: there is no such file.*"),
        ([EXAMPLE, "--metrics", "pope"], r"pope does not compare.*captions\.ngram.*"),
        ([EXAMPLE, "--metrics", "nothing"], r"there is no metric 'nothing'.*"),
        ([EXAMPLE, "--limit", "0"], r"--limit must be at least 1"),
        ([EXAMPLE, "--threads", "0"], r"--threads must be at least 1"),
        ([EXAMPLE, "--output", "pairs.xlsx"], r"--output 'pairs\.xlsx' is neither.*"),
        ([EXAMPLE, "--map", "reference"], r"--map 'reference' is not NAME=VALUE"),
    ],
)
def test_wrong_calls_exit_2_with_one_line(capsys, tmp_path, monkeypatch, arguments, line):
    monkeypatch.chdir(tmp_path)
    given = [str(one) for one in arguments]
    assert main(["doctor", *given, *([] if "--metrics" in given else ["--metrics", "captions.ngram"])]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"scenescore: (?:{line})\n", err), err


def test_a_file_without_references_says_which_column_to_name(tmp_path, capsys):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"answer": "A dog."}\n')
    assert main(["doctor", str(path), "--metrics", "captions.ngram"]) == 2
    assert "there is no reference to examine" in (shown := capsys.readouterr().err)
    assert "--map references=COLUMN" in shown


def test_stdin_is_read(people):
    command = [sys.executable, "-m", "handler.cli", "doctor", "-", "--metrics", "captions.ngram"]
    done = subprocess.run(
        command, input=people.read_text(), capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 references of 4 pictures" in done.stdout


@pytest.mark.model
def test_claims_see_what_similarity_does_not(model, people, capsys):
    document = json.loads(printed(capsys, people, "--json", "--model", model))
    assert list(document["signature"]) == ["vision.similarity", "vision.claims"]
    won = {
        name: sum(kind["metrics"][name]["wins"] for kind in document["kinds"])
        for name in ("vision.similarity", "vision.claims")
    }
    assert won["vision.claims"] > won["vision.similarity"]

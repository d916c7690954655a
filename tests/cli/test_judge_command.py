"""The rubric of a judge, given as a text or as a file with it."""

from __future__ import annotations

import hashlib
import json

import pytest

from handler.cli import main

GRADES = [{"item_id": f"i{n}", "judge": n % 2, "human": n % 2} for n in range(6)]


@pytest.fixture
def signature(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grades.jsonl").write_text("".join(json.dumps(one) + "\n" for one in GRADES))

    def of(rubric):
        words = ["--format", "judge", "--option", f"judge.agreement.rubric={rubric}", "--json"]
        assert main(["evaluate", "grades.jsonl", *words]) == 0
        return json.loads(capsys.readouterr().out)["signature"]["judge.agreement"]

    return of


def test_a_rubric_is_known_by_what_it_says_and_not_by_its_file(signature, tmp_path):
    (tmp_path / "one.md").write_text("Name the object.\nBe kind.\n")
    (tmp_path / "two.md").write_text("Name the object.\nBe kind.\n")
    first = signature("one.md")
    assert signature("two.md") == first == signature("Name the object.\nBe kind.")
    (tmp_path / "one.md").write_text("Name the colour.\n")
    assert signature("one.md") != first


def test_a_rubric_that_is_not_there_is_refused(signature, capsys):
    assert main(["evaluate", "grades.jsonl", "--format", "judge", "--option", "judge.agreement.rubric=gone.md"]) != 0
    assert "gone.md: no such file" in capsys.readouterr().err


def test_a_short_rubric_of_letters_that_take_three_bytes_is_a_text(signature):
    rubric = "物体の名前" * 40  # 200 characters, 600 bytes: a text that no file could be named by
    assert f"rubric:{hashlib.sha256(rubric.encode()).hexdigest()[:16]}" in signature(rubric)


def test_a_folder_or_a_file_too_large_for_a_report_is_no_rubric(signature, tmp_path, capsys):
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "book.md").write_text("x" * 1_000_001)
    for name, words in (
        ("rubrics", "this is a folder; name a file in it"),
        ("book.md", "1,000,001 bytes are too many"),
    ):
        assert (
            main(["evaluate", "grades.jsonl", "--format", "judge", "--option", f"judge.agreement.rubric={name}"]) != 0
        )
        assert words in capsys.readouterr().err

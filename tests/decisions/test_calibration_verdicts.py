"""Verdicts in the words people use."""

from __future__ import annotations

import pytest

from handler.decisions._verdicts import VerdictReader, find_column
from handler.errors import RequestError

SAME = ["same", "OK", "true", True, 1, 1.0, "1", "correct", "Supported", "yes", " Accurate ", "PASS", "match"]
DIFFERENT = [
    *("different", "Hallucination", "hallucinated", "false", False, 0, "0", "incorrect", "contradicted", "unsupported"),
    *("no", "not ok", "Not_Supported", "wrong", "mismatch"),
]


@pytest.mark.parametrize("word", SAME)
def test_same(word):
    assert VerdictReader("human_verdict").read(word, "s/f") is True


@pytest.mark.parametrize("word", DIFFERENT)
def test_different(word):
    assert VerdictReader("human_verdict").read(word, "s/f") is False


@pytest.mark.parametrize("word", ["", None, " ", "unsure", "N/A", "skip", "can't tell"])
def test_open(word):
    assert VerdictReader("human_verdict").read(word, "s/f") is None


@pytest.mark.parametrize(
    "column", ["hallucination", "is_hallucination", "Is Wrong", "has_error", "human_hallucination"]
)
def test_a_column_named_for_the_mistake_turns_yes_around(column):
    reader = VerdictReader(column)
    assert [reader.read(one, "s/f") for one in (True, "yes", 1, False, "no", "0")] == [False] * 3 + [True] * 3
    assert reader.read("hallucination", "s/f") is False
    assert reader.read("ok", "s/f") is True
    assert reader.rule == "true, yes and 1 mean different"


def test_own_words_and_grades():
    reader = VerdictReader("v", words={"Trifft zu": "same", "daneben": "different"})
    assert [reader.read(one, "s/f") for one in ("trifft  zu", "DANEBEN")] == [True, False]
    grades = VerdictReader("v", same_from=3)
    assert [grades.read(one, "s/f") for one in ("3", 2.99, 5, "", "0")] == [True, False, True, None, False]


def test_a_word_that_is_none_is_named():
    with pytest.raises(RequestError, match=r"human_verdict of cam-1/f7 is 'maybe so', which is no verdict.*--word"):
        VerdictReader("human_verdict").read("maybe so", "cam-1/f7")
    with pytest.raises(RequestError, match="not a grade"):
        VerdictReader("v", same_from=3).read("good", "s/f")
    with pytest.raises(RequestError, match="same or different"):
        VerdictReader("v", words={"x": "ok"})


def test_columns_are_found_by_their_usual_names():
    rows = [{"columns": {"Human Verdict": "same", "x": 1}}, {"tags": {"light": "day"}}]
    assert find_column(rows, None) == "Human Verdict"
    assert find_column(rows, "LIGHT") == "light"
    assert find_column([{"columns": {"x": 1}}], None) is None
    with pytest.raises(RequestError, match=r"no column 'y'.*'Human Verdict', 'x', 'light'"):
        find_column(rows, "y")

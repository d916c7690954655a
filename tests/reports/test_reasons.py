"""Reasons in the words of a person: the codes of the JSON files stay there."""

from __future__ import annotations

import json
import re

import pytest

from handler.cli import main
from handler.reports.page._metrics import DESCRIPTIONS
from handler.reports.page._tables import session_table

TABLE = """session_id,sample_id,language,answer,reference
cam-1,blank,,,A dog is running in the yard.
cam-1,dots,,...,A man is climbing over the fence.
cam-1,empty,,The area is empty.,A man is climbing over the fence.
cam-1,german,german,Ein Hund,A dog is running in the yard.
cam-1,after, ,A dog is running.,A dog is running in the yard.
"""
REASONS = {
    "blank": "the model said nothing",
    "dots": "a text has no words",
    "empty": "the description shares no word with the reference",
    "german": "not English, which is all that is read here (german)",
}
CODES = ("empty_answer", "no_words", "nothing_shared", "language:german")


@pytest.fixture
def result(tmp_path, model, capsys):
    (tmp_path / "frames.csv").write_text(TABLE)
    call = ["evaluate", str(tmp_path / "frames.csv"), "--metrics", "vision", "--output", str(tmp_path / "out")]
    assert main(call) == 0
    return next((tmp_path / "out" / "frames.csv").glob("*/"))


def test_the_terminal_and_the_markdown_say_why_in_words(result, capsys):
    shown = " ".join(capsys.readouterr().out.split())
    assert main(["report", str(result), "--format", "md"]) == 0
    markdown = capsys.readouterr().out.replace("&#58;", ":")
    for words in REASONS.values():
        assert f"1 × {words}" in shown
    for code in CODES:
        assert code not in shown
        assert code.replace("_", "&#95;") not in markdown
    assert "- vision.claims: 1 × undecided: the model said nothing" in markdown
    assert re.search(r"\| vision\.claims \|.*\| 1 of 5 \|", markdown)


def test_the_page_shows_undecided_samples_as_that_and_counts_them_apart(result):
    page = (result / "report.html").read_text()
    static, data = page.split('id="data"')
    assert "Contradiction: undecided: the model said nothing" in static
    assert "Contradiction 0.000" not in static
    assert '1 of 5, <a href="#problems">4 undecided</a>' in static
    for code in CODES[:3]:
        assert code not in static
    document = json.loads(data[data.index("{") : data.index("</script>")])
    column = next(one for one in document["frames"]["metrics"] if f"undecided: {REASONS['dots']}" in one["reasons"])
    assert [score is None for score in column["scores"]] == [True, True, True, True, False]


def test_a_blank_language_is_not_that_of_the_row_before(result):
    rows = [json.loads(line) for line in (result / "samples.jsonl").read_text().splitlines()]
    assert [row.get("language") for row in rows] == [None, None, None, "german", None]
    assert [row["metrics"]["vision.claims"]["verdict"] for row in rows[3:]] == ["undecided", "supported"]


def test_the_cards_leave_no_gap_beside_the_tall_one_and_stand_alone_where_it_is_narrow(browser, result):
    tab = browser.open((result / "report.html").as_uri())
    edges = "[...document.querySelectorAll('.cards > .card')].map(one => one.getBoundingClientRect().toJSON())"
    tall, first, second = tab.do(edges)
    assert first["left"] == second["left"] > tall["right"]
    assert 0 < second["top"] - first["bottom"] < 30
    assert abs(tall["bottom"] - second["bottom"]) < 1
    tab.look(width=520, height=900)
    tall, first, second = tab.do(edges)
    assert tall["left"] == first["left"] == second["left"]
    assert 0 < first["top"] - tall["bottom"] < 30
    tab.close()


def test_sessions_count_as_scored_what_is_decided():
    """Claims decide 1 of 3 frames of s1 and both of s2; similarity scores all five."""
    names = ("vision.similarity", "vision.claims")
    metrics = {
        name: {
            "sessions": [
                {"session_id": "s1", "assistant_id": "m", "n_scored": 3, "n_skipped": 0, "n_error": 0},
                {"session_id": "s2", "assistant_id": "m", "n_scored": 2, "n_skipped": 0, "n_error": 0},
            ]
        }
        for name in names
    }
    for session, n in zip(metrics["vision.claims"]["sessions"], (2, 0), strict=True):
        session |= {"n_undecided": n, "rate": 0.0}
    descriptions = {name: DESCRIPTIONS[name] for name in names}
    counts = {one["label"]: one["values"] for one in session_table(metrics, descriptions)["columns"]}
    assert (counts["Scored"], counts["Undecided"]) == ([3, 2], [2, 0])
    alone = session_table({"vision.claims": metrics["vision.claims"]}, descriptions)
    assert {one["label"]: one["values"] for one in alone["columns"]}["Scored"] == [1, 2]

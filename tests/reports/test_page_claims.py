"""Claims on the page as a file: both texts marked, listed beside, in the card, in Markdown and in the table of rows."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pytest

from handler.claims import Claim, Judgement, Kind, Note
from handler.evaluation._ledger import Ledger
from handler.metrics import get_metric
from handler.metrics.vision import PairClaims, PairScore
from handler.reports import ResultFolder, dump_row
from handler.reports.page import _frames, csv_lines, html_of, markdown
from handler.samples import Sample
from tests.reports.claimed_results import FOUND, SCENES, claimed_frames, make_claimed, saying
from tests.reports.made_results import make_result
from tests.reports.seen_pages import Seen, data_of, page_of

MARK = re.compile(r'<mark data-kind="([^"]*)" title="[^"]*"(?: data-label="([^"]*)")?>([^<]*)</mark>')


def article(html, index):
    return re.search(rf'<article class="worst" id="worst-{index}".*?</article>', html, re.DOTALL)[0]


def said(html, index):
    """Texts of an article, markup and all."""
    return re.findall(r'class="said">(.*?)</p>', article(html, index), re.DOTALL)


def plain(markup):
    return unescape(re.sub("<[^>]*>", "", markup))


def test_both_texts_are_marked_where_the_spans_say_after_emoji_too(tmp_path):
    make_claimed(tmp_path, claimed_frames(), FOUND)
    html = page_of(tmp_path)
    answer, reference = said(html, 0)
    assert MARK.findall(answer) == [("number", "1 number", "Three"), ("opposite", "2 opposite", "closed")]
    assert MARK.findall(reference) == [("number", "1 number", "Two"), ("opposite", "2 opposite", "open")]
    assert [plain(answer), plain(reference)] == list(SCENES[0][:2])
    assert re.findall(r'<span class="open">([^<]*)</span>', reference) == ["near a dog"]
    assert re.findall(r'<span class="open">([^<]*)</span>', "".join(said(html, 2))) == ["in the rain", "to the left"]


def test_claims_stand_beside_with_what_both_sides_say(tmp_path):
    make_claimed(tmp_path, [Sample(0, "s", "a", "1", "A red car.", ("A van.",))], [
        {
            **saying("A red car.", "A van."),
            "claims": [
                {"kind": "object", "answer": "car", "reference": "van", "answer_spans": [[6, 9]],
                 "reference_spans": [[2, 5]], "confidence": 0.914},
                {"kind": "attribute", "answer": "red", "reference": "", "answer_spans": [[2, 5]], "reference_spans": [],
                 "confidence": 0.5},
            ],
            "omissions": [{"words": "at night", "spans": []}],
        }
    ])  # fmt: skip
    shown = [plain(one) for one in re.findall("<li>(.*?)</li>", article(page_of(tmp_path), 0))]
    assert shown == [
        "object Model: car · Person: van confidence 0.91",
        "attribute Model: red · Person: says nothing of it confidence 0.50",
    ]
    assert "Left out: at night" in plain(article(page_of(tmp_path), 0))
    assert "Contradiction 0.040, contradicted" in plain(article(page_of(tmp_path), 0))


def test_overlapping_spans_show_the_surest_claim_and_keep_the_text(tmp_path):
    text = "Nobody sits."
    found = saying(text, text, ("negation", [[0, 6]], []), ("action", [[3, 11]], [[0, 12]]))
    make_claimed(tmp_path, [Sample(0, "s", "a", "1", text, (text,))], [found])
    answer, reference = said(page_of(tmp_path), 0)
    assert MARK.findall(answer) == [("negation", "1 negation", "Nobody"), ("action", "2 action", " sits")]
    assert MARK.findall(reference) == [("action", "2 action", text)]
    assert plain(answer) == text


def test_spans_beyond_a_text_that_was_cut_are_left_out(tmp_path):
    found = saying("", "", ("number", [[4, 7], [490, 600], [700, 710], [-3, 2]], []))
    make_claimed(tmp_path, [Sample(0, "s", "a", "1", "The two" + "." * 493, ("The one.",))], [found])
    assert [words for _, _, words in MARK.findall(said(page_of(tmp_path), 0)[0])] == ["two", "." * 10]


@pytest.mark.parametrize(
    ("nearest", "best", "counted"), [(0, 0, 0), (0, 1, 1), (0, 3, None), (2, 2, 0), (2, 0, 1), (2, 1, 2), (1, 2, 2)]
)
def test_the_reference_that_was_judged_is_marked(tmp_path, nearest, best, counted):
    """Listed as worst by similarity alone, a frame shows three references: the nearest first, the others in order."""
    references = tuple(f"A dog number {i}." for i in range(4))
    found = saying("A cat.", references[best], ("object", [[2, 5]], [[2, 5]]), best_reference=best, verdict="supported")
    near = [0.9 if i == nearest else 0.1 for i in range(4)]
    make_claimed(tmp_path, [Sample(0, "s", "a", "1", "A cat.", references)], [found], near)
    texts = said(page_of(tmp_path), 0)[1:]
    marked = [plain(text) for text in texts if MARK.search(text)]
    assert marked == ([] if counted is None else [references[best]])
    assert counted is None or MARK.search(texts[counted])


@pytest.mark.parametrize("best", [0, 1, 3])
def test_of_a_contradicted_frame_the_judged_reference_comes_first(tmp_path, best):
    references = tuple(f"A dog number {i}." for i in range(4))
    found = saying("A cat.", references[best], ("object", [[2, 5]], [[2, 5]]), best_reference=best)
    make_claimed(tmp_path, [Sample(0, "s", "a", "1", "A cat.", references)], [found], [0.1, 0.9, 0.1, 0.1])
    texts = said(page_of(tmp_path), 0)[1:]
    assert plain(texts[0]) == references[best]
    assert [bool(MARK.search(text)) for text in texts] == [True, False, False]


def test_contradicted_frames_come_first(tmp_path):
    make_claimed(tmp_path, claimed_frames(), FOUND)
    shown = [one["id"] for one in Seen(page_of(tmp_path)).named("article") if "id" in one]
    assert shown == ["worst-1", "worst-0", "worst-2", "worst-4", "worst-3"]


def test_markdown_names_the_claims_and_nothing_in_them_acts(tmp_path):
    found = [FOUND[0], saying("x", "y", ("number", [], []), score=0.9)]
    found[1]["claims"][0] |= {"answer": "@all <b>|", "reference": ""}
    make_claimed(tmp_path, claimed_frames(2), found)
    lines = markdown(ResultFolder(str(tmp_path)).report()).splitlines()
    table = lines[lines.index("### Look at these first") + 2 :]
    assert table[0] == "| Sample | Score | Model | Person | Claims |"
    assert table[2].endswith("| number&#58; Three / Two<br>opposite&#58; closed / open |")
    assert table[3].endswith("| number&#58; &#64;&#8203;all &#60;b&#62;&#124; / – |")


def test_a_frame_without_a_judgement_shows_the_words_that_differ(tmp_path):
    make_claimed(tmp_path, claimed_frames(2), [{"state": "skipped", "score": None, "skipped": "x"}, FOUND[1]])
    html = page_of(tmp_path)
    assert ('class="sides diff"' in article(html, 0), 'class="sides diff"' in article(html, 1)) == (True, False)
    assert data_of(Seen(html))["frames"]["claims"]["rows"] == [1]


def test_the_column_holds_each_word_once_and_counts_what_it_leaves_out(tmp_path, monkeypatch):
    monkeypatch.setattr(_frames, "LIMIT", 4)
    many = saying("x", "y", *[("number", [], [])] * 7)
    make_claimed(tmp_path, claimed_frames(8), [many] * 8)
    column = data_of(Seen(page_of(tmp_path)))["frames"]["claims"]
    assert (column["kinds"], column["words"]) == (["number"], ["said", "seen"])
    assert column["rows"] == [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5
    assert column["more"] == [[0, 1, 2, 3], [2, 2, 2, 2]]


def test_the_card_says_how_often_and_of_which_kind(tmp_path):
    make_claimed(tmp_path, claimed_frames(), FOUND)
    card = plain(next(one for one in page_of(tmp_path).split("<article") if "vision.claims" in one))
    assert "60.0% Contradicted share of decided frames" in card
    assert "by kind of claimKindFramesnumber1opposite1negation1role1object1" in card
    assert "no such threshold travels" in card


class Given:
    """Judges every pair as told, where the metric asks the model."""

    def judge(self, pairs):
        claim = Claim(Kind.NUMBER, "Three", "Two", ((3, 8),), ((0, 3),), 0.9)
        left = Note("at night", ((14, 22),))
        return [PairClaims(PairScore(0.8, (5, 6), (False, False)), Judgement(0.97, (claim,), (left,))) for _ in pairs]

    def signature_parts(self):
        return {"scorer": "given"}


def test_what_the_metric_itself_writes_is_what_the_page_shows(tmp_path):
    metric = get_metric("vision.claims", source=Given(), threshold=0.9)
    sample = Sample(0, "s", "a", "1", "👮 🚪Three men leave.", ("Two men leave at night.",))
    result = metric.compute(sample)
    ledger = Ledger(metric, [])
    ledger.add_all([sample], [result], {("s", "a"): [0]})
    folder, document = make_result(tmp_path, [sample], [0.8])
    (row,) = (json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines())
    row["metrics"]["vision.claims"] = {"state": result.state, "score": result.score, **result.details}
    (tmp_path / "samples.jsonl").write_bytes(dump_row(row))
    document["metrics"]["vision.claims"] = ledger.report()
    html = html_of(folder, document).decode()
    answer, reference = said(html, 0)
    assert (MARK.findall(answer), MARK.findall(reference)) == (
        [("number", "1 number", "Three")],
        [("number", "1 number", "Two")],
    )
    card = plain(next(one for one in html.split("<article") if "vision.claims" in one))
    assert "100.0% Contradicted share of decided frames" in card
    assert "Decided1" in card
    assert "Contradicted without a claim0" in card


def test_claims_in_a_table_of_rows_are_json(tmp_path):
    make_claimed(tmp_path, claimed_frames(), FOUND)
    rows = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    cells = list(csv.DictReader(io.StringIO("".join(csv_lines(lambda: rows)), newline="")))
    assert [json.loads(one["vision.claims.claims"] or "[]") for one in cells] == [one["claims"] for one in FOUND]


def test_similarity_is_named_before_what_its_threshold_says(tmp_path):
    make_claimed(tmp_path, claimed_frames(1), [FOUND[0]])
    path = tmp_path / "samples.jsonl"
    row = json.loads(path.read_text())
    row["metrics"] = {
        name: row["metrics"][name] for name in ("vision.claims", "vision.hallucination", "vision.similarity")
    }
    path.write_bytes(dump_row(row))
    folder = ResultFolder(str(tmp_path))
    shown = plain(article(html_of(folder, folder.report()).decode(), 0))
    assert "Contradiction 0.970, contradicted, Similarity 0.900, not below 0.75 · argos" in shown

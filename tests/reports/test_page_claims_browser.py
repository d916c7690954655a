"""Claims on the page in headless Chromium: found by kind, for every reader, inert, and for 50,000 frames."""

from __future__ import annotations

import re
import time

import pytest

from handler.samples import Sample
from tests.reports.browsing import ROWS, problems, put
from tests.reports.claimed_results import FOUND, SCENES, claimed_frames, make_claimed, saying
from tests.reports.made_results import HOSTILE
from tests.reports.seen_pages import page_of

COUNT = "document.querySelector('#frames [role=status]').textContent"


@pytest.fixture(scope="module")
def claimed(tmp_path_factory):
    """50,000 frames with claims."""
    folder = tmp_path_factory.mktemp("claimed")
    return make_claimed(folder, claimed_frames(50_000, n_sessions=40), [FOUND[i % 5] for i in range(50_000)])


def test_fifty_thousand_frames_with_claims_open_in_under_two_seconds(browser, claimed):
    tab = browser.open("about:blank")
    begun = time.perf_counter()
    tab.go(claimed)
    assert tab.do("document.documentElement.dataset.ready") == ""
    assert time.perf_counter() - begun < 2
    assert (tab.do(COUNT), problems(tab)) == ("50,000 rows.", [])
    tab.close()


def test_frames_are_found_by_kind(browser, claimed):
    tab = browser.open(claimed)
    options = "[...document.querySelectorAll('#frame-kind option')].map(one => one.textContent)"
    each = [f"{kind} (10,000)" for kind in ("negation", "number", "object", "opposite", "role")]
    assert tab.do(options) == ["All", "Any kind (40,000)", *each]
    put(tab, "frame-kind", "opposite")
    assert tab.do(COUNT) == "10,000 of 50,000 rows."
    assert tab.do(f"{ROWS}.slice(0, 2).map(row => row.children[2].textContent)") == ["number, opposite"] * 2
    put(tab, "frame-search", "cam-01")
    assert tab.do(COUNT) == "1,250 of 50,000 rows."
    put(tab, "frame-search", "")
    put(tab, "frame-kind", "any")
    assert tab.do(COUNT) == "40,000 of 50,000 rows."
    put(tab, "frame-state", "undecided")
    assert tab.do(COUNT) == "10,000 of 50,000 rows."
    put(tab, "frame-kind", "negation")
    assert tab.do(COUNT) == "0 of 50,000 rows."
    tab.close()


def test_a_frame_of_which_no_texts_are_kept_lists_its_claims(browser, claimed):
    tab = browser.open(f"{claimed}#frame-40000")
    lines = "[...document.querySelectorAll('#frame .claims li')].map(one => one.textContent)"
    assert tab.do(lines) == [
        "number Model: Three · Person: Two",
        "opposite Model: closed · Person: open",
    ]
    tab.close()


def test_the_worst_are_found_by_kind(browser, tmp_path):
    url = make_claimed(tmp_path, claimed_frames(), FOUND)
    tab = browser.open(url)
    seen = "[...document.querySelectorAll('#worst .worst')].filter(one => one.offsetHeight).map(one => one.id)"
    assert len(tab.do(seen)) == 5
    put(tab, "worst-kind", "role")
    assert tab.do(seen) == ["worst-2"]
    assert tab.do("document.querySelector('#worst [role=status]').textContent") == "1 of 5 frames."
    put(tab, "worst-kind", "")
    assert len(tab.do(seen)) == 5
    tab.close()


def test_marks_and_text_survive_in_the_dialog(browser, tmp_path):
    tab = browser.open(f"{make_claimed(tmp_path, claimed_frames(), FOUND)}#frame-0")
    texts = "[...document.querySelectorAll('#frame .said')].map(one => one.textContent)"
    assert tab.do(texts) == list(SCENES[0][:2])
    marks = "[...document.querySelectorAll('#frame .said mark')].map(one => [one.textContent, one.dataset.label])"
    assert tab.do(marks) == [
        ["Three", "1 number"],
        ["closed", "2 opposite"],
        ["Two", "1 number"],
        ["open", "2 opposite"],
    ]
    label = "getComputedStyle(document.querySelector('#frame .said mark'), '::after').content"
    assert tab.do(label) == '"1 number"'
    colours = (
        "new Set([...document.querySelectorAll('#frame .kind')].map(one => getComputedStyle(one).backgroundColor)).size"
    )
    assert tab.do(colours) == 2
    tab.close()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (360, False), (360, True)])
def test_axe_finds_nothing_in_claims(browser, axe, tmp_path, width, dark):
    kinds = ("negation", "number", "attribute", "direction", "place", "action", "role", "object", "opposite")
    every = [saying("ab " * 10, "cd", *[(kind, [[3 * i, 3 * i + 2]], []) for i, kind in enumerate(kinds)])]
    samples = [*claimed_frames(14), Sample(14, "cam-01", "argos", "every kind", "ab " * 10, ("cd",))]
    url = make_claimed(tmp_path, samples, [FOUND[i % 5] for i in range(14)] + every)
    tab = browser.open(url, width=width, dark=dark)
    assert tab.do("document.documentElement.scrollWidth") <= width
    run = "axe.run().then(found => found.violations.map(one => [one.id, one.nodes.map(node => node.html)]))"
    tab.do(axe)
    assert tab.do(run) == []
    for index in (14, 0):
        tab.do(f"location.hash = '#frame-{index}'")
        tab.do("new Promise(done => setTimeout(done, 100))")
        assert tab.do(run) == []
    assert problems(tab) == []
    tab.close()


@pytest.mark.parametrize("width", [1280, 420])
def test_the_title_above_the_kinds_takes_one_line(browser, tmp_path, width):
    tab = browser.open(make_claimed(tmp_path, claimed_frames(), FOUND), width=width)
    lines = (
        "(() => { const all = document.createRange(); all.selectNodeContents(document.querySelector('.card caption'));"
    )
    assert tab.do(f"{lines} return all.getClientRects().length; }})()") == 1
    assert tab.do("document.documentElement.scrollWidth") <= width
    tab.close()


def test_hostile_claims_are_texts(browser, tmp_path):
    samples = [Sample(i, "s", "a", str(i), text, (text,)) for i, text in enumerate(HOSTILE)]
    found = []
    for text in HOSTILE:
        claim = {"kind": text, "answer": text, "reference": text, "confidence": 0.9}
        spans = [[i, i + 3] for i in range(0, len(text), 3)]
        note = {"words": text, "spans": [[0, len(text)]]}
        claims = [claim | {"answer_spans": spans, "reference_spans": [[0, 10**9]]}]
        found.append(saying(text, text) | {"claims": claims, "omissions": [note], "notes": [note]})
    url = make_claimed(tmp_path, samples, found)
    html = page_of(tmp_path)
    assert not re.search("[\u2028\u2029\u202a-\u202e\u2066-\u2069\x00\ud800-\udfff]", html)
    tab = browser.open(url)
    for index in range(len(HOSTILE)):
        tab.do(f"location.hash = '#frame-{index}'")
        tab.do("new Promise(done => setTimeout(done, 30))")
    assert tab.do("document.title") == "frames.jsonl – scenescore"
    assert tab.do("document.querySelectorAll('img, iframe, object, embed, form').length") == 0
    assert tab.do("document.querySelectorAll('script').length") == 2
    assert tab.do("document.querySelector('#worst-0 .said').textContent") == HOSTILE[0]
    assert problems(tab) == []
    tab.close()

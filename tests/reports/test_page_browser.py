"""report.html in headless Chromium: opens fast, counts as the engine does, sorts, filters, follows a frame."""

from __future__ import annotations

import json
import time

import pytest

from handler import evaluate
from handler.metrics import get_metric
from handler.reports.page import _frames
from handler.results import MetricResult
from tests.reports.browsing import ROWS, STATUS, problems, put
from tests.reports.made_results import frames, make_result


def engine(similarities, threshold):
    tally = get_metric("vision.hallucination", threshold=threshold).tally()
    for one in similarities:
        tally.add(MetricResult("vision.hallucination", float(one < threshold), {}))
    return tally.summary()


def in_words(summary, threshold, noun="frames"):
    interval = summary["intervals"]["hallucination_rate"]
    return (
        f"{summary['n_hallucinations']:,} of {summary['n_frames']:,} {noun} ({summary['hallucination_rate']:.1%}) "
        f"fall below {threshold:g}; 95% interval {interval['low']:.1%} to {interval['high']:.1%} (Wilson)."
    )


def test_fifty_thousand_frames_open_in_under_two_seconds(browser, many):
    url, _ = many
    tab = browser.open("about:blank")
    begun = time.perf_counter()
    tab.go(url)
    assert tab.do("document.documentElement.dataset.ready") == ""
    assert time.perf_counter() - begun < 2
    assert tab.do("document.querySelector('#frames [role=status]').textContent") == "50,000 rows."
    assert tab.do(f"{ROWS}.length") < 100
    assert tab.do("document.querySelector('#frames table').getAttribute('aria-rowcount')") == "50001"
    assert problems(tab) == []
    tab.close()


@pytest.mark.parametrize("threshold", [-1, 0.31, 0.5, 0.75, 0.9, 1])
def test_a_moved_threshold_counts_as_the_engine_does(browser, many, threshold):
    url, similarities = many
    tab = browser.open(url)
    assert tab.do(STATUS) == in_words(engine(similarities, 0.75), 0.75)
    put(tab, "threshold-number", str(threshold))
    assert tab.do(STATUS) == in_words(engine(similarities, threshold), threshold)
    tab.do("document.getElementById('threshold-back').click()")
    assert tab.do(STATUS) == in_words(engine(similarities, 0.75), 0.75)
    tab.close()


def test_a_score_exactly_at_the_threshold_is_not_below_it(browser, few):
    tab = browser.open(few)
    assert tab.do(STATUS).startswith("3 of 6 frames (50.0%) fall below 0.75;")
    put(tab, "threshold-number", "0.750001")
    assert tab.do(STATUS).startswith("4 of 6 frames")
    shares = "[...document.querySelectorAll('#sessions tbody tr:not(.spacer)')].map(r => r.lastChild.textContent)"
    assert tab.do(shares) == ["33.3%", "100.0%"]
    tab.close()


def test_ties_are_rounded_as_in_the_report(browser, tmp_path):
    similarities = [0.1, *[0.9] * 15]  # 6.25 %
    make_result(tmp_path, frames(16), similarities)
    tab = browser.open(f"file://{tmp_path}/report.html")
    assert "(6.2%)" in tab.do(STATUS)
    assert tab.do(STATUS) == in_words(engine(similarities, 0.75), 0.75)
    tab.close()


@pytest.mark.model
def test_another_threshold_gives_what_another_run_gives(browser, model, tmp_path):
    said = ["A dog runs.", "A man waits at the gate.", "Nobody is there.", "A van stops.", "Two people talk."]
    records = [
        {"session_id": f"cam-{i % 2}", "sample_id": f"{i}-{j}", "answer": one, "reference": other}
        for i, one in enumerate(said)
        for j, other in enumerate(said)
    ]
    report = evaluate(records, output=tmp_path, model=model)
    tab = browser.open(f"file://{report.location}/report.html")
    for threshold in (0.2, 0.1234, 0.99):
        again = evaluate(records, output=tmp_path, threshold=threshold, model=model)
        put(tab, "threshold-number", str(threshold))
        assert tab.do(STATUS) == in_words(again["metrics"]["vision.hallucination"]["overall"], threshold)
    tab.close()


def test_the_line_moves_by_keyboard_and_by_pointer(browser, few):
    tab = browser.open(few)
    tab.do("document.getElementById('threshold-slider').focus()")
    tab.key("ArrowLeft", 37)
    assert tab.do("document.getElementById('threshold-number').value") == "0.749"
    assert tab.do("document.getElementById('threshold-slider').getAttribute('aria-valuetext')") == "0.749"
    assert tab.do(STATUS).startswith("2 of 6 frames")
    tab.do("document.querySelector('.movable').scrollIntoView({block: 'center'})")
    box = tab.do(
        "(() => { const { left, top, width, height } = document.querySelector('.movable').getBoundingClientRect();"
        "return [left, top, width, height]; })()"
    )
    middle = box[1] + box[3] / 2
    tab.mouse("mousePressed", box[0] + box[2] * 0.7, middle)
    tab.mouse("mouseMoved", box[0] + box[2] * 0.25, middle)
    tab.mouse("mouseReleased", box[0] + box[2] * 0.25, middle)
    moved = float(tab.do("document.getElementById('threshold-number').value"))
    assert 0.25 < moved < 0.35  # a quarter of the way from 0.1 to 0.9
    assert tab.do(STATUS).startswith("2 of 6 frames")
    tab.close()


def test_tables_sort_and_filter(browser, many):
    url, similarities = many
    tab = browser.open(url)
    tab.do("[...document.querySelectorAll('#frames thead button')].find(b => b.textContent === 'Similarity').click()")
    first = tab.do(f"{ROWS}.slice(0, 3).map(row => row.children[3].textContent)")
    assert first == [f"{one:.3f}" for one in sorted(similarities)[:3]]
    assert tab.do("document.querySelectorAll('#frames [aria-sort=ascending]').length") == 1
    put(tab, "frame-search", "cam-07")
    assert tab.do("document.querySelector('#frames [role=status]').textContent") == "1,250 of 50,000 rows."
    put(tab, "frame-state", "below")
    n = sum(one < 0.75 for one in similarities[6::40])
    assert tab.do("document.querySelector('#frames [role=status]').textContent") == f"{n:,} of 50,000 rows."
    put(tab, "threshold-number", "0.5")
    n = sum(one < 0.5 for one in similarities[6::40])
    assert tab.do("document.querySelector('#frames [role=status]').textContent") == f"{n:,} of 50,000 rows."
    tab.do("document.querySelector('#sessions tbody button').click()")
    assert tab.do("document.getElementById('frame-session').textContent") == "Session cam-01 ×"
    assert tab.do("document.querySelector('#frames [role=status]').textContent") == "1,250 of 50,000 rows."
    tab.close()


def test_rows_far_down_appear_when_scrolled_to(browser, many):
    url, _ = many
    tab = browser.open(url)
    at_end = """new Promise(done => { const box = document.querySelector('#frames .scroller'); box.scrollTop = 1e9;
      setTimeout(() => done([...box.querySelectorAll('tbody tr:not(.spacer)')].at(-1).children[0].textContent), 300); })"""
    assert tab.do(at_end) == "frame_049999"
    assert tab.do(f"{ROWS}.length") < 100
    tab.close()


def test_a_frame_has_an_address_and_both_texts(browser, few):
    tab = browser.open(f"{few}#frame-1")
    dialog = "document.getElementById('frame')"
    assert tab.do(f"{dialog}.open") is True
    assert tab.do("document.activeElement.textContent") == "Sample frame_000001"
    assert tab.do(f"[...{dialog}.querySelectorAll('.said')].map(one => one.textContent)") == [
        "Person 1 walks past the gate.",
        "Somebody, number 1, runs past a gate at night.",
    ]
    marked = f"[...{dialog}.querySelector('.said').querySelectorAll('mark')].map(one => one.textContent)"
    assert tab.do(marked) == ["Person", "walks", "the"]
    tab.do(f"[...{dialog}.querySelectorAll('button')].find(one => one.textContent === 'Next').click()")
    tab.do("new Promise(done => setTimeout(done, 100))")
    assert tab.do("location.hash") == "#frame-2"
    assert tab.do("document.getElementById('frame-title').textContent") == "Sample frame_000002"
    assert tab.do("document.activeElement.textContent") == "Next"  # so that it can be pressed again
    tab.key("Escape", 27)
    tab.do("new Promise(done => setTimeout(done, 100))")
    assert tab.do(f"[{dialog}.open, location.hash]") == [False, ""]
    tab.do("document.querySelector('#frames tbody a').click()")
    tab.do("new Promise(done => setTimeout(done, 100))")
    assert tab.do("document.getElementById('frame-title').textContent") == "Sample frame_000000"
    tab.close()


def test_a_frame_that_was_not_drawn_is_said_to_be_absent(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(_frames, "LIMIT", 20)
    make_result(tmp_path, frames(100), [i / 100 for i in range(100)])
    index = json.loads(
        next(line for line in (tmp_path / "report.html").read_text().splitlines() if 'id="data"' in line)
        .partition(">")[2]
        .rpartition("</script>")[0]
    )["frames"]["index"]
    missing = next(one for one in range(50, 100) if one not in index)
    tab = browser.open(f"file://{tmp_path}/report.html#frame-{missing}")
    assert tab.do("document.getElementById('frame-title').textContent") == "This sample is not on this page"
    assert "20 were drawn at random (seed 0)" in tab.do("document.getElementById('sampled').textContent")
    assert tab.do(STATUS).startswith(f"{sum(one < 75 for one in index)} of 20 frames drawn")
    tab.close()

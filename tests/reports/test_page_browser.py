"""report.html in headless Chromium: opens fast, counts as the engine does, sorts, filters, follows a frame."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tarfile
import time

import pytest

from handler import evaluate
from handler.metrics import get_metric
from handler.reports.page import _frames, decision_page
from handler.results import MetricResult
from handler.samples import Sample
from tests.reports.chromium import binary, chromium
from tests.reports.made_results import HOSTILE, frames, make_result
from tests.reports.test_page import COMPARISON

AXE = "axe-core@4.14.1"
STATUS = "document.getElementById('threshold-status').textContent"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
PICTURED = {
    "index": 3,
    "thumbnail": f"data:image/png;base64,{PIXEL}",
    "detections": [{"box": [8, 8, 40, 40], "object": "dog"}],
}
ROWS = "[...document.querySelectorAll('#frames tbody tr:not(.spacer)')]"


@pytest.fixture(scope="module")
def browser():
    path = binary()
    if path is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    with chromium(path) as found:
        yield found


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm here to fetch axe-core with")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run([npm, "pack", AXE], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        pytest.skip(f"axe-core cannot be fetched: {done.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return archive.extractfile("package/axe.min.js").read().decode()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """50,000 frames of 40 cameras."""
    folder = tmp_path_factory.mktemp("many")
    draw = random.Random(5)
    similarities = [min(1.0, max(-1.0, draw.gauss(0.7, 0.2))) for _ in range(50_000)]
    make_result(folder, frames(50_000, n_sessions=40), similarities)
    return f"file://{folder}/report.html", similarities


@pytest.fixture
def few(tmp_path):
    """Six frames of two cameras."""
    make_result(tmp_path, frames(6, n_sessions=2), [0.9, 0.1, 0.8, 0.2, 0.75, 0.749])
    return f"file://{tmp_path}/report.html"


@pytest.fixture
def full(tmp_path):
    """A page with every section."""
    make_result(
        tmp_path,
        [*frames(6, n_sessions=2), Sample(6, "cam-03", "argos", "silent", "", (" ",), tags={"light": "day"})],
        [0.9, 0.1, 0.8, 0.2, 0.75, 0.749],
        errors=[{"line": 3, "column": 7, "field": "answer", "reason": "answer is a number"}],
        warnings=[{"code": "empty_answer", "count": 1, "examples": ["cam-03/silent"]}],
        calibration={
            "calibrated": False,
            "reasons": ["12 verdicts"],
            "thresholds": {"vision.similarity": {"value": 0.6}},
        },
        comparison={"results": [{"name": "a", "mean": 0.5}, {"name": "b", "mean": 0.6}]},
        detections=[{"source": "a.mp4", "size": [64, 48], "frames": [PICTURED]}],
    )
    return f"file://{tmp_path}/report.html"


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


def put(tab, identity, value):
    """Set a control as a person's input does."""
    tab.do(
        f"(() => {{ const one = document.getElementById({json.dumps(identity)}); one.value = {json.dumps(value)};"
        "for (const name of ['input', 'change']) one.dispatchEvent(new Event(name)); })()"
    )


def problems(tab):
    """What went wrong in the page: exceptions, refusals by its policy, log entries."""
    thrown = [one["exceptionDetails"] for one in tab.events("Runtime.exceptionThrown")]
    return thrown + [one["entry"]["text"] for one in tab.events("Log.entryAdded")]


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


def test_hostile_texts_run_nothing_and_reach_nothing(browser, tmp_path):
    samples = [Sample(i, text, text, text, text, (text[::-1],), tags={text: text}) for i, text in enumerate(HOSTILE)]
    make_result(tmp_path, samples, [0.5] * len(HOSTILE), input={"name": HOSTILE[0]}, calibration={"x": HOSTILE[0]})
    tab = browser.open(f"file://{tmp_path}/report.html")
    for index in range(len(HOSTILE)):
        tab.do(f"location.hash = '#frame-{index}'")
        tab.do("new Promise(done => setTimeout(done, 50))")
    put(tab, "frame-search", HOSTILE[2])
    assert tab.do("document.title") == f"{HOSTILE[0]} – scenescore"
    assert tab.do("document.querySelectorAll('img, iframe, object, embed, form').length") == 0
    assert tab.do("document.querySelectorAll('script').length") == 2
    assert tab.do(f"{ROWS}.map(row => row.children[0].textContent)") == [HOSTILE[2]]
    requested = [one["request"]["url"] for one in tab.events("Network.requestWillBeSent")]
    assert {url.partition("#")[0] for url in requested} <= {f"file://{tmp_path}/report.html", "data:,", "about:blank"}
    assert problems(tab) == []
    tab.close()


def test_the_policy_holds_against_script_and_network(browser, few):
    """What an oversight in the page could at most do."""
    tab = browser.open(few)
    refused = """(async () => { const found = [];
      document.addEventListener('securitypolicyviolation', event => found.push(event.effectiveDirective));
      try { document.body.innerHTML = '<b>x</b>'; } catch { found.push('innerHTML'); }
      await fetch('https://example.org/').catch(() => 0);
      document.body.append(Object.assign(document.createElement('img'), {src: 'https://example.org/a.png'}));
      await new Promise(done => setTimeout(done, 200)); return found; })()"""
    assert {"innerHTML", "connect-src", "img-src"} <= set(tab.do(refused))
    tab.close()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (360, False), (360, True)])
def test_axe_finds_nothing(browser, axe, full, width, dark):
    tab = browser.open(full, width=width, dark=dark)
    tab.do(f"{axe}; for (const one of document.querySelectorAll('details')) one.open = true")
    run = "axe.run().then(found => found.violations.map(one => [one.id, one.nodes.map(node => node.html)]))"
    assert tab.do(run) == []
    tab.do("location.hash = '#frame-1'")
    tab.do("new Promise(done => setTimeout(done, 100))")
    assert tab.do(run) == []
    tab.close()


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_is_never_wider_than_the_screen(browser, full, width):
    tab = browser.open(full, width=width)
    assert tab.do("document.documentElement.scrollWidth") <= width
    tab.close()


def test_it_prints_whole_tables_without_controls(browser, many):
    url, _ = many
    tab = browser.open(url)
    tab.do("dispatchEvent(new Event('beforeprint'))")
    tab.look(width=800, height=1000, media="print")
    assert tab.do("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert tab.do(f"{ROWS}.length") == 50
    after = "getComputedStyle(document.querySelector('#frames .scroller'), '::after').content"
    assert tab.do(after) == '"49,950 more rows are not printed."'
    tab.close()


def test_a_comparison_alone_is_a_page_that_works(browser, axe, tmp_path):
    place = tmp_path / "comparison.html"
    place.write_text(decision_page(COMPARISON))
    tab = browser.open(f"file://{place}", width=360)
    assert tab.do("[...document.querySelectorAll('mark')].map(one => one.textContent)") == ["No one.", "A man."]
    assert tab.do("document.documentElement.scrollWidth") <= 360
    tab.do(axe)
    assert tab.do("axe.run().then(found => found.violations.map(one => one.id))") == []
    assert problems(tab) == []
    tab.close()

"""The page against hostile texts, for every reader and every screen, in headless Chromium."""

from __future__ import annotations

import pytest

from handler.reports.page import decision_page
from handler.samples import Sample
from tests.reports.browsing import ROWS, problems, put
from tests.reports.made_results import HOSTILE, make_result
from tests.reports.seen_pages import COMPARISON


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
    assert tab.do(after) == '"Not printed: 49,950 more rows."'
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

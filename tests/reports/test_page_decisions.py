"""Calibrations and comparisons on the page: curves, differences, and whatever is missing."""

from __future__ import annotations

import pytest

from handler.reports.page import html_of
from tests.reports.made_results import frames, make_result
from tests.reports.seen_pages import CALIBRATION, COMPARISON, Seen, page_of


def test_a_calibration_that_is_none_says_why(tmp_path):
    calibration = {"calibrated": False, "reasons": ["only 12 verdicts"], "aim": "balanced", "fingerprint": "ab12"}
    make_result(tmp_path, frames(2), [0.1, 0.2], calibration=calibration)
    text = " ".join(Seen(page_of(tmp_path)).texts)
    assert "does not call itself calibrated" in text
    assert "only 12 verdicts" in text
    assert "is not calibrated on your own verdicts" in text
    make_result(tmp_path, frames(2), [0.1, 0.2], calibration={**calibration, "calibrated": True, "reasons": []})
    text = " ".join(Seen(page_of(tmp_path)).texts)
    assert "is not calibrated on your own verdicts" not in text
    assert "ab12" in text


def test_a_calibration_is_shown_with_its_curves(tmp_path):
    make_result(tmp_path, frames(2), [0.1, 0.2], calibration=CALIBRATION)
    seen = Seen(page_of(tmp_path))
    text = " ".join(seen.texts)
    for told in ("0.610", "0.550 to 0.700 (95%, sessions resampled)", "2.0% to 30.0%", "(n = 41)", "camera = <b>7</b>"):
        assert told in text
    drawn = next(one for one in seen.named("polyline"))
    assert drawn["points"] == "42.0,228.0 86.0,30.0 262.0,8.0"  # 0, 0.2 and 1 of 220 pixels from the left edge at 42
    used = next(one for one in seen.named("svg") if one.get("aria-label", "").startswith("Receiver"))
    assert used["aria-label"].endswith("good frames flagged 20.0%, hallucinations found 90.0%")


def test_a_comparison_is_shown_with_its_differences(tmp_path):
    make_result(tmp_path, frames(2), [0.1, 0.2], comparison=COMPARISON)
    text = " ".join(Seen(page_of(tmp_path)).texts)
    for told in ("+5.0 pp", "+1.0 pp to +9.0 pp", "< 0.001", "+30.0 pp", "better in 3, the same in 480, worse in 17"):
        assert told in text
    assert "<i>1</i>" in text
    assert "2 only in the baseline" in text


@pytest.mark.parametrize("document", [CALIBRATION, COMPARISON])
def test_sections_hold_whatever_is_missing(tmp_path, document):
    """Other versions of these documents, and broken ones: a page without a part rather than no page."""
    kind = document["schema"].split(".")[1].split("/")[0]

    def torn(value):
        yield None
        if isinstance(value, dict):
            for key in value:
                yield {other: one for other, one in value.items() if other != key}
                yield from ({**value, key: part} for part in torn(value[key]))
        elif isinstance(value, list):
            for place in range(len(value)):
                yield from ([*value[:place], part, *value[place + 1 :]] for part in torn(value[place]))

    folder, report = make_result(tmp_path, frames(1), [0.5])
    broken = list(torn(document))
    assert len(broken) > 50
    for one in broken:
        assert b"</html>" in html_of(folder, {**report, kind: one})

"""report.html as a file: inert whatever the texts, the same for the same rows, and right about every metric."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from html.parser import HTMLParser

import pytest

from handler import evaluate
from handler.decisions._calibration_file import sealed
from handler.metrics import get_metric, list_metrics
from handler.reports import ResultFolder
from handler.reports.page import _frames, html_of
from handler.reports.page._metrics import DESCRIPTIONS, describe
from handler.samples import Sample
from tests.reports.made_results import HOSTILE, frames, make_result


class Seen(HTMLParser):
    """Elements, and the text of scripts, styles and everything else."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.blocks, self.texts, self.inside = [], [], [], None
        self.feed(html)

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        self.inside = name if name in ("script", "style") else None

    def handle_endtag(self, name):
        self.inside = None

    def handle_data(self, data):
        (self.blocks if self.inside else self.texts).append(data)

    def named(self, name):
        return [attributes for found, attributes in self.elements if found == name]


def page_of(folder):
    with open(f"{folder}/report.html", encoding="utf-8") as file:
        return file.read()


def data_of(seen):
    return json.loads(next(block for block in seen.blocks if block.startswith("{")))


def test_the_policy_names_the_blocks_of_the_page_and_nothing_else(tmp_path):
    make_result(tmp_path, frames(3), [0.1, 0.8, 0.9])
    html = page_of(tmp_path)
    seen = Seen(html)
    policy = next(one["content"] for one in seen.named("meta") if one.get("http-equiv") == "Content-Security-Policy")
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    script = next(block for block in seen.blocks if block.startswith("(()"))
    style = next(block for block in seen.blocks if block.lstrip().startswith(":root"))

    def digest(block):
        return f"'sha256-{base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()}'"

    assert rules == {
        "default-src": "'none'",
        "script-src": digest(script),
        "style-src": digest(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert html.index("Content-Security-Policy") < html.index("<style>") < html.index("<script>")
    assert not re.search(r"\ssrc=|https?://(?!www\.w3\.org/2000/svg)", html)
    assert not any(name == "style" or name.startswith("on") for _, one in seen.elements for name in one)


def test_hostile_texts_are_texts(tmp_path):
    samples = [
        Sample(i, text, text, text, text, (text,), tags={text[:20]: text, "image_url": "javascript:alert(1)//a.png"})
        for i, text in enumerate(HOSTILE)
    ]
    wrong = [{"line": 1, "column": None, "field": text, "reason": text} for text in HOSTILE]
    make_result(
        tmp_path,
        samples,
        [0.5] * len(HOSTILE),
        errors=wrong,
        input={"name": HOSTILE[0]},
        warnings=[{"code": HOSTILE[0], "count": 1, "examples": list(HOSTILE)}],
        calibration={HOSTILE[0]: list(HOSTILE), "reasons": list(HOSTILE)},
        comparison={"frames": [{"id": text} for text in HOSTILE]},
    )
    html = page_of(tmp_path)
    seen = Seen(html)
    assert [one.get("type") for one in seen.named("script")] == ["application/json", None]
    assert seen.named("img") == []
    assert [one["href"] for one in seen.named("a") if not one["href"].startswith("#")] == []
    assert not re.search("[\u2028\u2029\u202a-\u202e\u2066-\u2069\x00\ud800-\udfff]", html)
    data = data_of(seen)
    assert data["frames"]["session"]["names"][0] == HOSTILE[0]
    assert data["frames"]["ids"][3] == "[U+202E]gnp.exe[U+202C] and [U+2067]isolated[U+2069]"
    assert data["frames"]["ids"][5] == "half [U+D800] character and a zero [U+0000] and &lt;amp;&"
    assert "".join(seen.texts).count(HOSTILE[0]) >= 5
    assert ResultFolder(str(tmp_path)).report()["warnings"][0]["examples"] == list(HOSTILE)


def test_a_large_result_is_drawn_from_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(_frames, "LIMIT", 50)
    folder, document = make_result(tmp_path, frames(400), [i / 400 for i in range(400)])
    data = data_of(Seen(page_of(tmp_path)))
    assert (data["frames"]["n"], data["frames"]["total"], data["seed"]) == (50, 400, 0)
    assert data["frames"]["index"] == sorted(random.Random(0).sample(range(400), 50))
    assert data["frames"]["metrics"][0]["scores"] == [index / 400 for index in data["frames"]["index"]]
    assert html_of(folder, document) == html_of(folder, document) == page_of(tmp_path).encode()
    shown = [one["id"] for one in Seen(page_of(tmp_path)).named("article") if "id" in one]
    assert shown == [f"worst-{n}" for n in range(10)]  # the worst of all, not of those drawn


def test_scores_of_a_threshold_stand_once_and_exactly(tmp_path):
    similarities = [random.Random(4).uniform(-1, 1) for _ in range(30)]
    make_result(tmp_path, frames(30), similarities)
    similarity, flagged = data_of(Seen(page_of(tmp_path)))["frames"]["metrics"]
    assert similarity["scores"] == similarities
    assert (flagged["scores"], flagged["as"]) == (None, 0)


@pytest.mark.parametrize("name", list_metrics())
def test_every_metric_has_its_figures(name):
    """A figure whose name is mistyped would silently not be shown."""
    overall = get_metric(name).tally().summary()
    found = DESCRIPTIONS[name]
    wanted = {one.key.partition("@")[0] for one in (found.main, *found.figures, *found.tables)}
    assert wanted <= {key.partition("@")[0] for key in overall}


def test_a_metric_nobody_described_shows_what_its_summary_holds():
    overall = {"n_samples": 2, "n_odd": 1, "reach": 0.5, "depth": 0.25, "intervals": {"depth": None}}
    found = describe("house.metric", overall)
    assert (found.main.key, [one.key for one in found.figures]) == ("depth", ["n_odd", "reach"])
    changed = describe("pope", {"exactness": 0.5})
    assert (changed.main.key, changed.noun) == ("exactness", "answer")


ANSWERED = {
    "pope": [{"answer": said, "label": "yes", "question": "A cat?"} for said in ("Yes", "No", "Hm")],
    "vqa.accuracy": [{"question_id": 1, "answer": "red", "answers": [{"answer": "red", "answer_id": 1}]}],
    "speech.wer": [{"utterance_id": "u", "text": "the cat sat", "pred_text": "the hat sat"}],
    "judge.agreement": [{"id": n, "judge": "good", "human": said} for n, said in enumerate(("good", "bad"))],
}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pope", ["50.0%", "A cat?", "the answer is neither yes nor no"]),
        ("vqa.accuracy", ["100.0%", "Scored: 1."]),
        ("speech.wer", ["33.3%", "REF: the cat sat"]),
        ("judge.agreement", ["50.0%", "Verdicts of people and of the judge"]),
    ],
)
def test_other_metrics_show_their_own_figures(tmp_path, name, told):
    report = evaluate(ANSWERED[name], output=tmp_path)
    assert list(report["metrics"]) == [name]
    seen = Seen(page_of(report.location))
    text = " ".join(" ".join(seen.texts).split())
    assert DESCRIPTIONS[name].question in text
    for words in told:
        assert words in text
    assert "threshold" not in [one.get("id") for one in seen.named("section")]


def test_a_picture_is_a_link_to_follow_and_a_path_is_text(tmp_path):
    first, second = frames(2)
    first.columns = {"image_url": "https://cams.example.org/1.jpg?at=3&of=4"}
    second.columns = {"image": "s3://bucket/cams/2.jpg"}
    make_result(tmp_path, [first, second], [0.1, 0.2])
    seen = Seen(page_of(tmp_path))
    outside = [one for one in seen.named("a") if not one["href"].startswith("#")]
    assert outside == [
        {
            "href": "https://cams.example.org/1.jpg?at=3&of=4",
            "target": "_blank",
            "rel": "noopener noreferrer external",
        }
    ]
    assert "s3://bucket/cams/2.jpg" in seen.texts
    assert seen.named("img") == []


def test_boxes_are_drawn_on_stored_thumbnails_only(tmp_path):
    pixel = "data:image/png;base64,iVBORw0KGgo="
    detections = [{"box": [10, 20, 30, 60], "object": "dog"}, {"box": "everything"}]
    video = {
        "source": "a.mp4",
        "size": [100, 80],
        "frames": [
            {"index": 7, "thumbnail": pixel, "detections": detections},
            {"index": 8, "thumbnail": "https://example.org/8.png", "detections": detections},
            {"index": 9, "thumbnail": "data:image/svg+xml;base64,PHN2Zz4=", "detections": detections},
        ],
    }
    make_result(tmp_path, frames(2), [0.1, 0.2], detections=[video])
    seen = Seen(page_of(tmp_path))
    assert [one["href"] for one in seen.named("image")] == [pixel]
    boxes = [one for one in seen.named("rect") if one.get("class") == "box"]
    assert boxes == [{"class": "box", "x": "10", "y": "20", "width": "20", "height": "40"}]


def test_nothing_scored_and_nothing_at_all_are_pages_too(tmp_path):
    make_result(tmp_path / "none", [], [])
    assert "There is nothing to score." in page_of(tmp_path / "none")
    silent = [Sample(0, "s", "a", "1", "A dog.", (" ",))]
    make_result(tmp_path / "skipped", silent, [])
    seen = Seen(page_of(tmp_path / "skipped"))
    assert "the reference is empty" in seen.texts
    assert data_of(seen)["frames"]["metrics"][0]["scores"] == [None]


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


RATES = {"n": 40, "hits": 9, "miss_rate": 0.1, "false_alarm_rate": 0.2, "recall": 0.9, "precision": 0.75}
MISSED = {"low": 0.02, "high": 0.3, "level": 0.95, "method": "cluster-t"}
UNSEALED = {
    "schema": "scenescore.calibration/1",
    "calibrated": True,
    "aim": "balanced_accuracy",
    "metrics": {
        "vision.similarity": {
            "signature": "vision.similarity|version:1|mode:strict",
            "calibrated": True,
            "reasons": [],
            "threshold": 0.61,
            "flags": "scores below the threshold",
            "interval": {"low": 0.55, "high": 0.7, "level": 0.95, "method": "cluster-bootstrap"},
            "held_out": {**RATES, "intervals": {"miss_rate": MISSED}},
            "calibration": {**RATES, "n": 41},
            "roc": [[0.0, 0.0, None], [0.2, 0.9, 0.61], [1.0, 1.0, 1.0]],
            "probability": {
                "method": "logistic",
                "intercept": 3.0,
                "slope": -5.0,
                "reliability": {"bins": [{"probability": 0.5, "share_different": 0.25, "interval": MISSED}]},
            },
            "slices": [{"by": "camera", "value": "<b>7</b>", "n": 12, "miss_rate": 0.5}],
        }
    },
}
CALIBRATION = sealed(UNSEALED)
COMPARISON = {
    "schema": "scenescore.comparison/1",
    "summary": "B is worse than A.",
    "comparisons": [
        {
            "candidate": "B",
            "metric": "vision.hallucination",
            "figure": "hallucination_rate",
            "is_rate": True,
            "baseline_value": 0.1,
            "candidate_value": 0.15,
            "difference": 0.05,
            "interval": {"low": 0.01, "high": 0.09, "level": 0.95, "method": "cluster-t"},
            "p_corrected": 0.0004,
            "n_samples": 500,
            "verdict": "worse",
            "wins": 3,
            "ties": 480,
            "losses": 17,
            "slices": [{"by": "camera", "value": "7", "verdict": "worse", "difference": 0.3, "n_samples": 50}],
            "regressed": [
                {"session_id": "s", "sample_id": "<i>1</i>", "candidate_answer": "No one.", "references": ["A man."]}
            ],
        }
    ],
    "matching": [{"candidate": "B", "n_matched": 500, "n_only_baseline": 2, "n_only_candidate": 0}],
}


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

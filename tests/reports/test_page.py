"""report.html as a file: inert whatever the texts, the same for the same rows, and right about every metric."""

from __future__ import annotations

import base64
import hashlib
import random
import re

import pytest

from handler import evaluate
from handler.metrics import get_metric, list_metrics
from handler.reports import ResultFolder
from handler.reports.page import _frames, html_of
from handler.reports.page._metrics import DESCRIPTIONS, describe
from handler.samples import Sample
from tests.reports.made_results import HOSTILE, frames, make_result
from tests.reports.seen_pages import Seen, data_of, page_of


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

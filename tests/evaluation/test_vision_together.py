"""All vision metrics in one run: one pass over the model, no bit moved, the same bytes however the work is cut."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from handler import evaluate
from handler.errors import ModelError, OutOfTimeError
from handler.evaluation import EvaluationRequest, Machine, _run, plan_shards, reduce_shards, run, score_shard
from handler.models import TextEncoder
from tests.evaluation.shard_files import close, frames, write_lines

pytestmark = pytest.mark.model

PLAIN = ["vision.similarity", "vision.hallucination"]
ALL = ["vision.claims", *PLAIN]
SCENES = [
    {
        "session_id": f"cam-{n % 2}",
        "answer": f"{said} men stand.",
        "reference": "Two men stand.",
        "tags": {"odd": n % 2},
    }
    for n, said in enumerate(["Two", "Three", "No", "Two young", "Five"])
]
ROWS = [one for pair in zip(frames(25), SCENES * 5, strict=True) for one in pair]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("together") / "frames.jsonl"
    write_lines(path, ROWS)
    return path


@pytest.fixture(scope="module")
def whole(source, model):
    """The request, the report and the rows of an undisturbed run, read from its folder."""
    asked = {"input": str(source), "metrics": ALL, "group_by": ["odd"], "max_error_rate": 0.5}
    report = run(EvaluationRequest(**asked, output=str(source.parent / "whole")), Machine(model=model))
    return asked, report, rows_of(report)


def rows_of(report):
    return Path(report.location, "samples.jsonl").read_bytes()


def parts(report, name):
    """A metric's part of report and rows, as bytes."""
    rows = [row["metrics"][name] for row in report.samples]
    return json.dumps([report["metrics"][name], rows]).encode()


def watched(monkeypatch):
    """The texts, as token ids, that models read from here on."""
    seen, plain = [], TextEncoder._run

    def counting(self, rows, layers):
        seen.extend(map(tuple, rows))
        return plain(self, rows, layers)

    monkeypatch.setattr(TextEncoder, "_run", counting)
    return seen


@pytest.mark.parametrize("names", [ALL, ALL[::-1], ["vision"]], ids=["first", "last", "group"])
def test_claims_move_no_bit_of_the_others_and_cost_no_pass(model, monkeypatch, names):
    alone = evaluate(ROWS, metrics=PLAIN, model=model)
    fresh = TextEncoder(model, threads=2)
    monkeypatch.setattr("handler.evaluation._metrics.shared_text_encoder", lambda *_: fresh)
    seen = watched(monkeypatch)
    together = evaluate(ROWS, metrics=names, model=model)
    assert len(seen) == len(set(seen)) > 10
    for name in PLAIN:
        assert parts(together, name) == parts(alone, name)
    assert list(together["metrics"]) == (sorted(ALL) if names == ["vision"] else names)


def test_a_row_holds_what_the_design_says(whole):
    _, report, _ = whole
    assert report["metrics"]["vision.claims"]["overall"]["n_contradicted"] >= 10
    states = {"scored": 0, "skipped": 0}
    for row in report.samples:
        found, similarity = (row["metrics"][name] for name in ("vision.claims", "vision.similarity"))
        states[found["state"]] += 1
        assert found["state"] == similarity["state"]
        if found["state"] == "skipped":
            continue
        assert found.keys() >= {"score", "contradiction", "verdict", "claims", "omissions", "notes"}
        assert 0 <= found["score"] == found["contradiction"] <= 1
        assert found["similarity_score"] == similarity["score"]
    assert min(states.values()) > 0


def test_worst_frames_are_contradicted_ones_with_their_claims(whole):
    _, report, _ = whole
    worst = report["metrics"]["vision.claims"]["worst"]
    rows = report.samples
    assert [one["score"] for one in worst] == sorted((one["score"] for one in worst), reverse=True)
    for one in worst:
        row = rows[one["index"]]["metrics"]["vision.claims"]
        assert row["verdict"] == "contradicted"
        assert one["claims"] == row["claims"]


@pytest.mark.parametrize("n", [2, 7])
def test_shards_leave_the_same_bytes(whole, tmp_path, model, n):
    asked, report, rows = whole
    machine = Machine(model=model)
    plan = plan_shards(EvaluationRequest(**asked, output=str(tmp_path)), machine, run="r", n_shards=n)
    for number in reversed(range(len(plan.shards))):
        score_shard(plan, number, machine)
    found = reduce_shards(plan, machine)
    assert rows_of(found) == rows
    assert close(found["metrics"], report["metrics"])
    assert json.dumps(found["metrics"]["vision.claims"]) == json.dumps(report["metrics"]["vision.claims"])


def test_stopped_and_carried_on_leaves_the_same_bytes(whole, tmp_path, model, monkeypatch):
    asked, report, rows = whole
    monkeypatch.setattr(_run, "CHUNK", 8)
    calls = itertools.count()
    machine = Machine(model=model, must_stop=lambda: next(calls) % 2 == 1)
    request, stops = EvaluationRequest(**asked, output=str(tmp_path)), 0
    while True:
        try:
            found = run(request, machine)
            break
        except OutOfTimeError:
            stops += 1
    assert stops > 1
    assert rows_of(found) == rows
    assert json.dumps(found["metrics"]["vision.claims"]) == json.dumps(report["metrics"]["vision.claims"])


def test_with_a_cache_similarity_is_the_cached_one_and_claims_ask_the_model(
    whole, source, tmp_path, model, monkeypatch
):
    asked, _, rows = whole
    cache = str(tmp_path / "cache")
    alone = EvaluationRequest(**{**asked, "metrics": PLAIN}, output=str(tmp_path / "alone"))
    run(alone, Machine(model=model, cache=cache, threads=1))
    seen = watched(monkeypatch)
    found = run(EvaluationRequest(**asked, output=str(tmp_path / "all")), Machine(model=model, cache=cache, threads=1))
    assert rows_of(found) == rows
    assert len(seen) == len(set(seen)) > 10
    run(alone, Machine(model=model, cache=cache, threads=1, force=True))
    assert len(seen) == len(set(seen))


def test_a_model_without_the_layers_is_refused_before_anything_is_read(source, model, tmp_path):
    for file in model.iterdir():
        if file.name != "card.json":
            (tmp_path / file.name).symlink_to(file)
    card = json.loads((model / "card.json").read_text())
    (tmp_path / "card.json").write_text(json.dumps({**card, "layers": {}}))
    with pytest.raises(ModelError, match="no token vectors of layer 3") as caught:
        evaluate(source, metrics=["vision"], model=tmp_path, output=tmp_path / "out")
    assert "scenescore export mpnet --output" in caught.value.hint
    assert not (tmp_path / "out").exists()
    assert evaluate(source, metrics=PLAIN, model=tmp_path, max_error_rate=0.5)["counts"]["n_samples"] == len(ROWS)

"""POST /run: the body of fair-forge's Lambda examples."""

from __future__ import annotations

import orjson
import pytest

from handler.jobs import _answer, _datasets
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model

DATASETS = orjson.loads(EXAMPLE.read_bytes())


def run(client, **body):
    return client.post("/run", json={"datasets": DATASETS, **body})


def test_similarity_answers_with_the_fields_of_the_model(client):
    body = run(client, config={"metric": "VisionSimilarity"}).json()
    assert (body["success"], body["count"]) == (True, 1)
    one = body["metrics"][0]
    assert (one["session_id"], one["assistant_id"]) == ("cam-entrance-01", "argos-gpt4o")
    assert {"mean_similarity", "min_similarity", "max_similarity", "summary"} <= set(one)
    assert [round(frame["similarity_score"], 3) for frame in one["interactions"]] == [0.559, 0.291]
    assert [frame["qa_id"] for frame in one["interactions"]] == ["frame_001", "frame_002"]


def test_hallucination_answers_with_the_fields_of_the_model(client):
    one = run(client, config={"metric": "VisionHallucination", "threshold": 0.5}).json()["metrics"][0]
    assert (one["hallucination_rate"], one["n_hallucinations"], one["n_frames"], one["threshold"]) == (0.5, 1, 2, 0.5)
    assert [frame["is_hallucination"] for frame in one["interactions"]] == [False, True]


def test_both_metrics_unless_one_is_named(client):
    body = run(client).json()
    assert [one["metric"] for one in body["metrics"]] == ["VisionSimilarity", "VisionHallucination"]


def test_compat_rounds_and_merges_as_fair_forge_does(client):
    other = [{**DATASETS[0], "assistant_id": "another"}]
    body = {"datasets": DATASETS + other, "config": {"metric": "VisionSimilarity"}}
    exact = client.post("/run", json=body).json()
    assert exact["count"] == 2
    body["config"]["mode"] = "compat:fair-forge"
    merged = client.post("/run", json=body).json()
    assert (merged["count"], len(merged["metrics"][0]["interactions"])) == (1, 4)
    exact_score, score = (one["metrics"][0]["interactions"][1]["similarity_score"] for one in (exact, merged))
    assert score == round(exact_score, 4) != exact_score


@pytest.mark.parametrize(
    ("extra", "field"),
    [
        ({"connector": {"class_path": "os.system", "params": {"api_key": "k"}}}, "connector"),
        ({"config": {"api_key": "k"}}, "config.api_key"),
        ({"config": {"metric": "os.system"}}, "config.metric"),
        ({"config": {"threshold": "NaN"}}, "config.threshold"),
        ({"class_path": "os.system"}, "class_path"),
        ({"datasets": []}, "datasets"),
        ({"datasets": [1]}, "datasets.0"),
    ],
)
def test_what_a_body_may_not_ask_for(client, extra, field):
    reply = run(client, **extra)
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    assert reply.json()["field"] == field
    if field == "connector":
        assert "cannot name classes" in reply.json()["detail"]


def test_an_empty_connector_is_none(client):
    assert run(client, connector={}).status_code == 200


def test_datasets_that_cannot_be_read(client):
    broken = [{**DATASETS[0], "conversation": [{"qa_id": "1", "assistant": "x"}]}]
    reply = client.post("/run", json={"datasets": broken})
    assert (reply.status_code, reply.json()["field"]) == (422, "conversation[0].ground_truth_assistant")


def test_long_work_is_queued_and_then_answered(queued, queue, settings, monkeypatch):
    from handler.jobs import Clock, job_of_message, perform

    monkeypatch.setattr(_answer, "MAX_SAMPLES", 1)
    reply = run(queued)
    assert (reply.status_code, reply.json()["success"], len(queue)) == (202, False, 1)
    perform(job_of_message(queue[0], settings), settings, Clock())
    assert run(queued).json()["success"] is True


def test_a_reply_that_would_be_too_large_says_where_the_result_is(client, monkeypatch):
    monkeypatch.setattr(_datasets, "MAX_REPLY", 100)
    reply = run(client)
    assert (reply.status_code, reply.json()["field"]) == (422, "datasets")

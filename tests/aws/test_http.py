"""HTTP events through the runtime itself; what the routes do is tested with the app."""

from __future__ import annotations

import json

import pytest

from tests.aws import events

pytestmark = pytest.mark.model

FRAMES = 20_000


def test_many_frames_over_http_are_answered_at_once_and_lie_complete_on_s3(site, function, queue):
    frames = [
        {"qa_id": f"f{i}", "assistant": f"A dog {i % 300}.", "ground_truth_assistant": f"Dog {i % 7}."}
        for i in range(FRAMES)
    ]
    session = {"session_id": "cam", "assistant_id": "vlm", "conversation": frames}
    reply = function.invoke(events.http("POST", "/v1/evaluations", {"sessions": [session]}))
    assert (reply["statusCode"], reply["isBase64Encoded"]) == (202, False)
    accepted = json.loads(reply["body"])
    assert len(json.dumps(reply)) < 6_000_000
    assert [one.failed for one in queue.drain()] == [()]

    reply = function.invoke(events.http("GET", f"/v1/evaluations/{accepted['id']}", ""))
    status = json.loads(reply["body"])
    assert (reply["statusCode"], status["state"], status["n_samples"]) == (200, "done", FRAMES)
    bucket, key = status["location"].removeprefix("s3://").split("/", 1)
    rows = site.read(f"{key}/samples.jsonl").splitlines()
    assert (bucket, len(rows)) == (site.bucket, FRAMES)
    assert [json.loads(row)["sample_id"] for row in rows] == [frame["qa_id"] for frame in frames]
    assert site.outputs("_requests/") == {}  # the parked body is gone with the work

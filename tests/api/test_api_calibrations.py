"""POST /v1/calibrations: the calibration in the reply, kept where evaluations may name it."""

from __future__ import annotations

import json

import pytest

from tests.api.conftest import FRAME

pytestmark = pytest.mark.model

SESSIONS = [
    {**FRAME, "session_id": f"cam-{n // 2 % 3}", "sample_id": f"f{n}", "answer": answer, "human_verdict": verdict}
    for n in range(12)
    for answer, verdict in [("A dog is running away.", "same") if n % 2 else (f"A car number {n}.", "different")]
]


def test_it_is_kept_and_evaluations_may_name_it(client):
    reply = client.post("/v1/calibrations", json={"sessions": SESSIONS})
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert body["calibration"]["calibrated"] is False
    assert body["frames"] is None
    with open(body["location"], encoding="utf-8") as file:
        assert json.load(file)["fingerprint"] == body["calibration"]["fingerprint"]
    used = client.post("/v1/evaluations", json={"sessions": [FRAME], "calibration": body["location"]})
    assert used.status_code == 200, used.text
    assert used.json()["report"]["calibration"]["fingerprint"] == body["calibration"]["fingerprint"]


def test_a_finished_result_can_be_calibrated(client):
    done = client.post("/v1/evaluations", json={"sessions": SESSIONS}).json()
    straight = client.post("/v1/calibrations", json={"sessions": SESSIONS}).json()["calibration"]
    reply = client.post("/v1/calibrations", json={"input": done["location"]})
    assert reply.json()["calibration"]["metrics"] == straight["metrics"]


def test_suggestions(client):
    plain = [{key: value for key, value in one.items() if key != "human_verdict"} for one in SESSIONS]
    body = client.post("/v1/calibrations", json={"sessions": plain, "suggest": 3}).json()
    assert body["calibration"] is None
    assert len(body["frames"]) == 3
    assert {"answer", "reference", "why"} <= body["frames"][0].keys()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"sessions": [FRAME]}, 422),
        ({"sessions": SESSIONS * 40}, 422),
        ({"sessions": SESSIONS, "aim": "best"}, 422),
        ({"sessions": SESSIONS, "verdict": "nobody"}, 422),
        ({"sessions": SESSIONS, "output": "/tmp/x"}, 422),
        ({"sessions": SESSIONS, "held_out": 2}, 422),
        ({"sessions": SESSIONS, "calibration": "/etc/passwd"}, 403),
        ({"input": "/etc/passwd"}, 403),
        ({"input": "OUTPUT/../../etc"}, 403),
    ],
)
def test_refusals(client, settings, body, status):
    if "input" in body:
        body = {"input": body["input"].replace("OUTPUT", settings.output)}
    reply = client.post("/v1/calibrations", json=body)
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"

"""POST /v1/evaluations and what becomes of it."""

from __future__ import annotations

import orjson
import pytest
from fastapi.testclient import TestClient

from handler import storage
from handler.api import create_app
from handler.jobs import MAX_REPLY, Clock, _answer, job_of_message, perform
from handler.jobs import _perform as perform_module
from handler.jobs._status import Status, claim
from tests.api.conftest import FRAME
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model

PATH = "/v1/evaluations"
SECRET = "what somebody described"


def frames(n):
    return [{**FRAME, "sample_id": f"f{i}"} for i in range(n)]


def test_the_example_gives_the_documented_numbers(client):
    reply = client.post(PATH, json={"sessions": orjson.loads(EXAMPLE.read_bytes())})
    assert reply.status_code == 200
    body = reply.json()
    assert set(body) == {"id", "state", "report", "samples", "location"}
    assert [round(row["metrics"]["vision.similarity"]["score"], 3) for row in body["samples"]] == [0.559, 0.291]
    assert body["state"] == "done"
    written = storage.read_bytes(storage.join(body["location"], "report.json"))
    assert orjson.loads(written)["metrics"] == body["report"]["metrics"]


def test_the_same_request_is_one_evaluation(client):
    first, second = (client.post(PATH, json={"sessions": [FRAME]}).json() for _ in range(2))
    assert first == second
    status = client.get(f"{PATH}/{first['id']}").json()
    assert (status["state"], status["attempts"], status["location"]) == ("done", 1, first["location"])


def test_an_output_of_its_own_can_be_asked_for(client, settings):
    reply = client.post(PATH, json={"sessions": [FRAME], "output": f"{settings.output}/mine"}).json()
    assert reply["location"].startswith(f"{settings.output}/mine/")
    assert client.get(f"{PATH}/{reply['id']}").json()["state"] == "done"


def test_more_than_200_frames_go_to_the_queue(queued, queue):
    reply = queued.post(PATH, json={"sessions": frames(201)})
    assert reply.status_code == 202
    assert reply.json() == {"id": queue[0]["id"], "state": "queued", "location": reply.headers["location"]}
    assert reply.headers["location"] == f"{PATH}/{queue[0]['id']}"
    assert queued.get(reply.headers["location"]).json()["state"] == "queued"


def test_what_the_queue_did_is_found_and_answered(queued, queue, settings):
    place = queued.post(PATH, json={"sessions": frames(201)}).headers["location"]
    perform(job_of_message(queue[0], settings), settings, Clock())
    status = queued.get(place).json()
    assert (status["state"], status["n_samples"]) == ("done", 201)
    again = queued.post(PATH, json={"sessions": frames(201)})
    assert (again.status_code, again.json()["samples"]) == (200, None)
    assert again.json()["report"]["counts"]["n_samples"] == 201


def test_200_frames_are_answered_at_once_with_their_rows(queued, queue):
    reply = queued.post(PATH, json={"sessions": [{"session_id": "s", "conversation": frames_of_fair_forge(200)}]})
    assert (reply.status_code, len(reply.json()["samples"]), queue) == (200, 200, [])


def frames_of_fair_forge(n):
    return [
        {"qa_id": str(i), "assistant": FRAME["answer"], "ground_truth_assistant": FRAME["reference"]} for i in range(n)
    ]


def test_who_does_not_wait_is_told_where_to_ask(queued, queue):
    reply = queued.post(PATH, json={"sessions": [FRAME], "wait": False})
    assert (reply.status_code, len(queue)) == (202, 1)


def test_without_a_queue_everything_is_answered(client):
    reply = client.post(PATH, json={"sessions": frames(201), "wait": False})
    assert (reply.status_code, reply.json()["samples"]) == (200, None)


def test_time_running_out_hands_the_rest_to_the_queue(queued, queue, monkeypatch):
    monkeypatch.setattr(_answer, "WAIT_S", 0.0)
    reply = queued.post(PATH, json={"sessions": frames(3)})
    assert (reply.status_code, reply.json()["state"], len(queue)) == (202, "queued", 1)


def test_time_running_out_without_a_queue_says_try_again_and_goes_on(settings):
    def short():
        return Clock.of_seconds(0.0)

    hurried = TestClient(create_app(settings, clock=short))
    reply = hurried.post(PATH, json={"sessions": frames(3)})
    assert (reply.status_code, reply.json()["code"]) == (503, "out_of_time")
    assert int(reply.headers["retry-after"]) > 0
    assert TestClient(create_app(settings)).post(PATH, json={"sessions": frames(3)}).status_code == 200


def test_an_evaluation_that_somebody_is_at_is_running(client, settings):
    known = client.post(PATH, json={"sessions": [FRAME]}).json()["id"]
    storage.delete(storage.join(settings.output, "_evaluations", f"{known}.json"))
    claim(Status(known, "queued"), settings.output, 60)
    reply = client.post(PATH, json={"sessions": [FRAME]})
    assert (reply.status_code, reply.json()["state"]) == (202, "running")


def test_what_the_user_got_wrong_carries_the_members_of_error_json(client):
    reply = client.post(PATH, json={"sessions": [FRAME, {"answer": "Alone."}]})
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    body = reply.json()
    assert (body["code"], body["field"], body["file"]) == ("unreadable_input", "reference", "records")
    assert "is missing" in body["detail"]
    assert body["hint"]


def test_our_fault_is_a_500_that_says_nothing_of_our_insides(client, monkeypatch, caplog):
    def fall(*_):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(perform_module, "run", fall)
    reply = client.post(PATH, json={"sessions": [FRAME]})
    assert (reply.status_code, reply.json()["code"]) == (500, "internal")
    assert SECRET not in reply.text + caplog.text
    assert "RuntimeError" not in reply.text


def test_an_exception_nobody_foresaw_is_a_problem_document_too(client, monkeypatch, caplog):
    from handler.api import _routes

    def fall(*_):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(_routes, "answer", fall)
    reply = client.post(PATH, json={"sessions": [FRAME]})
    assert (reply.status_code, reply.headers["content-type"]) == (500, "application/problem+json")
    assert SECRET not in reply.text + caplog.text
    assert "unexpected RuntimeError" in caplog.text


def test_an_output_that_cannot_be_written_is_not_the_callers_fault(settings, tmp_path):
    (tmp_path / "out").write_text("a file where the folder should be")
    reply = TestClient(create_app(settings)).post(PATH, json={"sessions": [FRAME]})
    assert reply.status_code in (500, 503)


def test_a_missing_model_is_unavailable(settings, tmp_path):
    from dataclasses import replace

    app = create_app(replace(settings, model=tmp_path / "nowhere"))
    reply = TestClient(app).post(PATH, json={"sessions": [FRAME]})
    assert (reply.status_code, reply.json()["code"]) == (503, "model_unavailable")
    assert TestClient(app).get("/health").json()["model_present"] is False


def test_20_000_frames_in_as_many_sessions_stay_below_the_limit(client):
    sessions = [{"session_id": f"camera-{i}", **FRAME} for i in range(20_000)]
    reply = client.post(PATH, json={"sessions": sessions})
    assert reply.status_code == 200
    assert len(reply.content) <= MAX_REPLY
    body = reply.json()
    assert (body["samples"], body["report"]["counts"]["n_samples"]) == (None, 20_000)
    assert [one["code"] for one in body["report"]["warnings"]] == ["reply_cut"]
    assert f"{body['location']}/report.json" in body["report"]["warnings"][0]["examples"][0]
    complete = orjson.loads(storage.read_bytes(storage.join(body["location"], "report.json")))
    assert len(complete["metrics"]["vision.similarity"]["sessions"]) == 20_000


def test_a_report_of_long_names_still_fits(client):
    sessions = [
        {**FRAME, "session_id": f"{i}" + "\N{SNOWMAN}" * 90_000, "reference": "A cat sleeps."} for i in range(20)
    ]
    reply = client.post(PATH, json={"sessions": sessions})
    assert reply.status_code == 200
    assert len(reply.content) <= MAX_REPLY

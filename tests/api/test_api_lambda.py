"""The app behind API Gateway (HTTP and REST), a function URL and a load balancer, each as a real event."""

from __future__ import annotations

import base64
import copy
import random
import threading
from pathlib import Path

import orjson
import pytest

from handler import aws
from handler.api import _lambda, mangum_reply
from handler.api._lambda import TEXT_TYPES, split_path

EVENTS = Path(__file__).parent / "events"
KINDS = {"http_v2_stage": "/prod", "rest_v1_stage": "/prod", "function_url": "", "alb": ""}

pytestmark = pytest.mark.model


class Context:
    """What the runtime gives along; only the time matters."""

    def __init__(self, seconds=300.0):
        self.milliseconds = int(seconds * 1000)

    def get_remaining_time_in_millis(self):
        return self.milliseconds


@pytest.fixture(autouse=True)
def environment(model, encoder, tmp_path, monkeypatch):
    for name, value in {"MODEL": model, "OUTPUT": tmp_path / "out", "QUEUE_URL": "https://queue"}.items():
        monkeypatch.setenv(f"SCENESCORE_{name}", str(value))
    monkeypatch.setattr(aws, "send_message", lambda url, body: None)
    _lambda._adapter.cache_clear()
    yield
    _lambda._adapter.cache_clear()


def event_of(kind, method="POST", path="/v1/evaluations", body=None):
    """The recorded event, or one like it for another request."""
    event = orjson.loads((EVENTS / f"{kind}.json").read_bytes())
    full = KINDS[kind] + path
    if kind in ("http_v2_stage", "function_url"):
        event["rawPath"] = event["requestContext"]["http"]["path"] = full
        event["requestContext"]["http"]["method"] = method
    else:
        event["httpMethod"], event["path"] = method, path
    if kind == "rest_v1_stage":
        event["requestContext"]["path"] = full
    if event.get("pathParameters"):
        event["pathParameters"] = {"proxy": path[1:]} if path != "/" else None
    if body is not None:
        event["body"], event["isBase64Encoded"] = base64.b64encode(orjson.dumps(body)).decode(), True
    return event


def headers_of(reply):
    many = {name: values[0] for name, values in (reply.get("multiValueHeaders") or {}).items()}
    return {**many, **(reply.get("headers") or {})}


def send(*args, seconds=300.0, **fields):
    reply = mangum_reply(event_of(*args, **fields), Context(seconds))
    orjson.dumps(reply)
    return reply["statusCode"], headers_of(reply), reply


@pytest.mark.parametrize("kind", KINDS)
def test_the_recorded_event_is_evaluated(kind):
    code, headers, reply = send(kind)
    assert (code, headers["content-type"], reply["isBase64Encoded"]) == (200, "application/json", False)
    assert round(orjson.loads(reply["body"])["samples"][0]["metrics"]["vision.similarity"]["score"], 3) == 0.984


@pytest.mark.parametrize(("kind", "stage"), KINDS.items())
def test_where_to_ask_holds_behind_the_stage(kind, stage):
    body = {"sessions": [{"answer": "A dog runs.", "reference": "A dog is running."}], "wait": False}
    code, headers, reply = send(kind, body=body)
    place = headers["location"]
    assert (code, place) == (202, f"{stage}/v1/evaluations/{orjson.loads(reply['body'])['id']}")
    code, _, reply = send(kind, "GET", place.removeprefix(stage))
    assert (code, orjson.loads(reply["body"])["state"]) == (200, "queued")


@pytest.mark.parametrize(("kind", "stage"), KINDS.items())
def test_the_documents_links_hold_behind_the_stage(kind, stage):
    code, headers, reply = send(kind, "GET", "/docs")
    assert (code, headers["content-type"], reply["isBase64Encoded"]) == (200, "text/html; charset=utf-8", False)
    assert 'href="openapi.json"' in reply["body"]
    code, _, reply = send(kind, "GET", "/openapi.json")
    assert orjson.loads(reply["body"]).get("servers") == ([{"url": stage}] if stage else None)


@pytest.mark.parametrize("kind", KINDS)
def test_problem_documents_are_text(kind):
    code, headers, reply = send(kind, "GET", "/nowhere")
    assert (code, headers["content-type"]) == (404, "application/problem+json")
    assert (reply["isBase64Encoded"], orjson.loads(reply["body"])["status"]) == (False, 404)


def test_json_lines_are_text_and_other_bytes_are_not():
    from fastapi import FastAPI, Response
    from mangum import Mangum

    app = FastAPI()
    app.get("/{kind:path}")(lambda kind: Response(b'{"a":1}\n', media_type=kind))
    adapter = Mangum(_lambda.behind_a_gateway(app), lifespan="off", text_mime_types=TEXT_TYPES)
    for kind in ("application/x-ndjson", "application/jsonl", "application/problem+json", "text/csv"):
        assert adapter(event_of("rest_v1_stage", "GET", f"/{kind}"), Context())["isBase64Encoded"] is False
    assert adapter(event_of("rest_v1_stage", "GET", "/application/gzip"), Context())["isBase64Encoded"] is True


@pytest.mark.parametrize(
    ("event", "path", "expected"),
    [
        ({"version": "2.0", "requestContext": {"stage": "prod"}}, "/prod/x", ("/prod", "/x")),
        ({"version": "2.0", "requestContext": {"stage": "prod"}}, "/production/x", ("", "/production/x")),
        ({"version": "2.0", "requestContext": {"stage": "prod"}}, "/prod", ("/prod", "/")),
        ({"version": "2.0", "requestContext": {"stage": "$default"}}, "/prod/x", ("", "/prod/x")),
        ({"version": "2.0", "requestContext": {"stage": "v1"}}, "/v1/v1/metrics", ("/v1", "/v1/metrics")),
        ({"requestContext": {"path": "/prod/x"}}, "/x", ("/prod", "/x")),
        ({"requestContext": {"path": "/prod/prod/x"}}, "/prod/x", ("/prod", "/prod/x")),
        ({"requestContext": {"path": "/v1/v1/metrics"}}, "/v1/metrics", ("/v1", "/v1/metrics")),
        ({"requestContext": {"path": "/prod"}}, "/", ("/prod", "/")),
        ({"requestContext": {}}, "/x", ("", "/x")),
        # a custom domain with the mapping `scores`, told by the proxy parameter
        (
            {"requestContext": {"path": "/scores/v1/metrics"}, "pathParameters": {"proxy": "v1/metrics"}},
            "/scores/v1/metrics",
            ("/scores", "/v1/metrics"),
        ),
        ({"requestContext": {"elb": {}}}, "/x", ("", "/x")),
    ],
)
def test_only_a_whole_segment_is_a_stage(event, path, expected):
    assert split_path(event, path) == expected


def test_a_function_with_little_time_left_hands_over_at_once():
    code, _, reply = send("function_url", seconds=5.5)
    assert code == 200
    body = {"sessions": [{"answer": "A cat sleeps.", "reference": "A dog is running."}]}
    code, _, reply = send("function_url", body=body, seconds=4.0)
    assert (code, orjson.loads(reply["body"])["state"]) == (202, "queued")


def test_the_app_is_made_once_and_leaves_no_thread_behind(monkeypatch):
    made = []
    create = _lambda.create_app
    monkeypatch.setattr(_lambda, "create_app", lambda: made.append(1) or create())
    send("alb")
    before = set(threading.enumerate())
    for _ in range(3):
        send("alb")
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert set(threading.enumerate()) <= before
    assert made == [1]


def test_it_answers_in_another_thread_and_after_asyncio_run():
    import asyncio

    send("alb")
    asyncio.run(asyncio.sleep(0))
    assert send("alb")[0] == 200
    codes = []
    thread = threading.Thread(target=lambda: codes.append(send("alb")[0]))
    thread.start()
    thread.join()
    assert codes == [200]


def test_damaged_events_get_an_answer():
    """Parts removed or replaced at random: every reply is one, and none is a 5xx."""
    rng = random.Random(7)
    codes = set()
    for _ in range(400):
        event = copy.deepcopy(event_of(rng.choice(list(KINDS)), "GET", "/health"))
        for _ in range(rng.randint(1, 3)):
            _damage(event, rng)
        if not isinstance(event.get("requestContext"), dict) and "httpMethod" not in event:
            continue  # the dispatcher does not take these for HTTP
        reply = mangum_reply(event, Context())
        orjson.dumps(reply)
        codes.add(reply["statusCode"])
    assert codes <= {200, 400, 404, 405, 415}
    assert {200, 400, 404} <= codes


def _damage(event, rng):
    places = [event]
    for place in places:
        places.extend(value for value in place.values() if isinstance(value, dict))
    place = rng.choice([one for one in places if one] or [event])
    if place:
        key = rng.choice(list(place))
        if rng.random() < 0.5:
            del place[key]
        else:
            place[key] = rng.choice([None, 5, "", "x", [], {}, "\xff", "/", True])

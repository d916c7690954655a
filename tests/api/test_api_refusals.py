"""What is refused, how it is said, and that it is never a 5xx."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from handler.api import create_app
from handler.api._bodies import MAX_FRAMES, MAX_TEXT
from handler.api._reading import MAX_BODY
from tests.api.conftest import FRAME

pytestmark = pytest.mark.model

PATH = "/v1/evaluations"
JSON = {"content-type": "application/json"}


def problem(reply, status):
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    body = reply.json()
    assert {"type", "title", "status", "detail", "code"} <= set(body)
    assert body["status"] == status
    return body


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"threshold": "NaN"}, "threshold"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": None}, "threshold"),
        ({"bogus": 1}, "bogus"),
        ({"sessions": "text"}, "sessions"),
        ({"sessions": [], "input": 5}, "input"),
        ({"max_error_rate": "Infinity"}, "max_error_rate"),
        ({"limit": 0}, "limit"),
        ({"sessions": [{"answer": "a" * (MAX_TEXT + 1)}]}, "sessions"),
        ({"sessions": [{"conversation": [{}] * 60_000}] * 2}, "sessions"),
        ({"sessions": [1] * (MAX_FRAMES + 1)}, "sessions"),
        ({"group_by": ["a"] * 21}, "group_by"),
        ({"sessions": [FRAME], "metrics": ["no.such"]}, "metrics"),
        ({"sessions": [FRAME], "mode": "os.system"}, "mode"),
        ({"sessions": [FRAME], "options": {"vision.hallucination": {"threshold": []}}}, "threshold"),
        ({"sessions": [FRAME], "options": {"vision.similarity": {"class_path": "os.system"}}}, None),
        ({}, "input"),
    ],
)
def test_wrong_requests(client, body, field):
    said = problem(client.post(PATH, json=body), 422)
    assert field is None or said["field"] == field


@pytest.mark.parametrize(
    "body",
    [b'{"threshold": NaN}', b'{"threshold": Infinity}', b'{"sessions": [{"weight": NaN}]}', b'{"threshold": 1e999}',
     b"{", b"[" * 100_000, b"\xff\xfe", b'"\\ud800"', b"[]", b"null", b"5", b""],
)  # fmt: skip
def test_bodies_that_are_no_request(client, body):
    for path in (PATH, "/run"):
        problem(client.post(path, content=body, headers=JSON), 422)


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/x-ndjson", "", "\xe9"])
def test_other_types_are_refused(client, kind):
    headers = {"content-type": kind.encode("latin-1")}
    problem(client.post(PATH, content=b"{}", headers=headers), 415)
    problem(client.post("/run", content=b"{}"), 415)


def test_types_that_are_json(client):
    for kind in ("application/json; charset=utf-8", "Application/JSON", "application/vnd.api+json"):
        assert client.post(PATH, content=b"{}", headers={"content-type": kind}).status_code == 422


def test_bodies_that_are_too_large(client):
    said = problem(client.post(PATH, content=b" " * (MAX_BODY + 1), headers=JSON), 413)
    assert "6,000,000 bytes" in said["detail"]
    pieces = (b" " * 1_000_000 for _ in range(7))  # sent without a length
    problem(client.post(PATH, content=pieces, headers=JSON), 413)


@pytest.mark.parametrize(
    "fields",
    [
        {"input": "/etc/passwd"},
        {"input": "file:///etc/passwd"},
        {"input": "s3://bucket/prefix-evil/a.json"},
        {"input": "s3://bucket/prefix"[:-1]},
        {"input": "s3://other/prefix/a.json"},
        {"input": "s3://bucket"},
        {"input": "http://169.254.169.254/latest/meta-data"},
        {"input": ""},
        {"references": "s3://other/x"},
        {"sessions": [FRAME], "questions": "/etc/passwd"},
        {"sessions": [FRAME], "calibration": "file:///etc/passwd"},
        {"sessions": [FRAME], "output": "s3://bucket/prefix/out"},
        {"sessions": [FRAME], "output": "/tmp"},
        {"sessions": [FRAME], "output": "OUTPUT/../../evil"},
        {"sessions": [FRAME], "output": "OUTPUT-evil"},
    ],
)
def test_locations_outside(settings, fields):
    app = create_app(replace(settings, inputs=("s3://bucket/prefix",)))
    body = {
        key: value.replace("OUTPUT", settings.output) if key == "output" else value for key, value in fields.items()
    }
    said = problem(TestClient(app).post(PATH, json=body), 403)
    assert said["field"] in fields


def test_paths_and_methods_that_do_not_exist(client):
    problem(client.get("/"), 404)
    problem(client.get("/v1/metrics/"), 404)
    problem(client.get(f"{PATH}/{'0' * 20}"), 404)
    for strange in ("..%2f..%2fetc%2fpasswd", "%00", "a" * 5000, "ⅷ" * 20):
        problem(client.get(f"{PATH}/{strange}"), 404)
    said = client.put("/run")
    problem(said, 405)
    assert said.headers["allow"] == "POST"

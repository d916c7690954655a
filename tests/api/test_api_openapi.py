"""The OpenAPI document: what it shows works, and it can be read without a network."""

from __future__ import annotations

import re

import pytest

from handler.api._examples import CALIBRATIONS, EVALUATIONS, RUNS

pytestmark = pytest.mark.model


def test_every_example_works(client):
    paths = client.get("/openapi.json").json()["paths"]
    shown = [
        (path, name, example["value"])
        for path, methods in paths.items()
        for operation in methods.values()
        for name, example in operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("examples", {})
        .items()
    ]
    assert len(shown) == len(EVALUATIONS) + len(CALIBRATIONS) + len(RUNS)
    for path, name, body in shown:
        reply = client.post(path, json=body)
        assert reply.status_code == 200, (path, name, reply.text)


def test_an_example_that_does_not_wait_is_queued(queued, queue):
    assert queued.post("/v1/evaluations", json=EVALUATIONS["later"]["value"]).status_code == 202


def test_the_document_names_what_it_is(client):
    schema = client.get("/openapi.json").json()
    assert (schema["info"]["title"], schema["info"]["version"]) == ("scenescore", "0.1.0")
    operations = [one for methods in schema["paths"].values() for one in methods.values()]
    names = {one["operationId"] for one in operations}
    assert names == {"evaluate", "evaluation", "calibrate", "compare", "metrics", "health", "run"}
    for one in operations:
        for code, reply in one["responses"].items():
            if int(code) >= 400:
                assert list(reply["content"]) == ["application/problem+json"], (one["operationId"], code)
    assert "HTTPValidationError" not in str(schema)


def test_the_limits_are_in_the_document(client):
    body = client.get("/openapi.json").json()["components"]["schemas"]["EvaluationBody"]
    assert body["additionalProperties"] is False
    assert body["properties"]["sessions"]["anyOf"][0]["maxItems"] == 100_000
    assert (body["properties"]["threshold"]["minimum"], body["properties"]["threshold"]["maximum"]) == (-1, 1)


def test_the_docs_page_needs_nothing_from_anywhere(client):
    reply = client.get("/docs")
    html = reply.text
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", html)
    assert "<script" not in html
    for word in ("/v1/evaluations", "/run", "EvaluationBody", "Problem", "Frames in the body", "Retry-After"):
        assert word in html
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy

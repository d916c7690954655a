"""POST /v1/comparisons: finished results, compared where they lie, local and on S3."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from handler import storage
from handler.api import create_app
from handler.decisions.comparison import compare
from handler.events._direct import answer_direct
from handler.events._kinds import kind_of
from handler.jobs import Clock
from handler.settings import Settings
from tests.decisions.compared import similar, write


@pytest.fixture
def results(tmp_path):
    """An installation with two results under its output."""
    scores = [0.9, 0.8, 0.7, 0.6] * 5
    a = write(tmp_path / "out" / "a", similar(scores, assistant="old"))
    b = write(tmp_path / "out" / "b", similar([one - 0.2 for one in scores], assistant="new"))
    app = create_app(Settings(model=tmp_path / "none", output=str(tmp_path / "out")))
    return TestClient(app), a, b


def test_results_are_compared(results):
    client, a, b = results
    reply = client.post("/v1/comparisons", json={"results": [a, b], "metrics": ["vision.similarity"]})
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert (body["comparison"]["verdict"], body["comparison"]["runs"][1]["name"]) == ("regressed", "new")
    assert json.loads(storage.read_bytes(body["location"])) == body["comparison"]
    assert client.post("/v1/comparisons", json={"results": [a, b], "metrics": ["vision.similarity"]}).json() == body


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({"results": ["/etc/passwd", "{a}"]}, 403, "not open to requests"),
        ({"results": ["{a}/../../secret", "{a}"]}, 403, "not open to requests"),
        ({"results": ["{a}"]}, 422, "nothing to compare with"),
        ({"results": ["{a}", "{a}/nowhere"]}, 422, "no result here"),
        ({"results": ["{a}", "{b}"], "metrics": ["pope"]}, 422, "have no 'pope'"),
        ({"results": ["{a}", "{b}"], "group_by": ["camera"]}, 422, "no row has a tag or column 'camera'"),
        ({"results": ["{a}", "{b}"], "tolerance": -1}, 422, "tolerance"),
        ({"results": [], "x": 1}, 422, "results"),
    ],
)
def test_what_cannot_be_compared_is_a_problem_document(results, body, status, word):
    client, a, b = results
    named = {**body, "results": [one.format(a=a, b=b) for one in body["results"]]}
    reply = client.post("/v1/comparisons", json=named)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert word in reply.text


def test_too_many_rows_are_refused_before_they_are_read(results, monkeypatch):
    client, a, b = results
    monkeypatch.setattr("handler.jobs._comparisons.MAX_COMPARED", 39)
    reply = client.post("/v1/comparisons", json={"results": [a, b]})
    assert reply.status_code == 422
    assert "40 rows" in reply.json()["detail"]


def test_a_direct_invoke_compares_too(results, tmp_path):
    _, a, b = results
    settings = Settings(model=tmp_path / "none", output=str(tmp_path / "out"))
    event = {"results": [a, b]}
    assert kind_of(event) == "direct"
    assert answer_direct(event, settings, Clock())["comparison"]["verdict"] == "regressed"
    assert answer_direct({"results": [a, "/etc"]}, settings, Clock())["status"] == 403
    assert answer_direct({"results": "a"}, settings, Clock())["status"] == 422


def test_results_on_s3(results, weed, folder):
    _, a, b = results
    for name, local in (("a", a), ("b", b)):
        for file in ("report.json", "samples.jsonl", "errors.jsonl"):
            storage.write_bytes(f"{folder}/{name}/v1/{file}", storage.read_bytes(f"{local}/{file}"))
    storage.write_bytes(f"{folder}/b/latest.json", json.dumps({"folder": "v1"}).encode())
    found = compare(f"{folder}/a/v1", f"{folder}/b", output=f"{folder}/out")
    local = compare(a, b)
    assert found["comparisons"] == local["comparisons"]
    assert storage.stat(f"{found.location}/comparison.json") is not None

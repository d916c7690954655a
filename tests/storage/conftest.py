from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from handler.storage._s3_client import make_client
from tests.s3_fixtures import Use
from tests.servers import S3Server

from .proxy import FaultyProxy, faulty_proxy


@pytest.fixture(scope="session")
def weed_client(seaweedfs_server: S3Server) -> Iterator[Any]:
    """The boto3 client of SeaweedFS, whatever s3:// means."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in seaweedfs_server.environment().items():
            patch.setenv(name, value)
        with closing(make_client()) as client:
            yield client


@pytest.fixture(scope="session")
def _proxy(seaweedfs_server: S3Server) -> Iterator[FaultyProxy]:
    with faulty_proxy(seaweedfs_server.endpoint) as proxy:
        yield proxy


@pytest.fixture
def proxy(_proxy: FaultyProxy, use: Use, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProxy]:
    """s3:// means SeaweedFS behind a proxy whose faults the test orders; three attempts per request, at once."""
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0)
    use(S3Server("proxy", _proxy.endpoint), AWS_MAX_ATTEMPTS="3")
    yield _proxy
    _proxy.reset()


@pytest.fixture(params=["local", "seaweedfs", "moto"])
def base(request: pytest.FixtureRequest, tmp_path: Path, use: Use) -> str:
    """A place to write to, on each kind of store in turn."""
    if request.param == "local":
        return str(tmp_path / "base")
    use(request.getfixturevalue(f"{request.param}_server"))
    return str(request.getfixturevalue("folder"))


@pytest.fixture(params=["local", "seaweedfs"])
def atomic_base(request: pytest.FixtureRequest, tmp_path: Path, use: Use) -> str:
    """As `base`, without moto, which checks a condition and writes in two steps that other writers can get between."""
    if request.param == "local":
        return str(tmp_path / "base")
    use(request.getfixturevalue("seaweedfs_server"))
    return str(request.getfixturevalue("folder"))

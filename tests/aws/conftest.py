"""A bucket, a queue and a function for every test; the servers and one warm function are shared."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.aws.emulator import Emulator
from tests.aws.poller import EventSource
from tests.aws.rie import emulator_binary
from tests.aws.site import Site
from tests.s3_fixtures import BUCKET
from tests.servers import S3Server


@pytest.fixture(scope="session")
def rie() -> Path:
    try:
        return emulator_binary()
    except RuntimeError as error:
        if "runs on Linux" in str(error):
            pytest.skip(str(error))
        raise


@pytest.fixture(scope="session")
def connect() -> Iterator[Callable[[S3Server, str], Any]]:
    """boto3 clients of the test's own, apart from those of the product."""
    with ExitStack() as stack:
        known: dict[tuple[str, str], Any] = {}

        def connect(server: S3Server, service: str) -> Any:
            if (server.name, service) not in known:
                client = boto3.client(
                    service,
                    endpoint_url=server.endpoint,
                    aws_access_key_id=server.environment()["AWS_ACCESS_KEY_ID"],
                    aws_secret_access_key=server.environment()["AWS_SECRET_ACCESS_KEY"],
                    region_name="us-east-1",
                )
                known[server.name, service] = client
                stack.callback(client.close)
            return known[server.name, service]

        yield connect


@pytest.fixture(scope="session")
def make_site(rie, seaweedfs_server, moto_server, connect, model) -> Callable[..., Site]:
    """Sites with objects on SeaweedFS (or on moto, where notifications are tested) and queues on moto."""

    def make_site(*, on_moto: bool = False, bucket: str = BUCKET, **options: Any) -> Site:
        store = moto_server if on_moto else seaweedfs_server
        clients = (connect(store, "s3"), connect(moto_server, "sqs"), connect(moto_server, "events"))
        if bucket != BUCKET:
            clients[0].create_bucket(Bucket=bucket)
        return Site.make(*clients, store=store, queues=moto_server, bucket=bucket, model=model, **options)

    return make_site


@pytest.fixture
def site(make_site) -> Site:
    return make_site()


@pytest.fixture
def start(site) -> Iterator[Callable[..., Emulator]]:
    """Start functions that end with the test, with the site's environment and what is given on top of it."""
    with ExitStack() as stack:

        def start(at: Site = site, /, *, environment: dict[str, str] | None = None, **options: Any) -> Emulator:
            return stack.enter_context(Emulator({**at.environment, **(environment or {})}, **options))

        yield start


@pytest.fixture
def function(start) -> Emulator:
    """A fresh function of the site."""
    return start()


@pytest.fixture
def queue(site, function) -> EventSource:
    """The site's queue in front of its function."""
    return EventSource(site.sqs, site.queue_url, function.invoke)


@pytest.fixture
def unique() -> str:
    return uuid.uuid4().hex[:12]

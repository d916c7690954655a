"""Every failure of S3 is a named error of one clear line: where, what, what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from handler import storage
from handler.errors import StorageError
from handler.storage._s3 import shared_store
from handler.storage._s3_client import S3Options, make_client
from tests.s3_fixtures import BUCKET, Use
from tests.servers import NOBODY, READER, S3Server, free_ports

from .proxy import Fault, FaultyProxy

CALLS: dict[str, Callable[[str], object]] = {
    "read": storage.read_bytes,
    "write": lambda location: storage.write_bytes(location, b"x"),
    "write large": lambda location: storage.write_bytes(location, bytes(9 * 1024 * 1024)),
    "list": lambda location: list(storage.list_objects(location)),
    "update": lambda location: storage.update_bytes(location, lambda old: b"x"),
    "stat": storage.stat,
    "delete": storage.delete,
}


def fails(call: str, location: str, kind: type[StorageError]) -> str:
    with pytest.raises(kind) as caught:
        CALLS[call](location)
    error = caught.value
    assert type(error) is kind
    assert error.file == location
    text = str(error)
    assert text.startswith(f"{location}: ")
    assert "\n" not in text
    assert "secret" not in text
    return text


@pytest.mark.parametrize("call", ["read", "write", "write large", "list", "update", "delete"])
@pytest.mark.parametrize("server", ["seaweedfs", "moto"])
def test_missing_bucket(server: str, call: str, request: pytest.FixtureRequest, use: Use) -> None:
    use(request.getfixturevalue(f"{server}_server"))
    assert "no such bucket. Check its name" in fails(call, "s3://no-such-bucket/x", storage.BucketNotFoundError)


@pytest.mark.parametrize("call", list(CALLS))
def test_no_rights_at_all(seaweedfs_server: S3Server, use: Use, folder: str, call: str) -> None:
    use(seaweedfs_server, NOBODY)
    assert "access denied" in fails(call, f"{folder}/x", storage.AccessDeniedError)


@pytest.mark.parametrize("call", ["write", "write large", "delete", "update"])
def test_a_reader_may_not_write(seaweedfs_server: S3Server, use: Use, folder: str, call: str) -> None:
    use(seaweedfs_server, READER)
    text = fails(call, f"{folder}/x", storage.AccessDeniedError)
    assert text.endswith("Ask for s3:DeleteObject" if call == "delete" else "Ask for s3:PutObject")
    assert storage.stat(f"{folder}/x") is None


@pytest.mark.parametrize(
    ("identity", "code"), [(("admin", "wrong"), "SignatureDoesNotMatch"), (("stranger", "x"), "InvalidAccessKeyId")]
)
def test_credentials_that_are_not_accepted(
    seaweedfs_server: S3Server, use: Use, folder: str, identity: tuple[str, str], code: str
) -> None:
    use(seaweedfs_server, identity)
    for call in ("read", "write", "list"):
        text = fails(call, f"{folder}/x", storage.CredentialsError)
        assert code in text
        assert "stranger" not in text
    fails("stat", f"{folder}/x", storage.AccessDeniedError)


def test_no_credentials(seaweedfs_server: S3Server, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use(seaweedfs_server)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setattr("handler.storage._s3._stores", {})
    assert "no usable AWS credentials. Set AWS_PROFILE" in fails("read", "s3://bucket/x", storage.CredentialsError)


def test_nobody_at_the_endpoint(use: Use) -> None:
    use(S3Server("nowhere", f"http://127.0.0.1:{free_ports(1)[0]}"), AWS_MAX_ATTEMPTS="2")
    for call in ("read", "stat", "write", "list", "delete"):
        assert "does not answer (EndpointConnectionError). Check the network, AWS_ENDPOINT_URL" in fails(
            call, "s3://bucket/x", storage.UnreachableError
        )
    assert storage.UnreachableError.exit_code == 3


@pytest.mark.parametrize(
    ("call", "method"), [("read", "GET"), ("write", "PUT"), ("list", "GET"), ("stat", "HEAD"), ("delete", "DELETE")]
)
@pytest.mark.parametrize("status", [(503, "SlowDown"), (500, "InternalError")])
def test_throttled_beyond_our_patience(
    proxy: FaultyProxy, folder: str, call: str, method: str, status: tuple[int, str]
) -> None:
    proxy.faults.append(Fault(method, times=1000, answer=status))
    text = fails(call, f"{folder}/x", storage.TransientStorageError)
    assert "too busy" in text
    assert "after 3 attempts" in text
    assert storage.TransientStorageError.exit_code == 3


def test_throttled_for_a_moment(proxy: FaultyProxy, folder: str) -> None:
    proxy.faults += [Fault("PUT", times=2, answer=(503, "SlowDown")), Fault("GET", times=2, answer=(503, "SlowDown"))]
    storage.write_bytes(f"{folder}/x", b"x")
    assert storage.read_bytes(f"{folder}/x") == b"x"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ((403, "InvalidObjectState"), "the object is archived. Restore it"),
        ((400, "AuthorizationHeaderMalformed"), "another region. Set AWS_REGION"),
        ((400, "KMS.DisabledException"), "the store refused GetObject (KMS.DisabledException: said the proxy)"),
    ],
)
def test_other_refusals(proxy: FaultyProxy, folder: str, answer: tuple[int, str], text: str) -> None:
    proxy.faults.append(Fault("GET", times=1000, answer=answer))
    assert text in fails("read", f"{folder}/x", StorageError)


@pytest.mark.parametrize("location", ["s3://no spaces/x", "s3://UPPER_and$/x"])
def test_what_is_no_bucket_name(weed: Any, location: str) -> None:
    assert "not a valid bucket or key name" in fails("read", location, storage.LocationError)


def test_a_key_that_is_too_long(weed: Any) -> None:
    assert "longer than 1024 bytes" in fails("write", f"s3://{BUCKET}/{'k' * 1100}", storage.LocationError)


@pytest.mark.parametrize(
    ("environment", "field"),
    [
        ({"SCENESCORE_SSE": "rot13"}, "SCENESCORE_SSE"),
        ({"SCENESCORE_KMS_KEY": "k"}, "SCENESCORE_KMS_KEY"),
        ({"SCENESCORE_KMS_KEY": "k", "SCENESCORE_SSE": "AES256"}, "SCENESCORE_KMS_KEY"),
        ({"SCENESCORE_OBJECT_TAGS": "not tags"}, "SCENESCORE_OBJECT_TAGS"),
        ({"SCENESCORE_OBJECT_TAGS": "a=1&a=2"}, "SCENESCORE_OBJECT_TAGS"),
        ({"SCENESCORE_OBJECT_TAGS": "&".join(f"k{n}=v" for n in range(11))}, "SCENESCORE_OBJECT_TAGS"),
    ],
)
def test_options_that_do_not_fit(environment: dict[str, str], field: str) -> None:
    with pytest.raises(StorageError) as caught:
        S3Options.from_environment(environment)
    assert caught.value.field == field


def test_settings_that_make_no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "not a url")
    with pytest.raises(StorageError, match="do not make an S3 client"):
        make_client()


def test_one_client_per_process(seaweedfs_server: S3Server, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(seaweedfs_server)
    stores: dict[int, Any] = {}
    monkeypatch.setattr("handler.storage._s3._stores", stores)
    monkeypatch.setattr("handler.storage._s3.make_client", lambda: client)
    assert shared_store() is shared_store()
    assert len(stores) == 1

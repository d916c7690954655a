"""Writing to S3: what is visible when, who wins, and what a lost answer or a damaged byte does."""

from __future__ import annotations

from typing import Any

import pytest

from handler import storage
from handler.storage._s3_write import part_bytes
from tests.s3_fixtures import BUCKET, Use
from tests.servers import S3Server

from .proxy import Fault, FaultyProxy
from .threads import in_threads

MIB = 1024 * 1024
LARGE = b"0123456789abcdef" * (9 * MIB // 16)  # two parts


def pending(client: Any, folder: str) -> list[str]:
    found = client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])
    return [upload["Key"] for upload in found if folder.endswith(upload["Key"].split("/")[0])]


def test_parts_hold_the_largest_object_s3_takes() -> None:
    sizes = [part_bytes(number) for number in range(1, 10_001)]
    assert sum(sizes) > 5 * 1024**4
    assert sizes == sorted(sizes)
    assert sizes[0] >= 5 * MIB
    assert sizes[-1] <= 5 * 1024**3


@pytest.mark.parametrize("server", ["seaweedfs", "moto"])
def test_an_exception_leaves_no_upload_behind(
    server: str, request: pytest.FixtureRequest, use: Use, folder: str
) -> None:
    client = use(request.getfixturevalue(f"{server}_server"))
    location = f"{folder}/rows.jsonl"
    seen = []

    def write_and_stop() -> None:
        with storage.open_write(location) as stream:
            stream.write(LARGE)
            stream.flush()
            seen.extend(pending(client, folder))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_stop()
    assert len(seen) == 1, "the first part was under way"
    assert storage.stat(location) is None
    assert pending(client, folder) == []


def test_nothing_is_visible_before_the_end(weed: Any, folder: str) -> None:
    location = f"{folder}/rows.jsonl"
    with storage.open_write(location) as stream:
        stream.write(LARGE)
        assert storage.stat(location) is None
    assert storage.read_bytes(location) == LARGE


@pytest.mark.parametrize("server", ["seaweedfs", "moto"])
def test_a_large_upload_does_not_replace_what_is_there(
    server: str, request: pytest.FixtureRequest, use: Use, folder: str
) -> None:
    client = use(request.getfixturevalue(f"{server}_server"))
    location = f"{folder}/rows.jsonl"
    storage.write_bytes(location, b"first")
    with pytest.raises(storage.AlreadyExistsError) as caught:
        storage.write_bytes(location, LARGE, if_absent=True)
    assert str(caught.value) == f"{location}: somebody else wrote this object first"
    assert storage.read_bytes(location) == b"first"
    assert pending(client, folder) == []


def test_racing_large_uploads_have_one_winner(proxy: FaultyProxy, weed_client: Any, folder: str) -> None:
    # SeaweedFS checks the condition of a CompleteMultipartUpload apart from carrying it out, so that several at once may
    # pass (S3 does both in one step). The proxy lets them through one by one.
    proxy.one_at_a_time = "POST"
    location = f"{folder}/race.bin"
    bodies = [bytes([65 + number]) * len(LARGE) for number in range(8)]
    results = in_threads(8, lambda n: storage.write_bytes(location, bodies[n], if_absent=True))
    assert sorted(type(result).__name__ for result in results) == ["AlreadyExistsError"] * 7 + ["NoneType"]
    assert storage.read_bytes(location) == bodies[results.index(None)]
    assert pending(weed_client, folder) == []


@pytest.mark.parametrize(("body", "method"), [(b"small", "PUT"), (LARGE, "POST")])
def test_a_conflict_is_tried_again(proxy: FaultyProxy, folder: str, body: bytes, method: str) -> None:
    conflict = Fault(method, times=2, answer=(409, "ConditionalRequestConflict"))
    conflict.path_has = "uploadId" if method == "POST" else ""
    proxy.faults.append(conflict)
    storage.write_bytes(f"{folder}/x", body, if_absent=True)
    assert storage.read_bytes(f"{folder}/x") == body
    assert conflict.times == 0


def test_a_conflict_that_stays_is_a_transient_error(proxy: FaultyProxy, folder: str) -> None:
    proxy.faults.append(Fault("PUT", times=1000, answer=(409, "ConditionalRequestConflict")))
    with pytest.raises(storage.TransientStorageError, match="ConditionalRequestConflict"):
        storage.write_bytes(f"{folder}/x", b"x", if_absent=True)


@pytest.mark.parametrize(("body", "method"), [(b"small", "PUT"), (LARGE, "POST")])
def test_a_lost_answer_does_not_make_us_lose_to_ourselves(
    proxy: FaultyProxy, folder: str, body: bytes, method: str
) -> None:
    lost = Fault(method, lose_answer=True, path_has="uploadId" if method == "POST" else "")
    proxy.faults.append(lost)
    storage.write_bytes(f"{folder}/x", body, if_absent=True)
    assert lost.times == 0
    assert storage.read_bytes(f"{folder}/x") == body
    with pytest.raises(storage.AlreadyExistsError):
        storage.write_bytes(f"{folder}/x", body, if_absent=True)


def test_an_update_whose_answer_is_lost_counts_once(proxy: FaultyProxy, folder: str) -> None:
    for _ in range(2):
        proxy.faults.append(Fault("PUT", lose_answer=True))
        assert storage.update_bytes(f"{folder}/latest.json", lambda old: (old or b"") + b"x")
    assert storage.read_bytes(f"{folder}/latest.json") == b"xx"


@pytest.mark.parametrize(("body", "part"), [(b"small", ""), (LARGE, "partNumber=2")])
def test_bytes_damaged_on_the_way_are_refused(
    proxy: FaultyProxy, weed_client: Any, folder: str, body: bytes, part: str
) -> None:
    proxy.faults.append(Fault("PUT", path_has=part, corrupt=body[:5]))
    with pytest.raises(storage.ChecksumError, match="arrived damaged") as caught:
        storage.write_bytes(f"{folder}/x", body)
    assert caught.value.file == f"{folder}/x"
    assert storage.stat(f"{folder}/x") is None
    assert pending(weed_client, folder) == []


@pytest.mark.parametrize("operation", ["PutObject", "CompleteMultipartUpload"])
def test_a_wrong_checksum_is_refused(seaweedfs_server: S3Server, use: Use, folder: str, operation: str) -> None:
    client = use(seaweedfs_server, AWS_MAX_ATTEMPTS="2")

    def falsify(request: Any, **_: Any) -> None:
        request.headers.replace_header("x-amz-checksum-crc32", "AAAAAA==")

    client.meta.events.register(f"before-sign.s3.{operation}", falsify)
    try:
        with pytest.raises(storage.ChecksumError, match=r"arrived damaged and were refused \(BadDigest\)"):
            storage.write_bytes(f"{folder}/x", b"small" if operation == "PutObject" else LARGE)
    finally:
        client.meta.events.unregister(f"before-sign.s3.{operation}", falsify)
    assert storage.stat(f"{folder}/x") is None
    assert pending(client, folder) == []


def test_stores_without_checksums_can_be_used(seaweedfs_server: S3Server, use: Use, folder: str) -> None:
    use(seaweedfs_server, AWS_REQUEST_CHECKSUM_CALCULATION="when_required")
    storage.write_bytes(f"{folder}/x", LARGE)
    assert storage.read_bytes(f"{folder}/x") == LARGE


@pytest.mark.parametrize("body", [b"small", LARGE])
def test_encryption_and_tags_go_with_every_object(moto_server: S3Server, use: Use, folder: str, body: bytes) -> None:
    client = use(
        moto_server,
        SCENESCORE_SSE="aws:kms",
        SCENESCORE_KMS_KEY="alias/reports",
        SCENESCORE_OBJECT_TAGS="team=vision&note=a%20b",
    )
    location = f"{folder}/report.json"
    storage.write_bytes(location, body)
    where = {"Bucket": BUCKET, "Key": location.removeprefix(f"s3://{BUCKET}/")}
    head = client.head_object(**where)
    assert (head["ServerSideEncryption"], head["SSEKMSKeyId"]) == ("aws:kms", "alias/reports")
    tags = client.get_object_tagging(**where)["TagSet"]
    assert sorted((tag["Key"], tag["Value"]) for tag in tags) == [("note", "a b"), ("team", "vision")]

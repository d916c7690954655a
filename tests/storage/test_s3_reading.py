"""Reading from S3 over lines that break and under other people's writes."""

from __future__ import annotations

import tracemalloc
from random import Random
from typing import Any

import pytest

from handler import storage
from handler.errors import StorageError
from tests.s3_fixtures import BUCKET, Use
from tests.servers import S3Server

from .proxy import Fault, FaultyProxy

MIB = 1024 * 1024
DATA = Random(2).randbytes(3 * MIB)


def put(client: Any, location: str, data: bytes) -> None:
    client.put_object(Bucket=BUCKET, Key=location.removeprefix(f"s3://{BUCKET}/"), Body=data)


def gets(proxy: FaultyProxy) -> list[str | None]:
    return [asked for method, asked in proxy.requests if method == "GET"]


def test_a_cut_at_half_is_taken_up_where_it_broke(proxy: FaultyProxy, folder: str) -> None:
    location = f"{folder}/data.bin"
    storage.write_bytes(location, DATA)
    proxy.faults.append(Fault("GET", cut_after=len(DATA) // 2))
    with storage.open_read(location) as stream:
        assert b"".join(iter(lambda: stream.read(100_000), b"")) == DATA
    first, second = gets(proxy)
    assert first is None
    assert second is not None
    assert len(DATA) // 2 - 256 * 1024 <= int(second[len("bytes=") : -1]) <= len(DATA) // 2


def test_a_cut_range_ends_where_it_should(proxy: FaultyProxy, folder: str) -> None:
    location = f"{folder}/data.bin"
    storage.write_bytes(location, DATA)
    proxy.faults.append(Fault("GET", cut_after=700_000, times=2))
    with storage.open_read(location, 100, 2 * MIB) as stream:
        assert stream.read() == DATA[100 : 2 * MIB]
    assert gets(proxy)[0] == f"bytes=100-{2 * MIB - 1}"
    assert len(gets(proxy)) == 3


def test_a_line_that_always_breaks_is_a_transient_error(proxy: FaultyProxy, folder: str) -> None:
    location = f"{folder}/data.bin"
    storage.write_bytes(location, DATA)
    proxy.faults += [Fault("GET", cut_after=MIB), Fault("GET", cut_after=0, times=1000)]
    with (
        storage.open_read(location) as stream,
        pytest.raises(storage.TransientStorageError, match="broke 5 times") as caught,
    ):
        stream.read()
    assert str(caught.value).startswith(f"{location}: the connection broke")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("change", ["replaced", "replaced by less", "deleted"])
def test_a_change_under_a_cut_read_is_an_error(proxy: FaultyProxy, folder: str, change: str) -> None:
    location = f"{folder}/data.bin"
    storage.write_bytes(location, DATA)

    def meddle() -> None:
        if change == "deleted":
            storage.delete(location)
        else:
            storage.write_bytes(location, DATA[::-1] if change == "replaced" else b"short")

    proxy.faults += [Fault("GET", cut_after=len(DATA) // 2), Fault("GET", first=meddle)]
    with storage.open_read(location) as stream, pytest.raises(storage.ChangedError) as caught:
        stream.read()
    assert str(caught.value) == f"{location}: changed while being read. Read it again from the start"


def test_a_read_may_insist_on_a_version(base: str) -> None:
    location = f"{base}/data.bin"
    storage.write_bytes(location, b"0123456789")
    info = storage.stat(location)
    assert info is not None
    if info.etag is None:
        with pytest.raises(StorageError, match="no etag"):
            storage.open_read(location, if_match="0")
        return
    with storage.open_read(location, 2, 5, if_match=info.etag) as stream:
        assert stream.read() == b"234"
    storage.write_bytes(location, b"9876543210")
    for end in (2, 5):
        with pytest.raises(storage.ChangedError):
            storage.open_read(location, 2, end, if_match=info.etag)


def test_damaged_bytes_are_noticed_before_the_last_of_them(proxy: FaultyProxy, folder: str) -> None:
    location = f"{folder}/data.bin"
    storage.write_bytes(location, DATA)
    proxy.faults.append(Fault("GET", corrupt_answer=True))
    with storage.open_read(location) as stream, pytest.raises(storage.ChecksumError, match="do not match"):
        stream.read(len(DATA))


def test_more_than_a_thousand_keys_in_order(weed: Any, folder: str) -> None:
    names = [f"{number:04}.json" for number in range(1203)]
    for name in reversed(names):
        put(weed, f"{folder}/{name}", b"1")
    put(weed, f"{folder}-sibling/x", b"1")
    put(weed, f"{folder}/sub/", b"")
    assert [info.location for info in storage.list_objects(folder + "/")] == [f"{folder}/{name}" for name in names]
    assert next(iter(storage.list_objects(folder + "/"))).etag == "c4ca4238a0b923820dcc509a6f75849b"


def test_folder_markers_are_passed_over(moto_server: S3Server, use: Use, folder: str) -> None:
    client = use(moto_server)
    for name, data in (("sub/", b""), ("sub/x", b""), ("with-content/", b"1")):
        put(client, f"{folder}/{name}", data)
    found = [info.location for info in storage.list_objects(folder)]
    assert found == [f"{folder}/sub/x", f"{folder}/with-content/"]


def test_version_ids_are_told(moto_server: S3Server, use: Use, folder: str) -> None:
    client = use(moto_server)
    client.create_bucket(Bucket="versioned")
    client.put_bucket_versioning(Bucket="versioned", VersioningConfiguration={"Status": "Enabled"})
    versions = set()
    for data in (b"1", b"2"):
        storage.write_bytes("s3://versioned/x", data)
        info = storage.stat("s3://versioned/x")
        assert info is not None
        versions.add(info.version_id)
    assert len(versions) == 2
    assert None not in versions


def test_streams_keep_little_in_memory(weed: Any, folder: str) -> None:
    location = f"{folder}/big.bin"
    chunk = Random(3).randbytes(MIB)
    tracemalloc.start()
    try:
        with storage.open_write(location) as stream:
            for _ in range(30):
                stream.write(chunk)
        written, peak_written = 0, tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        with storage.open_read(location) as stream:
            while data := stream.read(MIB):
                assert data == chunk
                written += len(data)
        peak_read = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    print(f"peaks: write {peak_written / MIB:.1f} MiB, read {peak_read / MIB:.1f} MiB")
    assert written == 30 * MIB
    assert peak_written < 20 * MIB
    assert peak_read < 6 * MIB

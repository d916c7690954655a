"""What every store promises, on local files, SeaweedFS and moto alike."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from io import TextIOWrapper
from random import Random

import pytest

from handler import storage
from handler.errors import StorageError

from .threads import in_threads

MIB = 1024 * 1024
AWKWARD = [
    "cam 1/a+b (2) Ł%41.jsonl",
    "%41",
    "a+b",
    "ż/日本語 🎥.json",
    "x&y=1?#z;'!*.txt",
    "plus%2Bplus",
    "dots..jsonl",
]


def write_and_fail(location: str) -> None:
    with storage.open_write(location) as stream:
        stream.write(b"x" * 100_000)
        raise FileNotFoundError("the caller's own")


def test_round_trip(base: str) -> None:
    location = storage.join(base, "deep", "er", "data.bin")
    for data in (b"first", b"", b"\0\xff" * 100_000):
        storage.write_bytes(location, data)
        assert storage.read_bytes(location) == data
        info = storage.stat(location)
        assert info is not None
        assert (info.location, info.size) == (location, len(data))
        assert storage.is_remote(base) == (info.etag is not None)
        assert '"' not in (info.etag or "")


def test_lines_and_text(base: str) -> None:
    location = storage.join(base, "text.jsonl")
    with storage.open_write(location) as stream, TextIOWrapper(stream, encoding="utf-8", newline="\n") as text:
        for number in range(5000):
            text.write(f"zażółć {number}\n")
    with storage.open_read(location) as stream:
        lines = [line.decode("utf-8") for line in stream]
    assert lines == [f"zażółć {number}\n" for number in range(5000)]


@pytest.mark.parametrize("key", AWKWARD)
def test_awkward_names_are_taken_as_they_are(base: str, key: str) -> None:
    location = f"{base}/{key}"
    storage.write_bytes(location, key.encode())
    assert storage.read_bytes(location) == key.encode()
    assert [info.location for info in storage.list_objects(base)] == [location]
    storage.delete(location)
    assert storage.stat(location) is None


def test_missing(base: str) -> None:
    location = storage.join(base, "nothing.json")
    assert storage.stat(location) is None
    storage.delete(location)
    with pytest.raises(storage.NotFoundError) as caught:
        storage.open_read(location)
    assert str(caught.value).startswith(f"{location}: no such ")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, None), (0, 3), (3, 7), (7, None), (9, 10), (10, None), (10, 12), (4, 4), (8, 99), (50, 60), (5, 2)],
)
def test_range(base: str, start: int, end: int | None) -> None:
    location = storage.join(base, "digits")
    storage.write_bytes(location, b"0123456789")
    with storage.open_read(location, start, end) as stream:
        assert stream.read() == b"0123456789"[start:end]
    with storage.open_read(location, start, end) as stream:
        assert b"".join(iter(lambda: stream.read(2), b"")) == b"0123456789"[start:end]


def test_range_of_nothing(base: str) -> None:
    location = storage.join(base, "digits")
    for start, end in ((0, 5), (3, None), (2, 2)):
        if end != start or storage.is_remote(base):
            with pytest.raises(storage.NotFoundError):
                storage.open_read(location, start, end)
    storage.write_bytes(location, b"")
    with storage.open_read(location, 0, 5) as stream:
        assert stream.read() == b""
    with pytest.raises(ValueError, match="counts from the start"):
        storage.open_read(location, -1)


def test_an_exception_leaves_what_was_there(base: str) -> None:
    location = storage.join(base, "report.json")
    for before in (None, b"old"):
        if before is not None:
            storage.write_bytes(location, before)
        with pytest.raises(FileNotFoundError, match="caller's own"):
            write_and_fail(location)
        assert (storage.read_bytes(location) if storage.stat(location) else None) == before
    assert [info.location for info in storage.list_objects(base)] == [location]


def test_if_absent(base: str) -> None:
    location = storage.join(base, "claim.json")
    storage.write_bytes(location, b"mine", if_absent=True)
    with pytest.raises(storage.AlreadyExistsError) as caught:
        storage.write_bytes(location, b"theirs", if_absent=True)
    assert caught.value.file == location
    assert storage.read_bytes(location) == b"mine"
    storage.write_bytes(location, b"replaced")
    assert storage.read_bytes(location) == b"replaced"


def test_racing_for_an_absent_object_has_one_winner(atomic_base: str) -> None:
    location = storage.join(atomic_base, "race.bin")
    bodies = [bytes([65 + number]) * 20_000 for number in range(8)]
    results = in_threads(8, lambda n: storage.write_bytes(location, bodies[n], if_absent=True))
    assert sorted(type(result).__name__ for result in results) == ["AlreadyExistsError"] * 7 + ["NoneType"]
    assert storage.read_bytes(location) == bodies[results.index(None)]


def test_two_plain_writers_leave_one_whole_content(base: str) -> None:
    location = storage.join(base, "both.bin")
    bodies = [bytes([65 + number]) * (9 * MIB + number) for number in range(2)]
    assert in_threads(2, lambda n: storage.write_bytes(location, bodies[n])) == [None, None]
    assert storage.read_bytes(location) in bodies


def test_listing(base: str) -> None:
    names = ["a.json", "b/c.json", "b/d/e.json", "z.json"]
    for name in reversed(names):
        storage.write_bytes(f"{base}/{name}", name.encode())
    found = list(storage.list_objects(base + "/"))
    assert [(info.location, info.size) for info in found] == [(f"{base}/{name}", len(name)) for name in names]
    assert [info.location for info in storage.list_objects(f"{base}/b/")] == [f"{base}/b/c.json", f"{base}/b/d/e.json"]


def test_update_sees_what_is_there(base: str) -> None:
    location = storage.join(base, "latest.json")
    seen: list[bytes | None] = []

    def change_to(to: bytes | None) -> Callable[[bytes | None], bytes | None]:
        def change(old: bytes | None) -> bytes | None:
            seen.append(old)
            return to

        return change

    assert storage.update_bytes(location, change_to(b"1"))
    assert storage.update_bytes(location, change_to(b"2"))
    assert not storage.update_bytes(location, change_to(None))
    assert seen == [None, b"1", b"2"]
    assert storage.read_bytes(location) == b"2"
    assert [info.location for info in storage.list_objects(base)] == [location]


def test_racing_updates_lose_nothing(atomic_base: str) -> None:
    location = storage.join(atomic_base, "latest.json")

    def count(old: bytes | None) -> bytes:
        return json.dumps(json.loads(old or b"0") + 1).encode()

    assert in_threads(8, lambda n: [storage.update_bytes(location, count) for _ in range(5)]) == [[True] * 5] * 8
    assert storage.read_bytes(location) == b"40"


def test_many_parts(base: str) -> None:
    location = storage.join(base, "big.bin")
    data = Random(1).randbytes(17 * MIB + 1)
    with storage.open_write(location) as stream:
        assert stream.write(data) == len(data)
    assert storage.read_bytes(location) == data
    with storage.open_read(location, 8 * MIB - 3, 8 * MIB + 3) as stream:
        assert stream.read() == data[8 * MIB - 3 : 8 * MIB + 3]


@pytest.mark.parametrize(
    "location",
    ["", "s3://", "s3:///key", "s3://bucket", "s3://bucket/", "gs://bucket/key", "http://host/x", "S3://b/k", "a\0b"],
)
def test_what_is_no_location(location: str, weed: object) -> None:
    for call in (storage.stat, storage.open_read, storage.delete, lambda place: storage.write_bytes(place, b"x")):
        with pytest.raises(StorageError) as caught:
            call(location)
        assert caught.value.code == "bad_location"


def test_local_work_loads_no_aws_library(tmp_path: object) -> None:
    code = (
        "import sys; from handler import storage\n"
        f"storage.write_bytes({str(tmp_path) + '/x'!r}, b'1'); storage.read_bytes({str(tmp_path) + '/x'!r})\n"
        "print([m for m in ('boto3', 'botocore', 'urllib3') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

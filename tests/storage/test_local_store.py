"""What only local files have: folders, modes, links, full disks."""

from __future__ import annotations

import os
import resource
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handler import storage
from handler.errors import StorageError


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's rights, which no mode stops."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file of this process may grow beyond `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [50_000, 5_000_000])
def test_a_file_that_cannot_grow(tmp_path: Path, size: int) -> None:
    target = tmp_path / "report.json"
    target.write_bytes(b"old")
    with room_for(10_000), pytest.raises(StorageError) as caught:
        storage.write_bytes(str(target), bytes(size))
    assert str(caught.value) == f"{target}: File too large"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert target.read_bytes() == b"old"


def test_a_full_disk() -> None:
    # /dev/full is the one file that Linux lets everybody find a full disk with; it opens for reading, too.
    from handler.storage._local import _File

    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    descriptor = os.open("/dev/full", os.O_WRONLY)
    stream = _File("report.json", descriptor, "wb")
    with stream, pytest.raises(StorageError, match=r"report.json: the disk is full. Free some space"):
        stream.write(b"x")


def test_no_permission(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "x").write_bytes(b"1")
    closed.chmod(0)
    try:
        with as_nobody():
            for call in (storage.stat, storage.read_bytes, storage.delete, lambda at: storage.write_bytes(at, b"")):
                with pytest.raises(storage.AccessDeniedError, match=r"permission denied\. Check the owner"):
                    call(str(closed / "x"))
            with pytest.raises(storage.AccessDeniedError):
                list(storage.list_objects(str(closed)))
    finally:
        closed.chmod(0o700)


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    for location in (str(tmp_path / "file" / "x"), str(tmp_path / "file" / "y" / "x")):
        with pytest.raises(storage.LocationError, match="a part of this path is a file"):
            storage.write_bytes(location, b"1")
        with pytest.raises(storage.LocationError, match="a part of this path is a file"):
            storage.read_bytes(location)
        assert storage.stat(location) is None


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    location = str(tmp_path / "folder")
    for call in (storage.read_bytes, storage.delete, lambda at: storage.write_bytes(at, b"1")):
        with pytest.raises(storage.LocationError, match="this is a folder"):
            call(location)
    with pytest.raises(storage.LocationError, match="names a folder"):
        storage.write_bytes(location + "/", b"1")
    assert storage.stat(location) is None
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_the_longest_name(tmp_path: Path) -> None:
    location = str(tmp_path / ("ż" * 127))
    storage.write_bytes(location, b"1")
    assert storage.read_bytes(location) == b"1"


def test_new_files_have_the_usual_mode(tmp_path: Path) -> None:
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.touch()
    storage.write_bytes(str(ours), b"")
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_listing_order_is_that_of_s3_and_hidden_files_are_passed_over(tmp_path: Path) -> None:
    names = ["a-b", "a/b", "a0", "b", "ż"]
    for name in [*names, ".hidden", ".git/x", "a/.part"]:
        storage.write_bytes(str(tmp_path / name), b"1")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    assert [info.location for info in storage.list_objects(str(tmp_path))] == [str(tmp_path / name) for name in names]
    with pytest.raises(storage.NotFoundError, match="no such folder"):
        list(storage.list_objects(str(tmp_path / "missing")))
    with pytest.raises(storage.NotFoundError, match="no such folder"):
        list(storage.list_objects(str(tmp_path / "b")))


def test_the_caller_may_close_the_stream(tmp_path: Path) -> None:
    with storage.open_write(str(tmp_path / "x")) as stream:
        stream.write(b"1")
        stream.close()
    assert storage.read_bytes(str(tmp_path / "x")) == b"1"


def test_an_update_that_fails_frees_its_lock(tmp_path: Path) -> None:
    location = str(tmp_path / "latest.json")

    def fail(old: bytes | None) -> bytes:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        storage.update_bytes(location, fail)
    other = threading.Thread(target=storage.update_bytes, args=(location, lambda old: b"1"))
    other.start()
    other.join(timeout=10)
    assert storage.read_bytes(location) == b"1"

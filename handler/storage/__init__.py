"""Local paths and s3:// objects behind one small interface.

A *location* is a local path or an `s3://bucket/key` uri, as a string. Reading is a stream; writing is atomic: a location
holds the whole new content or what it held before, never a part.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from handler.errors import StorageError
from handler.storage._contract import AlreadyExistsError, ObjectInfo, Store
from handler.storage._local import LocalStore

__all__ = [
    "AlreadyExistsError",
    "ObjectInfo",
    "Store",
    "delete",
    "is_remote",
    "join",
    "list_objects",
    "name_of",
    "open_read",
    "open_write",
    "read_bytes",
    "stat",
    "write_bytes",
]

_LOCAL = LocalStore()


def is_remote(location: str) -> bool:
    """Whether the location is an s3:// uri."""
    return location.startswith("s3://")


def join(base: str, *names: str) -> str:
    """`base` with path segments appended, for both kinds of location."""
    if is_remote(base):
        return "/".join([base.rstrip("/"), *names])
    return str(Path(base, *names))


def name_of(location: str) -> str:
    """The last path segment."""
    return location.rstrip("/").rsplit("/", 1)[-1]


def stat(location: str) -> ObjectInfo | None:
    """Size and etag of the object; None when there is none."""
    return _store(location).stat(location)


def open_read(location: str) -> BinaryIO:
    """A byte stream from the start of the object. Raises StorageError naming the location."""
    return _store(location).open_read(location)


def open_write(location: str, *, if_absent: bool = False) -> AbstractContextManager[BinaryIO]:
    """A byte stream that becomes the object when the block ends well; see `Store.open_write`."""
    return _store(location).open_write(location, if_absent=if_absent)


def list_objects(prefix: str) -> Iterator[ObjectInfo]:
    """The objects under a folder or prefix, in order of their names."""
    return _store(prefix).list_objects(prefix)


def delete(location: str) -> None:
    """Remove the object; no error when there is none."""
    _store(location).delete(location)


def read_bytes(location: str) -> bytes:
    """The whole object. For small ones: reports, cards, pointers."""
    with open_read(location) as stream:
        return stream.read()


def write_bytes(location: str, data: bytes, *, if_absent: bool = False) -> None:
    """Write a whole object atomically."""
    with open_write(location, if_absent=if_absent) as stream:
        stream.write(data)


def _store(location: str) -> Store:
    if is_remote(location):
        raise StorageError("s3:// locations are not supported yet", file=location)
    return _LOCAL

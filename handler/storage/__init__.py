"""Local paths and s3:// objects behind one small interface.

A *location* is a local path or an `s3://bucket/key` uri, as a string. Reading is a stream; writing is atomic: a location
holds the whole new content or what it held before, never a part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from handler.storage._contract import ObjectInfo, Store
from handler.storage._errors import (
    AccessDeniedError,
    AlreadyExistsError,
    BucketNotFoundError,
    ChangedError,
    ChecksumError,
    CredentialsError,
    LocationError,
    NotFoundError,
    TransientStorageError,
    UnreachableError,
)
from handler.storage._local import LocalStore

__all__ = [
    "AccessDeniedError",
    "AlreadyExistsError",
    "BucketNotFoundError",
    "ChangedError",
    "ChecksumError",
    "CredentialsError",
    "LocationError",
    "NotFoundError",
    "ObjectInfo",
    "Store",
    "TransientStorageError",
    "UnreachableError",
    "concatenate",
    "delete",
    "delete_tree",
    "is_remote",
    "join",
    "list_objects",
    "name_of",
    "open_read",
    "open_write",
    "read_bytes",
    "stat",
    "update_bytes",
    "write_bytes",
]

_LOCAL = LocalStore()


def is_remote(location: str) -> bool:
    """Whether the location is an s3:// uri."""
    return location.startswith("s3://")


def join(base: str, *names: str) -> str:
    """`base` with path segments appended, for both kinds of location. Raises LocationError for other kinds."""
    _check_scheme(base)
    if is_remote(base):
        return "/".join([base.rstrip("/"), *names])
    return str(Path(base, *names))


def name_of(location: str) -> str:
    """The last path segment."""
    return location.rstrip("/").rsplit("/", 1)[-1]


def stat(location: str) -> ObjectInfo | None:
    """Size and etag of the object; None when there is none."""
    return _store(location).stat(location)


def open_read(location: str, start: int = 0, end: int | None = None, *, if_match: str | None = None) -> BinaryIO:
    """A byte stream of the object, or of its bytes [start, end); see `Store.open_read`."""
    if start < 0 or (end is not None and end < 0):
        raise ValueError(f"a byte range counts from the start: {start}, {end}")
    return _store(location).open_read(location, start, end, if_match=if_match)


def open_write(location: str, *, if_absent: bool = False) -> AbstractContextManager[BinaryIO]:
    """A byte stream that becomes the object when the block ends well; see `Store.open_write`."""
    return _store(location).open_write(location, if_absent=if_absent)


def list_objects(prefix: str) -> Iterator[ObjectInfo]:
    """The objects under a folder or prefix, in order of their names."""
    return _store(prefix).list_objects(prefix)


def concatenate(sources: Sequence[str], target: str) -> None:
    """Write `target` as the contents of `sources` in their order; they and it lie in one kind of storage.

    On S3 the bytes of large sources stay there: they are copied from object to object.
    """
    _store(target).concatenate(sources, target)


def delete(location: str) -> None:
    """Remove the object; no error when there is none."""
    _store(location).delete(location)


def delete_tree(prefix: str) -> None:
    """Remove all that lies under a folder or prefix, which ends in `/`; no error when there is nothing."""
    _store(prefix).delete_tree(prefix)


def read_bytes(location: str) -> bytes:
    """The whole object. For small ones: reports, cards, pointers."""
    with open_read(location) as stream:
        return stream.read()


def write_bytes(location: str, data: bytes, *, if_absent: bool = False) -> None:
    """Write a whole object atomically."""
    with open_write(location, if_absent=if_absent) as stream:
        stream.write(data)


def update_bytes(location: str, change: Callable[[bytes | None], bytes | None]) -> bool:
    """Replace a small object, such as a pointer, by `change(what it holds, or None)`; see `Store.update`."""
    return _store(location).update(location, change)


def _store(location: str) -> Store:
    if not location or "\0" in location:
        raise LocationError("not a path and not an s3:// uri", file=location)
    if is_remote(location):
        # Here, so that who only ever uses local files never loads boto3.
        from handler.storage._s3 import shared_store

        return shared_store()
    _check_scheme(location)
    return _LOCAL


def _check_scheme(location: str) -> None:
    """A uri of another kind must not become a local folder called `gs:`."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):/", location)
    if scheme and (scheme[1] != "s3" or not re.match(r"s3://[^/]", location)):
        raise LocationError("only local paths and s3://bucket/key uris can be read and written", file=location)

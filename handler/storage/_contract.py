"""What every kind of storage offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

__all__ = ["ObjectInfo", "Store"]


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What is known of an object without reading it.

    size in bytes; etag as S3 gives it (no quotes), None for files; version_id only in a versioned bucket.
    """

    location: str
    size: int
    etag: str | None = None
    version_id: str | None = None


class Store(Protocol):
    """One kind of storage. Every method raises `handler.errors.StorageError`, whose message names the location."""

    def stat(self, location: str) -> ObjectInfo | None:
        """The object's size and etag; None when there is no such object."""

    def open_read(
        self, location: str, start: int = 0, end: int | None = None, *, if_match: str | None = None
    ) -> BinaryIO:
        """A stream of the bytes [start, end) of the object, to be closed by the caller.

        Bounds work like those of a slice: bytes past the end of the object are not there, and no error. With
        `if_match`, an etag from `stat`, another version of the object raises `ChangedError`; files have no etags.
        """

    def open_write(self, location: str, *, if_absent: bool = False) -> AbstractContextManager[BinaryIO]:
        """A stream whose bytes become the object when the `with` block ends without an exception.

        After an exception nothing is visible. With `if_absent`, leaving the block raises `AlreadyExistsError` when
        somebody else wrote the object first.
        """

    def update(self, location: str, change: Callable[[bytes | None], bytes | None]) -> bool:
        """Replace a small object by `change(what it holds, or None)`, losing no other update; whether it was written.

        `change` runs again when somebody else was faster, and leaves the object alone by returning None.
        """

    def list_objects(self, prefix: str) -> Iterator[ObjectInfo]:
        """The objects under a folder or key prefix, in order of their names."""

    def delete(self, location: str) -> None:
        """Remove the object; no error when there is none."""

    def delete_tree(self, prefix: str) -> None:
        """Remove all objects under a folder or prefix that ends in `/`, and the folder; no error when there are none."""

    def concatenate(self, sources: Sequence[str], target: str) -> None:
        """Write `target`, whole or not at all, as the contents of `sources` one after another."""

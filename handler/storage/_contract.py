"""What every kind of storage offers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from handler.errors import StorageError

__all__ = ["AlreadyExistsError", "ObjectInfo", "Store"]


class AlreadyExistsError(StorageError):
    """Another writer made this object first; a conditional write left it as it was."""

    code = "already_exists"


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What is known of an object without reading it. size in bytes; etag as S3 gives it (no quotes), None for files."""

    location: str
    size: int
    etag: str | None = None


class Store(Protocol):
    """One kind of storage. Every method raises `handler.errors.StorageError`, whose message names the location."""

    def stat(self, location: str) -> ObjectInfo | None:
        """The object's size and etag; None when there is no such object."""

    def open_read(self, location: str) -> BinaryIO:
        """A stream of the object's bytes from its start, to be closed by the caller."""

    def open_write(self, location: str, *, if_absent: bool = False) -> AbstractContextManager[BinaryIO]:
        """A stream whose bytes become the object when the `with` block ends without an exception.

        After an exception nothing is visible. With `if_absent`, leaving the block raises `AlreadyExistsError` when
        somebody else wrote the object first.
        """

    def list_objects(self, prefix: str) -> Iterator[ObjectInfo]:
        """The objects under a folder or key prefix, in order of their names."""

    def delete(self, location: str) -> None:
        """Remove the object; no error when there is none."""

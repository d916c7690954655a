"""Local files: parents are made on writing, and a file appears whole by renaming a temporary one beside it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from handler.errors import StorageError
from handler.storage._contract import AlreadyExistsError, ObjectInfo

__all__ = ["LocalStore"]


class LocalStore:
    """`Store` over the file system."""

    def stat(self, location: str) -> ObjectInfo | None:
        """Size of the file; None when there is none (a folder is none)."""
        path = Path(location)
        try:
            return ObjectInfo(location, path.stat().st_size) if path.is_file() else None
        except OSError as error:
            raise _named(location, error) from error

    def open_read(self, location: str) -> BinaryIO:
        """Open the file for reading bytes."""
        try:
            return Path(location).open("rb")
        except OSError as error:
            raise _named(location, error) from error

    @contextmanager
    def open_write(self, location: str, *, if_absent: bool = False) -> Iterator[BinaryIO]:
        """Write beside the target, then move into place."""
        path = Path(location)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part")
        except OSError as error:
            raise _named(location, error) from error
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
            os.chmod(temporary, 0o666 & ~_umask())
            if if_absent:
                os.link(temporary, path)
                os.unlink(temporary)
            else:
                os.replace(temporary, path)
        except FileExistsError as error:
            raise AlreadyExistsError("somebody else wrote this file first", file=location) from error
        except OSError as error:
            raise _named(location, error) from error
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)

    def list_objects(self, prefix: str) -> Iterator[ObjectInfo]:
        """Files under the folder, at any depth; hidden files and folders are passed over."""
        root = Path(prefix)
        if not root.is_dir():
            raise StorageError("no such folder", file=prefix)
        for path in sorted(root.rglob("*")):
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts):
                yield ObjectInfo(str(path), path.stat().st_size)

    def delete(self, location: str) -> None:
        """Remove the file if it is there."""
        try:
            Path(location).unlink(missing_ok=True)
        except OSError as error:
            raise _named(location, error) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _named(location: str, error: OSError) -> StorageError:
    if isinstance(error, FileNotFoundError):
        return StorageError("no such file", file=location, hint="Check the path")
    if isinstance(error, IsADirectoryError):
        return StorageError("this is a folder, not a file", file=location)
    return StorageError(error.strerror or str(error), file=location)

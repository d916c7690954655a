"""Local files: parents are made on writing, and a file appears whole by renaming a temporary one beside it.

A file's bytes reach the disk (fsync) before it gets its name, so a power cut leaves the old content or the new, never an
empty or half file. The folder is not synced: just after a power cut the old content may be back.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, BinaryIO, Literal

from handler.errors import StorageError
from handler.storage._contract import ObjectInfo
from handler.storage._errors import AccessDeniedError, AlreadyExistsError, LocationError, NotFoundError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["LocalStore"]

_BUFFER_BYTES = 256 * 1024


class LocalStore:
    """`Store` over the file system."""

    def stat(self, location: str) -> ObjectInfo | None:
        """Size of the file; None when there is none (a folder is none)."""
        with _naming(location):
            try:
                status = os.stat(location)
            except (FileNotFoundError, NotADirectoryError):
                return None
        return ObjectInfo(location, status.st_size) if S_ISREG(status.st_mode) else None

    def open_read(
        self, location: str, start: int = 0, end: int | None = None, *, if_match: str | None = None
    ) -> BinaryIO:
        """Open the file for reading bytes, the whole of it or a part."""
        if if_match is not None:
            raise StorageError("files have no etag that a read could insist on", file=location)
        with _naming(location):
            return io.BufferedReader(_File(location, location, "rb", start=start, end=end), _BUFFER_BYTES)

    @contextmanager
    def open_write(self, location: str, *, if_absent: bool = False) -> Iterator[BinaryIO]:
        """Write beside the target, then move into place."""
        path = Path(location)
        if not path.name or location.endswith("/"):
            raise LocationError("this names a folder, not a file", file=location, hint="Add a file name")
        # Not derived from the target's name, which may already have the greatest length that the file system allows.
        temporary = path.parent / f".{secrets.token_hex(8)}.part"
        with _naming(location):
            path.parent.mkdir(parents=True, exist_ok=True)
            raw = _File(location, str(temporary), "xb")
        try:
            stream = io.BufferedWriter(raw, _BUFFER_BYTES)
            yield stream
            with _naming(location):
                if not stream.closed:
                    stream.flush()
                    os.fsync(raw.fileno())
                    stream.close()
                if if_absent:
                    _link(temporary, location)
                else:
                    os.replace(temporary, path)
        finally:
            # Closing the raw file first drops what a failed write left in the buffer.
            raw.close()
            with suppress(OSError):
                temporary.unlink()

    def update(self, location: str, change: Callable[[bytes | None], bytes | None]) -> bool:
        """Read, change and replace under a lock that all updates of this file take.

        The lock is the kernel's, on a hidden empty file beside the target: it ends with its process, where a lock that
        is a file's mere existence would outlive a crash. The hidden file stays, as removing it would let two in.
        """
        path = Path(location)
        with self._locked(path, location):
            try:
                with self.open_read(location) as stream:
                    old = stream.read()
            except NotFoundError:
                old = None
            new = change(old)
            if new is None:
                return False
            with self.open_write(location) as stream:
                stream.write(new)
            return True

    def list_objects(self, prefix: str) -> Iterator[ObjectInfo]:
        """Files under the folder, at any depth; hidden files and folders are passed over."""
        for path in sorted(_files_under(prefix), key=os.fsencode):
            try:
                status = os.stat(path)
            except FileNotFoundError:  # removed since its folder was read, or a link to nowhere
                continue
            except OSError as error:
                raise _named(path, error) from error
            if S_ISREG(status.st_mode):
                yield ObjectInfo(path, status.st_size)

    def delete(self, location: str) -> None:
        """Remove the file if it is there."""
        with _naming(location):
            Path(location).unlink(missing_ok=True)

    def delete_tree(self, prefix: str) -> None:
        """Remove the folder, with what a killed writer left hidden in it; a file that comes meanwhile may stay."""
        with _naming(prefix):
            shutil.rmtree(prefix, ignore_errors=True)

    def concatenate(self, sources: Sequence[str], target: str) -> None:
        """One file after another."""
        with self.open_write(target) as out:
            for source in sources:
                with self.open_read(source) as stream:
                    shutil.copyfileobj(stream, out, _BUFFER_BYTES)

    @staticmethod
    @contextmanager
    def _locked(path: Path, location: str) -> Iterator[None]:
        try:
            import fcntl
        except ImportError as error:
            raise StorageError("this system has no POSIX file locks", file=location, hint="Use s3:// or WSL") from error
        with _naming(location):
            path.parent.mkdir(parents=True, exist_ok=True)
            # A link of that name, put there by somebody else, must not have us make or lock a file elsewhere.
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            lock = os.open(path.parent / f".{path.name}.lock", flags, 0o666)
        try:
            with _naming(location):
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


class _File(io.FileIO):
    """A file whose errors name the location, and whose reading ends at `end`."""

    def __init__(
        self, location: str, path: str, mode: Literal["rb", "xb"], *, start: int = 0, end: int | None = None
    ) -> None:
        self._location = location
        self._left = None if end is None else max(0, end - start)
        super().__init__(path, mode)
        if start:
            self.seek(start)

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        with _naming(self._location):
            count = super().readinto(view if self._left is None else view[: self._left]) or 0
        if self._left is not None:
            self._left -= count
        return count

    def read(self, size: int | None = -1) -> bytes:
        return io.RawIOBase.read(self, -1 if size is None else size) or b""

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self.read(_BUFFER_BYTES), b""))

    def seekable(self) -> bool:
        return self._left is None and super().seekable()

    def write(self, data: ReadableBuffer) -> int:
        with _naming(self._location):
            return super().write(data)


def _link(temporary: Path, location: str) -> None:
    try:
        os.link(temporary, location)
    except FileExistsError as error:
        raise AlreadyExistsError("somebody else wrote this file first", file=location) from error


def _files_under(folder: str) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        if error.filename == folder and isinstance(error, (FileNotFoundError, NotADirectoryError)):
            raise NotFoundError("no such folder", file=folder, hint="Check the path") from error
        if not isinstance(error, FileNotFoundError):  # removed since its parent was read
            raise _named(str(error.filename), error) from error

    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(parent, name) for name in files if not name.startswith("."))


@contextmanager
def _naming(location: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _named(location, error) from error


def _named(location: str, error: OSError) -> StorageError:
    if isinstance(error, FileNotFoundError):
        return NotFoundError("no such file", file=location, hint="Check the path")
    if isinstance(error, IsADirectoryError):
        return LocationError("this is a folder, not a file", file=location, hint="Name a file in it")
    if isinstance(error, (NotADirectoryError, FileExistsError)):
        return LocationError("a part of this path is a file, not a folder", file=location, hint="Name another")
    if isinstance(error, PermissionError):
        return AccessDeniedError("permission denied", file=location, hint="Check the owner and mode of file and folder")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageError("the disk is full", file=location, hint="Free some space; nothing was kept of this file")
    return StorageError(error.strerror or str(error), file=location)

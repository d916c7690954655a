"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handler.errors import StorageError

__all__ = ["building"]


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """An empty folder beside `target` that takes its place when the block ends well, and vanishes when it does not.

    Raises StorageError when the place cannot be written, or cannot be replaced because something is mounted there.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise _not_written(target, error) from error
    try:
        yield folder
        # mkdtemp makes it private: copied into an image it would be unreadable for the user that runs there.
        folder.chmod(0o777 & ~_umask())
        try:
            _take_place(folder, target)
        except OSError as error:
            raise _not_written(target, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _take_place(folder: Path, target: Path) -> None:
    if not target.exists():
        folder.rename(target)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        target.rename(aside / "old")
        try:
            folder.rename(target)
        except OSError:
            (aside / "old").rename(target)
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _not_written(target: Path, error: OSError) -> StorageError:
    return StorageError(
        f"the folder cannot be written: {error.strerror or error}",
        file=str(target),
        hint="Name a folder whose parent you may write to; of a mounted volume, a folder inside it",
    )


def _umask() -> int:
    umask = os.umask(0o022)
    os.umask(umask)
    return umask

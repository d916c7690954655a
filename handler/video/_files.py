"""A video or picture as a file on this machine, wherever it was."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from handler import storage
from handler.video._errors import VideoError

__all__ = ["LocalVideo", "local_video"]

_BLOCK = 1 << 20  # bytes copied at a time
_LONGEST_SUFFIX = 16  # characters kept of what follows the last dot of a name


@dataclass(frozen=True, slots=True)
class LocalVideo:
    """A video on this machine. source: where it came from. sha256: of its bytes, 64 hex digits."""

    source: str
    path: str
    sha256: str


@contextmanager
def local_video(location: str) -> Iterator[LocalVideo]:
    """The file at a location, copied to the temp directory for the time of the block when it is on s3://.

    Raises VideoError for an empty file, StorageError for one that cannot be read.
    """
    if not storage.is_remote(location):
        with storage.open_read(location) as stream:
            digest, size = _copied(stream, None)
        yield _filled(LocalVideo(location, location, digest), size)
        return
    suffix = Path(storage.name_of(location)).suffix[:_LONGEST_SUFFIX]
    with tempfile.NamedTemporaryFile(suffix=suffix) as copy, storage.open_read(location) as stream:
        digest, size = _copied(stream, cast("BinaryIO", copy))
        copy.flush()
        yield _filled(LocalVideo(location, copy.name, digest), size)


def _copied(stream: BinaryIO, target: BinaryIO | None) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while block := stream.read(_BLOCK):
        digest.update(block)
        size += len(block)
        if target is not None:
            target.write(block)
    return digest.hexdigest(), size


def _filled(video: LocalVideo, size: int) -> LocalVideo:
    if not size:
        raise VideoError("empty_file", file=video.source, hint="Make it or download it again")
    return video

"""Where lines of a file begin, learned while it is read, so that another reading can start in its middle."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from handler import storage
from handler.formats._limits import CHUNK_BYTES

__all__ = ["LineMarks", "Place"]


class Place(NamedTuple):
    """The beginning of a line. offset: in bytes of the file. line: 1-based."""

    offset: int
    line: int


class LineMarks:
    """One mark per chunk read: its offset, and the line breaks before it. Empty for a file that must be read in order."""

    def __init__(self) -> None:
        self._newline = b"\n"
        self._offsets: list[int] = []
        self._breaks: list[int] = []

    def watch(self, chunks: Iterator[bytes], skipped: int, newline: str) -> Iterator[bytes]:
        """The chunks, marked as they pass. skipped: bytes of the file before them. newline: what ends a line."""
        self._newline = newline.encode()
        offset, breaks = skipped, 0
        for chunk in chunks:
            self._offsets.append(offset)
            self._breaks.append(breaks)
            offset += len(chunk)
            breaks += chunk.count(self._newline)
            yield chunk

    def place_of(self, location: str, line: int, etag: str | None) -> Place | None:
        """Where a line that was read begins: a chunk or two are read again. None for a file that was not marked."""
        mark = bisect_right(self._breaks, line - 2) - 1
        if mark < 0:
            return None
        offset, left = self._offsets[mark], line - 1 - self._breaks[mark]
        with storage.open_read(location, offset, None, if_match=etag) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                found = chunk.count(self._newline)
                if found >= left:
                    end = 0
                    for _ in range(left):
                        end = chunk.index(self._newline, end) + 1
                    return Place(offset + end, line)
                offset, left = offset + len(chunk), left - found
        raise storage.ChangedError("the file was replaced while it was read", file=location, hint="Run again")

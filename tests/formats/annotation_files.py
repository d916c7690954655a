"""Writing small annotation files and reading them back."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handler.formats import Notices, ReadOptions, open_records
from handler.formats._detect import READERS, detect_source
from handler.formats._opening import source_from
from handler.samples import EmptySession, Record, Sample, Unreadable


@dataclass
class Read:
    """All records of one file, by kind."""

    records: list[Record]
    notices: Notices
    samples: list[Sample] = field(init=False)
    unreadable: list[Unreadable] = field(init=False)
    empty: list[EmptySession] = field(init=False)

    def __post_init__(self) -> None:
        self.samples = [r for r in self.records if isinstance(r, Sample)]
        self.unreadable = [r for r in self.records if isinstance(r, Unreadable)]
        self.empty = [r for r in self.records if isinstance(r, EmptySession)]

    @property
    def texts(self) -> list[tuple[str | None, tuple[str, ...]]]:
        return [(s.answer, s.references) for s in self.samples]


def read_file(path: Path, **options: Any) -> Read:
    notices = Notices()
    return Read(list(open_records(str(path), ReadOptions(**options), notices)), notices)


class _Trickle(io.BytesIO):
    """A stream that gives a few bytes at a time, as networks do."""

    piece = 1

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self.piece)


def read_bytes(data: bytes, name: str = "cam-1.json", piece: int | None = None, **options: Any) -> Read:
    """What a file with this content would give, without a disk. piece: most bytes the stream gives at a time."""
    notices, asked = Notices(), ReadOptions(**options)
    stream = io.BytesIO(data) if piece is None else _Trickle(data)
    if isinstance(stream, _Trickle):
        stream.piece = piece or 1
    source = source_from(stream, name, asked)
    reader = READERS[detect_source(source, asked).format]
    return Read(list(reader.read(source, asked, notices)), notices)


def read_text(text: str, name: str = "cam-1.json", **options: Any) -> Read:
    return read_bytes(text.encode(), name, **options)

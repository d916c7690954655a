"""What a reader takes and gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from handler.formats._places import Place
from handler.samples import Record

__all__ = ["Detection", "Notices", "ReadOptions", "Reader", "Source"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read.

    format: a reader's name or "auto". mapping: {field: column name or "#n", 1-based}; references takes several, with
    commas between. encoding: None means UTF-8.
    on_missing: a missing or null answer or reference becomes an `Unreadable` ("error") or a sample without it ("skip").
    questions, references: files that the answers are joined with. as_original: for compat modes; POPE answers are joined
    by the order of lines though there are question ids, and what is left over is passed on, as the original scripts do.
    """

    format: str = "auto"
    mapping: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    on_missing: Literal["error", "skip"] = "error"
    questions: str | None = None
    references: str | None = None
    as_original: bool = False


@dataclass(slots=True)
class Notices:
    """What a reader wants a person to know about the file as a whole: {code: n} and the first few examples of each.

    unknown_fields: names of fields that no metric reads, the first fifty.
    """

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    unknown_fields: list[str] = field(default_factory=list)

    def add(self, code: str, example: str) -> None:
        """Count one occurrence; the first three examples are kept."""
        self.counts[code] += 1
        kept = self.examples.setdefault(code, [])
        if len(kept) < 3:
            kept.append(example)


@dataclass(frozen=True, slots=True)
class Source:
    """An open input.

    name: for messages. stem: the file's name without suffixes, the default session_id. head: the first bytes, for
    sniffing. chunks: all bytes from the start, head included. Bytes are decompressed UTF-8 without a byte order mark.
    compression, encoding: what was undone on the way. skipped: bytes of the dropped mark. place: where the chunks begin
    when that is in the file's middle; the head is the file's all the same.
    """

    name: str
    stem: str
    head: bytes
    chunks: Iterator[bytes]
    compression: Literal["gzip"] | None = None
    encoding: str = "utf-8"
    skipped: int = 0
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Detection:
    """What a file was found to be.

    format: the reader's name. has_header, delimiter: of tables only. columns: a table's columns or the keys of the
    first JSON object. reason: why, in plain words. holds: what its records are, in words; noun: one of them.
    roles: of several files, which one is read as what, {"answers": location, "questions": location, ...}.
    """

    format: str
    compression: str | None
    encoding: str
    delimiter: str | None
    has_header: bool | None
    columns: tuple[str, ...]
    reason: str
    holds: str = "descriptions"
    noun: str = "frame"
    roles: Mapping[str, str] = field(default_factory=dict)


class Reader(Protocol):
    """One public format."""

    name: str

    def read(self, source: Source, options: ReadOptions, notices: Notices) -> Iterator[Record]:
        """Records in file order. Raises InputError when the rest of the file cannot be read."""

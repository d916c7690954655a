"""Chunks of UTF-8 bytes -> text or lines, with the place of the first byte that is not UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import chain

from handler.errors import InputError
from handler.formats._contract import Source
from handler.formats._limits import MAX_ELEMENT

_WINDOWS_ONLY = re.compile(rb"[\x80-\x9f]")  # letters and quotes in Windows code pages, controls in ISO 8859
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a]")


def not_utf8(source: Source, data: bytes, error: UnicodeDecodeError, *, offset: int, line: int) -> InputError:
    """The error for `data`, which starts at byte `offset` of the chunks and on `line`."""
    if len(_NOT_TEXT.findall(data[:4096])) > 3:
        return InputError("this is not text", file=source.name, hint="Annotations are JSON, JSON Lines, CSV or TSV")
    encoding = "cp1252" if _WINDOWS_ONLY.search(data) else "latin-1"
    bad = data[error.start : error.start + 1].hex()
    at_line = line + data.count(b"\n", 0, error.start)
    return InputError(
        f"not UTF-8: byte 0x{bad} at offset {source.skipped + offset + error.start} (line {at_line})",
        file=source.name,
        line=at_line,
        hint=f"Save it as UTF-8, or name its encoding, for example --encoding {encoding}",
    )


def text_of(source: Source) -> Iterator[str]:
    """The text in pieces, never empty ones."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line = 0, 1
    for chunk in chain(source.chunks, [b""]):
        held = decoder.getstate()[0]
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            raise not_utf8(source, held + chunk, error, offset=offset - len(held), line=line) from error
        offset += len(chunk)
        line += text.count("\n")
        if text:
            yield text


def byte_lines(source: Source) -> Iterator[bytes]:
    """Lines without their line feed. Raises InputError for a line that is too long to hold."""
    rest: list[bytes] = []
    held = 0
    line = 1
    for chunk in source.chunks:
        pieces = chunk.split(b"\n")
        if len(pieces) > 1:
            yield b"".join(rest) + pieces[0]
            yield from pieces[1:-1]
            line += len(pieces) - 1
            rest, held = [], 0
        rest.append(pieces[-1])
        held += len(pieces[-1])
        if held > MAX_ELEMENT:
            raise InputError(
                f"line {line} is longer than {MAX_ELEMENT:,} bytes",
                file=source.name,
                line=line,
                hint="Write one object a line, or one JSON document",
            )
    if held:
        yield b"".join(rest)


def text_lines(source: Source, newline: str) -> Iterator[str]:
    """Lines with their line end, for the csv module."""
    rest: list[str] = []
    held = 0
    for text in text_of(source):
        pieces = text.split(newline)
        if len(pieces) > 1:
            yield "".join(rest) + pieces[0] + newline
            for line in pieces[1:-1]:
                yield line + newline
            rest, held = [], 0
        rest.append(pieces[-1])
        held += len(pieces[-1])
        if held > MAX_ELEMENT:
            raise InputError(f"a line is longer than {MAX_ELEMENT:,} characters", file=source.name)
    if held:
        yield "".join(rest)

"""Choosing the reader by what a file holds, never by its name."""

from __future__ import annotations

import codecs
import json
from typing import Any

import orjson

from handler.errors import InputError, RequestError
from handler.formats._contract import Detection, Reader, ReadOptions, Source
from handler.formats._csv import TableReader
from handler.formats._fields import check_mapping
from handler.formats._json import FairForgeReader
from handler.formats._json_words import COMMENTS
from handler.formats._jsonl import JsonLinesReader
from handler.formats._limits import CHUNK_BYTES
from handler.formats._table import shape_of
from handler.formats._text import not_utf8
from handler.formats.tasks import TASK_FORMATS

READERS: dict[str, Reader] = {reader.name: reader for reader in (FairForgeReader(), JsonLinesReader(), TableReader())}
FORMATS: tuple[str, ...] = ("auto", *READERS, *TASK_FORMATS)
_ALSO_CALLED = {"json": "fair-forge", "ndjson": "jsonl", "tsv": "csv"}
_parse = json.JSONDecoder().raw_decode


def detect_source(source: Source, options: ReadOptions) -> Detection:
    """What the file is. Raises InputError when it is empty or no text, RequestError for an unknown format."""
    text = _head_text(source)
    if not text.strip():
        what = "is empty" if not source.head else "has no content, only blanks"
        if len(source.head) >= CHUNK_BYTES:
            what = f"begins with {CHUNK_BYTES:,} blanks"
        raise InputError(f"the file {what}", file=source.name, hint="Write at least one session or frame")
    name, reason = _sniff(text, complete=len(source.head) < CHUNK_BYTES)
    if options.format != "auto":
        name, reason = _asked_for(options.format, name, reason)
    if name == "csv":
        if text.lstrip().startswith("<"):
            raise InputError("this looks like HTML or XML", file=source.name, hint="Save the data itself, not its page")
        shape = shape_of(text, check_mapping(options.mapping))
        return Detection(
            name,
            source.compression,
            source.encoding,
            shape.delimiter,
            shape.has_header,
            shape.columns,
            f"{reason}: {shape.reason}" if reason else shape.reason,
        )
    return Detection(name, source.compression, source.encoding, None, None, first_keys(text), reason)


def _head_text(source: Source) -> str:
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(source.head)
    except UnicodeDecodeError as error:
        raise not_utf8(source, source.head, error, offset=0, line=1) from error
    if "\0" in text:
        raise InputError("this is binary data, not text", file=source.name, hint="Write JSON, JSON Lines or CSV")
    return text


def check_format(name: str) -> None:
    """Raises RequestError for a format that does not exist."""
    if _ALSO_CALLED.get(name, name) not in FORMATS:
        raise RequestError(f"unknown format {name!r}", field="format", hint=f"Formats: {', '.join(FORMATS)}")


def _asked_for(asked: str, found: str, reason: str) -> tuple[str, str]:
    check_format(asked)
    name = _ALSO_CALLED.get(asked, asked)
    if name == "fair-forge" and found == "jsonl" and asked != "json":
        return found, reason
    return name, reason if name == found else "asked for"


def _sniff(text: str, *, complete: bool) -> tuple[str, str]:
    start = text.lstrip()
    if start.startswith(COMMENTS) and any(part.lstrip()[:1] in ("{", "[") for part in start.split("\n")[1:3]):
        return "fair-forge", "JSON after a comment"
    if start[0] not in "{[":
        return ("jsonl", "most lines are JSON objects") if _mostly_objects(text) else ("csv", "")
    if _is_lines(text, complete=complete):
        return "jsonl", "each line is a JSON value of its own"
    return "fair-forge", "a JSON " + ("list" if start[0] == "[" else "object")


def _is_lines(text: str, *, complete: bool) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    whole = lines if complete else lines[:-1]
    if not whole or len(lines) < 2:
        return False
    if _parses(whole[0]):
        return lines[0].lstrip()[0] == "{" or lines[1].lstrip()[0] in "{["
    if lines[0].lstrip()[0] == "[" or _may_be_document(text, complete=complete):
        return False
    return _mostly_objects(text)


def _mostly_objects(text: str) -> bool:
    """Whether the first line is broken and most of the others are JSON objects."""
    others = [line for line in text.split("\n", 200)[1:200] if line.strip()]
    return sum(line.lstrip().startswith("{") and _parses(line) for line in others) * 2 > len(others)


def _may_be_document(text: str, *, complete: bool) -> bool:
    try:
        _, end = _parse(text, len(text) - len(text.lstrip()))
        return not text[end:].strip()
    except json.JSONDecodeError as error:
        return not complete and (error.pos > len(text) - 16 or error.msg.startswith("Unterminated"))
    except (RecursionError, ValueError):
        return False


def _parses(line: str) -> bool:
    try:
        value: Any = orjson.loads(line)
    except ValueError:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return False
    return isinstance(value, (dict, list))


def first_keys(text: str) -> tuple[str, ...]:
    """Keys of the first object, where the head holds it whole."""
    start = text.find("{")
    if start < 0:
        return ()
    try:
        value, _ = _parse(text, start)
    except (ValueError, RecursionError):
        return ()
    return tuple(value) if isinstance(value, dict) else ()

"""JSON Lines: one session, frame or streamed batch a line; a broken line costs that line only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

from handler.formats._contract import Notices, ReadOptions, Source
from handler.formats._frames import FrameReader
from handler.formats._json_words import explain
from handler.formats._keys import TooDeepError, count_keys, note_duplicates
from handler.formats._limits import MAX_DEPTH
from handler.formats._objects import object_records
from handler.formats._text import byte_lines, not_utf8
from handler.formats._values import mend
from handler.samples import Record, Unreadable


class JsonLinesReader:
    """One object a line."""

    name = "jsonl"

    def read(self, source: Source, options: ReadOptions, notices: Notices) -> Iterator[Record]:
        """Records in file order. Raises InputError for bytes that are not UTF-8."""
        frames = FrameReader(source.name, source.stem, options, notices, goes_on=source.place is not None)
        plans, loads = frames.flat_plans, orjson.loads
        offset, first = (source.place.offset - source.skipped, source.place.line) if source.place else (0, 1)
        for number, line in enumerate(byte_lines(source), first):
            try:
                item = loads(line)
            except ValueError:
                item = second_try(line, number, offset, source, notices)
                if item is BLANK:
                    offset += len(line) + 1
                    continue
            else:
                keys = line.count(b'":')
                if keys != len(item if type(item) is dict else ()) or _maybe_deep(line):
                    item = _looked_at(item, line, keys, number, notices)
            offset += len(line) + 1
            plan = plans.get(tuple(item)) if type(item) is dict else None
            if plan is not None:
                yield frames.flat(item, plan, number, number)
            elif type(item) is Unreadable:
                yield item
            else:
                yield from object_records(frames, item, number, number)


BLANK = object()


def _maybe_deep(line: bytes) -> bool:
    return line.count(b"[") + line.count(b"{") > MAX_DEPTH


def _looked_at(item: Any, line: bytes, keys: int, number: int, notices: Notices) -> Any:
    """The item, or Unreadable when it is nested too deep; duplicate keys are noted."""
    try:
        unique = count_keys(item)
    except TooDeepError as error:
        return Unreadable(number, None, None, str(error))
    if keys != unique and keys + line.count(b'" :') != unique:
        note_duplicates(line.decode("utf-8"), number, notices)
    return item


def second_try(line: bytes, number: int, offset: int, source: Source, notices: Notices) -> Any:
    """What the standard parser, which takes NaN and half surrogate pairs, makes of the line: an item or Unreadable."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(source, line, error, offset=offset, line=number) from error
    if not text.strip():
        return BLANK
    try:
        item = json.loads(text)
    except json.JSONDecodeError as error:
        reason = explain(error.msg, text.rstrip("\r"), error.pos, at_end=True)
        return Unreadable(number, error.pos + 1, None, reason.replace("the file seems", "the line seems"))
    except RecursionError:
        return Unreadable(number, None, None, str(TooDeepError()))
    except ValueError:
        return Unreadable(number, None, None, "a number with too many digits")
    return _looked_at(mend(item, notices), line, line.count(b'":'), number, notices)

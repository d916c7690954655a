"""fair-forge JSON documents: a list or a single one of sessions, frames or streamed batches, never held whole."""

from __future__ import annotations

from collections.abc import Iterator

from handler.formats._contract import Notices, ReadOptions, Source
from handler.formats._frames import FrameReader
from handler.formats._limits import MAX_ELEMENT
from handler.formats._objects import object_records
from handler.formats._scanner import Scanner
from handler.formats._walk import Walk
from handler.samples import Record

_WALK_FROM = 1_000_000
"""An object longer than this many characters is read key by key: it may be a session of any length."""


class FairForgeReader:
    """One JSON document."""

    name = "fair-forge"

    def read(self, source: Source, options: ReadOptions, notices: Notices) -> Iterator[Record]:
        """Records in file order. Raises InputError where the document breaks off or is no JSON."""
        frames = FrameReader(source.name, source.stem, options, notices)
        scanner = Scanner(source, notices)
        first = scanner.peek()
        if first == "[":
            yield from _list(scanner, frames)
        elif first == "{":
            yield from _documents(scanner, frames)
            return
        else:
            raise scanner.unexpected("Expecting value")
        if scanner.peek():
            raise scanner.unexpected("Extra data")


def _list(scanner: Scanner, frames: FrameReader) -> Iterator[Record]:
    plans = frames.flat_plans
    for number in scanner.places():
        parsed = None if scanner.session_ahead() else scanner.try_value()
        if parsed is None:
            yield from _element(scanner, frames, number)
            continue
        line, column = scanner.place(parsed[1])
        item = scanner.checked(*parsed)
        plan = plans.get(tuple(item)) if type(item) is dict else None
        if plan is not None:
            yield frames.flat(item, plan, number, line, column)
        else:
            yield from object_records(frames, item, number, line, column)


def _documents(scanner: Scanner, frames: FrameReader) -> Iterator[Record]:
    """One object, or several with a line break between them: JSON Lines too long to be told by their first line."""
    number = 0
    while True:
        number += 1
        yield from _element(scanner, frames, number)
        line = scanner.place()[0]
        following = scanner.peek()
        if not following:
            return
        if following != "{" or scanner.place()[0] == line:
            raise scanner.unexpected("Extra data")


def _element(scanner: Scanner, frames: FrameReader, number: int) -> Iterator[Record]:
    """One element: at once where it is short and shows no conversation, else key by key."""
    line, column = scanner.place()
    parsed = None
    while parsed is None:
        if scanner.window.startswith("{", scanner.pos) and (scanner.session_ahead() or scanner.ahead > _WALK_FROM):
            yield from Walk(scanner, frames, number, line, column).records()
            return
        if scanner.ahead > MAX_ELEMENT:
            raise scanner.error(f"one JSON element has more than {MAX_ELEMENT:,} characters", scanner.pos)
        parsed = scanner.try_value()
        if parsed is None:
            scanner.grow()
    yield from object_records(frames, scanner.checked(*parsed), number, line, column)

"""Reading one JSON object key by key, so that the conversation of a session may have any length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from handler.errors import InputError
from handler.formats._fields import normal
from handler.formats._frames import FrameReader, Session
from handler.formats._limits import MAX_ELEMENT
from handler.formats._objects import conversation_key, empty, object_records
from handler.formats._scanner import Scanner
from handler.formats._values import clip
from handler.samples import Record


class Walk:
    """The object at the scanner's place.

    Frames go out at once when the session's ids and language came before the conversation; else they are held until
    the object ends or MAX_ELEMENT characters have passed.
    """

    def __init__(self, scanner: Scanner, frames: FrameReader, number: int, line: int, column: int) -> None:
        self._scanner = scanner
        self._frames = frames
        self._number = number
        self._line = line
        self._column = column
        self._head: dict[str, Any] = {}
        self._head_size = 0
        self._head_names = {normal(frames.mapping.get(f, f)) for f in ("session_id", "assistant_id", "language")}
        self._conversation_key: str | None = None
        self._session: Session | None = None
        self._held: list[tuple[Any, int, int]] = []
        self._count = 0

    def records(self) -> Iterator[Record]:
        """The object's records."""
        for key in self._scanner.entries():
            if self._scanner.peek() == "[" and conversation_key({key: None}) is not None:
                yield from self._conversation(key)
            else:
                self._entry(key)
        yield from self._finish()

    def _entry(self, key: str) -> None:
        line, column = self._scanner.place()
        if key in self._head or key == self._conversation_key:
            words = f"{clip(key)!r} comes twice in one object; the last value counts (line {line})"
            self._frames.notices.add("duplicate_key", words)
        if self._session is not None and normal(key) in (*self._head_names, "tags"):
            raise InputError(
                f"{clip(key)} comes after frames of its session have been read",
                file=self._frames.name,
                line=line,
                column=column,
                field=key,
                hint="Write session_id, assistant_id, language and tags once, before the conversation",
            )
        before = self._scanner.offset
        self._head[key] = self._scanner.value()
        self._head_size += self._scanner.offset - before + len(key)
        if self._head_size > MAX_ELEMENT:
            raise self._scanner.error(f"one JSON object has more than {MAX_ELEMENT:,} characters", self._scanner.pos)

    def _conversation(self, key: str) -> Iterator[Record]:
        scanner = self._scanner
        if self._conversation_key is not None:
            raise scanner.error(f"{key} comes twice in one session", scanner.pos)
        self._conversation_key = key
        if self._head_names <= {normal(name) for name in self._head}:
            self._begin()
        start = scanner.offset
        for number in scanner.places():
            self._count = number
            line, column = scanner.place()
            frame = scanner.value()
            if self._session is None:
                self._held.append((frame, line, column))
                if scanner.offset - start > MAX_ELEMENT:
                    yield from self._release()
            else:
                path = f"{key}[{number - 1}]."
                yield self._frames.in_session(frame, self._session, number, line=line, column=column, path=path)

    def _begin(self) -> Session:
        session = self._session = self._frames.session(self._head)
        self._frames.watch.session(session.session_id, session.assistant_id)
        return session

    def _release(self) -> Iterator[Record]:
        session = self._begin()
        for number, (frame, line, column) in enumerate(self._held, 1):
            path = f"{self._conversation_key}[{number - 1}]."
            yield self._frames.in_session(frame, session, number, line=line, column=column, path=path)
        self._held = []

    def _finish(self) -> Iterator[Record]:
        if self._conversation_key is None:
            yield from object_records(self._frames, self._head, self._number, self._line, self._column)
            return
        if self._session is None:
            yield from self._release()
        if self._count == 0 and self._session is not None:
            yield empty(self._session, self._line, self._column)

"""A window over JSON text that moves forward: values are parsed one by one, and the place in the file stays known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from handler.errors import InputError
from handler.formats._contract import Notices, Source
from handler.formats._json_words import explain
from handler.formats._keys import TooDeepError, count_keys, note_duplicates
from handler.formats._limits import MAX_DEPTH, MAX_ELEMENT
from handler.formats._text import text_of
from handler.formats._values import mend

_parse = json.JSONDecoder().raw_decode
_past_blanks = re.compile(r"[ \t\r\n]*").match
_CONTEXT = 40
"""Characters kept before `pos` and seen after it before a fault is told: messages look at them. A parser's complaint
nearer than this to the window's end may only mean that `-Infinity` or an escape is cut."""


class Scanner:
    """`pos` is the next character to read; `window` holds the text around it."""

    def __init__(self, source: Source, notices: Notices) -> None:
        self.window = ""
        self.pos = 0
        self.at_end = False
        self._name = source.name
        self._notices = notices
        self._pieces: Iterator[str] = text_of(source)
        self._line = 1
        self._line_start = 0
        self._counted = 0
        self._dropped = 0
        self._sessions_from: int | None = None
        self._may_hold_halves = False

    @property
    def offset(self) -> int:
        """Characters of the whole text before `pos`."""
        return self._dropped + self.pos

    @property
    def ahead(self) -> int:
        """Characters in the window from `pos` on."""
        return len(self.window) - self.pos

    def place(self, pos: int | None = None) -> tuple[int, int]:
        """Line and column, 1-based, of `pos` or of a place after the last one asked for."""
        at = self.pos if pos is None else pos
        if at > self._counted:
            breaks = self.window.count("\n", self._counted, at)
            if breaks:
                self._line += breaks
                self._line_start = self.window.rfind("\n", self._counted, at) + 1
            self._counted = at
        return self._line, at - self._line_start + 1

    def grow(self) -> bool:
        """Forget most of what lies before `pos` and double what lies ahead, up to MAX_ELEMENT. False at the text's end."""
        self.place()
        drop = max(0, self.pos - _CONTEXT)
        parts = [self.window[drop:]]
        wanted, got = max(1, min(self.ahead, MAX_ELEMENT + 1 - self.ahead)), 0
        while got < wanted:
            piece = next(self._pieces, None)
            if piece is None:
                self.at_end = True
                break
            parts.append(piece)
            got += len(piece)
        self.window = window = "".join(parts)
        self.pos -= drop
        self._may_hold_halves = "\\ud" in window or "\\uD" in window
        self._counted -= drop
        self._line_start -= drop
        self._dropped += drop
        self._sessions_from = None
        return got > 0

    def peek(self) -> str:
        """The next character that is no blank, "" at the end; `pos` moves to it."""
        while True:
            match = _past_blanks(self.window, self.pos)
            self.pos = match.end() if match else self.pos
            if self.pos < len(self.window):
                return self.window[self.pos]
            if self.at_end or not self.grow():
                return ""

    def session_ahead(self) -> bool:
        """Whether the window shows a session's key at or after `pos`."""
        found = self._sessions_from
        if found is None or 0 <= found < self.pos:
            found = self._sessions_from = self.window.find('"conversation"', self.pos)
        return found >= 0

    def try_value(self) -> tuple[Any, int, int] | None:
        """The value at `pos` with the window's indices of its start and end; None when the window ends before it does."""
        window, start = self.window, self.pos
        try:
            value, end = _parse(window, start)
        except json.JSONDecodeError as error:
            message, bad = error.msg, error.pos
        except RecursionError:
            raise self.error(TooDeepError().args[0], start) from None
        except ValueError:
            raise self.error("a number with too many digits", start) from None
        else:
            if end < len(window) or self.at_end:
                self.pos = end
                return value, start, end
            return None
        if self.at_end or (bad < len(window) - _CONTEXT and not message.startswith("Unterminated")):
            raise self.error(explain(message, window, bad, at_end=self.at_end), bad)
        return None

    def value(self) -> Any:
        """The value at `pos`, checked and mended."""
        while (parsed := self.try_value()) is None:
            if self.ahead > MAX_ELEMENT:
                raise self.error(f"one JSON element has more than {MAX_ELEMENT:,} characters", self.pos)
            self.grow()
        return self.checked(*parsed)

    def checked(self, value: Any, start: int, end: int) -> Any:
        """The value, with notices for duplicate keys and half surrogate pairs. Raises InputError when nested too deep."""
        if type(value) is not dict and type(value) is not list and type(value) is not str:
            return value
        window = self.window
        if type(value) is not str:
            keys = window.count('":', start, end)
            if keys != len(value) or window.count("[", start, end) + window.count("{", start, end) > MAX_DEPTH:
                self._look(value, keys, start, end)
        if self._may_hold_halves and window.find("\\u", start, end) >= 0:
            return mend(value, self._notices)
        return value

    def _look(self, value: Any, keys: int, start: int, end: int) -> None:
        try:
            unique = count_keys(value)
        except TooDeepError as error:
            raise self.error(str(error), start) from None
        if keys != unique and keys + self.window.count('" :', start, end) != unique:
            note_duplicates(self.window[start:end], self.place(start)[0], self._notices)

    def places(self) -> Iterator[int]:
        """Stand on each element of the list at `pos` in turn, 1-based; the caller reads it."""
        self.pos += 1
        if self.peek() == "]":
            self.pos += 1
            return
        number = 0
        while True:
            number += 1
            yield number
            following = self.peek()
            if following == ",":
                self.pos += 1
                self.peek()
            elif following == "]":
                self.pos += 1
                return
            else:
                raise self.unexpected("Expecting ',' delimiter")

    def entries(self) -> Iterator[str]:
        """Each key of the object at `pos` in turn, standing on its value, which the caller reads."""
        self.pos += 1
        following = self.peek()
        while following != "}":
            if following != '"':
                raise self.unexpected("Expecting property name enclosed in double quotes")
            key = self.value()
            if self.peek() != ":":
                raise self.unexpected("Expecting ':' delimiter")
            self.pos += 1
            self.peek()
            yield key
            following = self.peek()
            if following == ",":
                self.pos += 1
                following = self.peek()
                if following == "}":
                    raise self.unexpected("Expecting property name enclosed in double quotes")
            elif following != "}":
                raise self.unexpected("Expecting ',' delimiter")
        self.pos += 1

    def unexpected(self, message: str) -> InputError:
        """The error for the character at `pos`."""
        while self.ahead < _CONTEXT and self.grow():
            pass
        return self.error(explain(message, self.window, self.pos, at_end=self.at_end), self.pos)

    def error(self, message: str, pos: int) -> InputError:
        """An error at a place of the window."""
        line, column = self.place(pos)
        return InputError(message, file=self._name, line=line, column=column)

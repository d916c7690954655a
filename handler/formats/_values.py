"""Single values as files hold them: ids, weights, tags, columns; what is missing, what is of the wrong kind."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from handler.errors import one_line
from handler.formats._contract import Notices
from handler.formats._limits import MAX_TEXT
from handler.samples import Unreadable

ABSENT: Final = object()
"""The value of a key that is not there; null is another thing."""


class FieldError(Exception):
    """One field of one item cannot be used; `reason` reads on after the field's name."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.field} {self.reason}".strip()


def unreadable(line: int | None, column: int | None, field: str | None, reason: str) -> Unreadable:
    """The record, kept to one line: field names and values come from the file and may hold anything."""
    return Unreadable(line, column, one_line(clip(field, 200)) if field else None, one_line(clip(reason, 1000)))


def is_missing(value: Any) -> bool:
    """Absent, null or NaN (pandas writes an empty cell so)."""
    return value is ABSENT or value is None or (isinstance(value, float) and math.isnan(value))


def describe(value: Any) -> str:
    """The kind of a JSON value, in words."""
    if value is ABSENT:
        return "missing"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isnan(value):
        return "NaN, as pandas writes an empty cell"
    if isinstance(value, (int, float)):
        return (
            f"a number ({clip(str(value) if value.__class__ is not int or abs(value) < 10**30 else 'a long one', 30)})"
        )
    if isinstance(value, str):
        return "text"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, (list, tuple)) else f"a {type(value).__name__}"


def clip(text: str, most: int = 80) -> str:
    """A piece of the file short enough for a message."""
    return text if len(text) <= most else f"{text[:most]}…"


def as_id(value: Any, field: str) -> str | None:
    """An id as text; None where the file gives none (missing or empty). Whole numbers lose a trailing .0."""
    if isinstance(value, str):
        return checked_text(value, field) or None
    if is_missing(value):
        return None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**40:
        return str(value)
    if isinstance(value, float) and abs(value) < 2**53:
        return str(int(value)) if value.is_integer() else repr(value)
    raise FieldError(field, f"is {describe(value)}, not an id: write it as text")


def checked_text(value: str, field: str) -> str:
    """The text unless it is absurdly long."""
    if len(value) > MAX_TEXT:
        raise FieldError(field, f"has {len(value):,} characters, more than {MAX_TEXT:,}")
    return value


def check_weight(value: Any, field: str) -> None:
    """A weight is a number >= 0, in tables also as text; nothing uses it yet."""
    if value is None or value is ABSENT or value == "":
        return
    number = value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            raise FieldError(field, f"is {clip(value, 30)!r}, not a number") from None
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise FieldError(field, f"is {describe(value)}, not a number")
    if not number >= 0 or number == math.inf:
        raise FieldError(field, f"is {clip(str(value), 30)}; it must be a number >= 0")


def as_tags(value: Any, field: str) -> Mapping[str, Any]:
    """An object of scalars; in tables its JSON text."""
    if is_missing(value) or value == "":
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value) if len(value) <= MAX_TEXT else None
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, Mapping):
        raise FieldError(field, 'is not an object of tags, for example {"camera": "7"}')
    tags = {}
    for name, entry in value.items():
        scalar = as_scalar(entry)
        if scalar is None and not is_missing(entry):
            raise FieldError(
                f"{field}.{clip(str(name), 40)}", f"is {describe(entry)}, not text, a number or true/false"
            )
        if scalar is not None:
            tags[str(name)] = checked_text(scalar, field) if isinstance(scalar, str) else scalar
    return tags


def as_scalar(value: Any) -> str | int | float | bool | None:
    """A value that may stand in a row; None for null, NaN, infinities, lists and objects."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return value
        return float(value) if abs(value) < 10**300 else None  # what a JSON reader with 64-bit integers makes of it
    if isinstance(value, float) and math.isfinite(value):
        return value
    return None


def mend(value: Any, notices: Notices) -> Any:
    """The value with half surrogate pairs, which no UTF-8 writer or tokenizer takes, replaced by U+FFFD."""
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            notices.add("lone_surrogate", f"half of a surrogate pair in {clip(ascii(value), 60)}")
            return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
        return value
    if isinstance(value, dict):
        return {mend(key, notices): mend(entry, notices) for key, entry in value.items()}
    if isinstance(value, list):
        return [mend(entry, notices) for entry in value]
    return value

"""Duplicate keys and deep nesting, which JSON parsers let pass, found at almost no cost."""

from __future__ import annotations

import json
from typing import Any

from handler.formats._contract import Notices
from handler.formats._limits import MAX_DEPTH
from handler.formats._values import clip


class TooDeepError(Exception):
    """The element is nested more than MAX_DEPTH levels."""

    def __init__(self) -> None:
        super().__init__(f"nested more than {MAX_DEPTH} levels deep")


def count_keys(value: Any, depth: int = 1) -> int:
    """Keys of all objects in the value. Raises TooDeepError."""
    if depth > MAX_DEPTH:
        raise TooDeepError
    if type(value) is dict:
        total = len(value)
        for entry in value.values():
            if type(entry) is dict or type(entry) is list:
                total += count_keys(entry, depth + 1)
        return total
    total = 0
    if type(value) is list:
        for entry in value:
            if type(entry) is dict or type(entry) is list:
                total += count_keys(entry, depth + 1)
    return total


def note_duplicates(text: str, line: int | None, notices: Notices) -> None:
    """Parse once more, slowly, and give a notice for each key that comes twice in one object."""

    def look(pairs: list[tuple[str, Any]]) -> None:
        seen = set()
        for key, _ in pairs:
            if key in seen:
                place = f" (line {line})" if line is not None else ""
                notices.add("duplicate_key", f"{clip(key)!r} comes twice in one object; the last value counts{place}")
            seen.add(key)

    json.loads(text, object_pairs_hook=look)

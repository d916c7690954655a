"""A dictionary that forgets everything when it has grown too large, except what is needed now."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

__all__ = ["Memory"]

MOST_ENTRIES = 65_536
MOST_CHARACTERS = 32_000_000  # of the texts held as keys

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memory(Generic[Key, Value]):
    """Results by the texts they belong to, bounded in number and in characters of those texts."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        self._most_entries = most_entries
        self._known: dict[Key, Value] = {}
        self._characters = 0

    def missing(self, keys: Iterable[Key]) -> list[Key]:
        """The distinct keys that are not known, in order."""
        return [key for key in dict.fromkeys(keys) if key not in self._known]

    def add(self, found: Mapping[Key, Value], characters: int, needed: Iterable[Key]) -> None:
        """Take in results whose keys hold so many characters; `needed` are kept when all else is forgotten."""
        if len(self._known) + len(found) > self._most_entries or self._characters + characters > MOST_CHARACTERS:
            self._known = {key: self._known[key] for key in needed if key in self._known}
            self._characters = 0
        self._known.update(found)
        self._characters += characters

    def __getitem__(self, key: Key) -> Value:
        return self._known[key]

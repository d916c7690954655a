"""A dictionary that forgets everything when it has grown too large."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

__all__ = ["Memory"]

MOST_ENTRIES = 65_536
MOST_CHARACTERS = 32_000_000  # of the texts held as keys

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memory(Generic[Key, Value]):
    """Results by the texts they belong to, bounded in number and in characters of those texts.

    Threads may share one: what `find` gave is the caller's, whatever another thread adds.
    """

    def __init__(self, most_entries: int = MOST_ENTRIES, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_entries = most_entries
        self._most_characters = most_characters
        self._known: dict[Key, Value] = {}
        self._characters = 0

    def find(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Those of the keys that are known."""
        known = self._known
        return {key: known[key] for key in keys if key in known}

    def add(self, found: Mapping[Key, Value], characters: int) -> None:
        """Take in results whose keys hold so many characters."""
        if len(self._known) + len(found) > self._most_entries or self._characters + characters > self._most_characters:
            self._known = {}
            self._characters = 0
        self._known.update(found)
        self._characters += characters

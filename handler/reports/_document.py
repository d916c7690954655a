"""A JSON document that Python users read as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Document"]


class Document(Mapping[str, Any]):
    """The content of a document, read only. location: its folder, None when nothing was written."""

    def __init__(self, document: Mapping[str, Any], *, location: str | None = None) -> None:
        self._document = document
        self.location = location

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

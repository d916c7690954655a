"""Question sets as JSON Lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from handler import storage

__all__ = ["write_lines"]


def write_lines(location: str, records: Iterable[Mapping[str, Any]]) -> int:
    """Write one object a line; returns how many. Raises StorageError."""
    n = 0
    with storage.open_write(location) as out:
        for record in records:
            out.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            n += 1
    return n

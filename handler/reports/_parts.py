"""Parts of a result: what was scored before time ran out, to be carried on by whoever comes next.

`parts/00000.samples.jsonl`, `.errors.jsonl` and `.json` (the state after it, written last) lie in the result folder until
the result is complete.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from typing import Any, BinaryIO, Self, cast

import orjson

from handler import storage
from handler.reports._folder import ResultFolder, RowWriter
from handler.samples import Unreadable

__all__ = ["Parts"]

ROTATE_AT = 64 << 20  # bytes of rows after which a part is put away
IN_MEMORY = 8 << 20  # bytes of a part held in memory before it moves to the temp directory
BLOCK = 1 << 20


class Parts:
    """The parts of one result folder, and a sink for rows. `state` is that of the last part put away."""

    def __init__(self, folder: ResultFolder) -> None:
        self._folder = folder
        self.state: dict[str, Any] | None = None
        self._n = 0
        while (state := self._read_state(self._n)) is not None:
            self.state = state
            self._n += 1
        self._rows, self._errors = _spool(), _spool()
        self._writer = RowWriter(self._rows, self._errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._rows.close()
        self._errors.close()

    def sample(self, row: Mapping[str, Any]) -> None:
        """Append a row of samples.jsonl."""
        self._writer.sample(row)

    def unreadable(self, error: Unreadable) -> None:
        """Append a row of errors.jsonl."""
        self._writer.unreadable(error)

    def is_full(self) -> bool:
        """Whether the part at hand is large enough to be put away."""
        return self._rows.tell() >= ROTATE_AT

    def put_away(self, state: Mapping[str, Any]) -> None:
        """Save the part at hand and the state after it, and begin the next one."""
        for name, stream in (("samples", self._rows), ("errors", self._errors)):
            with storage.open_write(self._location(self._n, f"{name}.jsonl")) as out:
                _copy(stream, out)
        storage.write_bytes(self._location(self._n, "json"), orjson.dumps(state))
        self._n += 1
        for stream in (self._rows, self._errors):
            stream.seek(0)
            stream.truncate()

    def assemble(self, *, failed: bool = False) -> None:
        """Write samples.jsonl and errors.jsonl from all parts and what is at hand; only errors.jsonl when it failed."""
        self._join("errors", self._errors)
        if not failed:
            self._join("samples", self._rows)

    def clear(self) -> None:
        """Remove the parts: the result is complete. The states go first, so that no half set is ever carried on."""
        for name in ("json", "samples.jsonl", "errors.jsonl"):
            for n in reversed(range(self._n)):
                storage.delete(self._location(n, name))
        self._n = 0

    def _join(self, name: str, at_hand: BinaryIO) -> None:
        with storage.open_write(storage.join(self._folder.location, f"{name}.jsonl")) as out:
            for n in range(self._n):
                with storage.open_read(self._location(n, f"{name}.jsonl")) as part:
                    shutil.copyfileobj(part, out, BLOCK)
            _copy(at_hand, out)

    def _read_state(self, n: int) -> dict[str, Any] | None:
        location = self._location(n, "json")
        if storage.stat(location) is None:
            return None
        state: dict[str, Any] = orjson.loads(storage.read_bytes(location))
        return state

    def _location(self, n: int, name: str) -> str:
        return storage.join(self._folder.location, "parts", f"{n:05d}.{name}")


def _spool() -> BinaryIO:
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(max_size=IN_MEMORY))


def _copy(spool: BinaryIO, out: BinaryIO) -> None:
    spool.seek(0)
    shutil.copyfileobj(spool, out, BLOCK)
    spool.seek(0, 2)

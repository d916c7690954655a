"""Parts of a result: what was scored before a run was stopped or killed, to be carried on by whoever comes next.

`parts/00000-RUN.samples.jsonl` and `.errors.jsonl`, and `parts/PROGRESS-RUN.json`, the state after the last of them and the
list of those before it, written last. A part is never written twice and every run has names of its own, so two runs of one
result never mix; whoever finishes first removes them all.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Self, cast

import orjson

from handler import storage
from handler.reports._folder import SAMPLES, RowWriter
from handler.samples import Unreadable

__all__ = ["Parts"]

ROTATE_AT = 64 << 20  # bytes of rows after which a part is put away
SAVE_EVERY_S = 20.0  # and seconds: what a kill can cost
IN_MEMORY = 8 << 20  # bytes of a part held in memory before it moves to the temp directory
BLOCK = 1 << 20


class Parts:
    """The parts of one result, kept under a location, and a sink for rows.

    resume: begin with what the run that got furthest put away; `state` is then that of its last part, else None.
    """

    def __init__(self, location: str, *, resume: bool) -> None:
        self._location = location
        _refuse_unwritable(location)
        self._run = secrets.token_hex(6)
        self._names: list[str] = []
        self._state_at: str | None = None
        self.state: dict[str, Any] | None = None
        if resume:
            self._carry_on()
        self._rows, self._errors = _spool(), _spool()
        self._writer = RowWriter(self._rows, self._errors)
        self._saved = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._rows.close()
        self._errors.close()

    def part(self, metrics: Mapping[str, Any]) -> bytes:
        """The row's `metrics` as `sample` takes it."""
        return self._writer.part(metrics)

    def sample(self, row: Mapping[str, Any], part: bytes) -> None:
        """Append a row of samples.jsonl."""
        self._writer.sample(row, part)

    def unreadable(self, error: Unreadable) -> None:
        """Append a row of errors.jsonl."""
        self._writer.unreadable(error)

    def is_full(self) -> bool:
        """Whether the part at hand is large or old enough to be put away."""
        return self._rows.tell() >= ROTATE_AT or time.monotonic() - self._saved >= SAVE_EVERY_S

    def put_away(self, state: Mapping[str, Any], progress: int) -> None:
        """Save the part at hand and the state after it, and begin the next one. progress: records read so far."""
        name = f"{len(self._names):05d}-{self._run}"
        for kind, stream in (("samples", self._rows), ("errors", self._errors)):
            with storage.open_write(self._at(f"{name}.{kind}.jsonl")) as out:
                _copy(stream, out)
        self._names.append(name)
        before, self._state_at = self._state_at, self._at(f"{progress:015d}-{self._run}.json")
        storage.write_bytes(self._state_at, orjson.dumps({"parts": self._names, "state": state}))
        if before is not None and before != self._state_at:
            storage.delete(before)
        for stream in (self._rows, self._errors):
            stream.seek(0)
            stream.truncate()
        self._saved = time.monotonic()

    def assemble(self, location: str, *, failed: bool = False) -> None:
        """Write samples.jsonl and errors.jsonl from all parts and what is at hand; only errors.jsonl when it failed."""
        self._join(location, "errors", self._errors)
        if not failed:
            self._join(location, "samples", self._rows)

    def clear(self) -> None:
        """Remove all parts: the result is complete. The states go first, so that no half set is ever carried on."""
        for state in self._states():
            storage.delete(state)
        storage.delete_tree(self._at(""))

    def _join(self, location: str, kind: str, at_hand: BinaryIO) -> None:
        with storage.open_write(storage.join(location, f"{kind}.jsonl")) as out:
            for name in self._names:
                with storage.open_read(self._at(f"{name}.{kind}.jsonl")) as part:
                    shutil.copyfileobj(part, out, BLOCK)
            _copy(at_hand, out)

    def _carry_on(self) -> None:
        """The furthest state that can be read; one that cannot is passed over for the next."""
        for location in sorted(self._states(), reverse=True):
            try:
                found = orjson.loads(storage.read_bytes(location))
                self._names, self.state = list(found["parts"]), found["state"]
                return
            except (storage.NotFoundError, orjson.JSONDecodeError, KeyError, TypeError):
                continue

    def _states(self) -> list[str]:
        try:
            return [info.location for info in storage.list_objects(self._at("")) if info.location.endswith(".json")]
        except storage.NotFoundError:
            return []

    def _at(self, name: str) -> str:
        return storage.join(self._location, "parts", name) if name else f"{storage.join(self._location, 'parts')}/"


class _NothingToWrite(Exception):  # noqa: N818 - no error: it ends a write that was only tried
    pass


def _refuse_unwritable(location: str) -> None:
    """A folder that cannot be written is better known before the work than after it. On S3 only a write would tell."""
    with suppress(_NothingToWrite), storage.open_write(storage.join(location, SAMPLES)):
        raise _NothingToWrite


def _spool() -> BinaryIO:
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(max_size=IN_MEMORY))


def _copy(spool: BinaryIO, out: BinaryIO) -> None:
    spool.seek(0)
    shutil.copyfileobj(spool, out, BLOCK)
    spool.seek(0, 2)

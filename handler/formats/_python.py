"""Python data -> records: lists, iterables and data frames hold the same things as files do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from handler.errors import InputError
from handler.formats._contract import Notices, ReadOptions
from handler.formats._frames import FrameReader
from handler.formats._limits import MAX_DEPTH
from handler.formats._objects import object_records
from handler.formats._table import table_plan, unique_names
from handler.formats._values import mend
from handler.samples import Record, Unreadable

_STEM = "data"
_ROWS_AT_ONCE = 10_000


def records_from_python(data: Any, options: ReadOptions, notices: Notices) -> Iterator[Record]:
    """The records in a list, iterable or generator of dicts (sessions, frames, streamed batches), in one dict, in
    pydantic-like objects, or in a pandas or polars DataFrame.

    There are no lines: a sample's default id is its 1-based position. Raises InputError for other things.
    """
    frames = FrameReader(None, _STEM, options, notices)
    if hasattr(data, "collect_schema") and not hasattr(data, "iter_rows"):
        raise InputError("a lazy frame holds no rows yet", hint="Pass frame.collect()")
    if hasattr(data, "columns") and (hasattr(data, "iter_rows") or hasattr(data, "iloc")):
        yield from _table_records(data, frames, options, notices)
        return
    for number, item in enumerate(_items(data), 1):
        plain = _plain(item)
        if plain is _TOO_DEEP:
            yield Unreadable(None, None, None, f"item {number} is nested more than {MAX_DEPTH} levels deep")
        else:
            yield from object_records(frames, mend(plain, notices), number, None)


def _items(data: Any) -> Iterable[Any]:
    if isinstance(data, Mapping) or hasattr(data, "model_dump"):
        return [data]
    if isinstance(data, (str, bytes, bytearray)) or not isinstance(data, Iterable):
        raise InputError(
            f"cannot read samples from a {type(data).__name__}",
            hint="Pass a list of dicts, a DataFrame, or the path of a file",
        )
    return data


def _table_records(frame: Any, frames: FrameReader, options: ReadOptions, notices: Notices) -> Iterator[Record]:
    columns = unique_names([str(name) for name in frame.columns])
    plan = table_plan(columns, frames.mapping, None, options.on_missing)
    frames.learn(plan)
    for number, row in enumerate(_rows(frame), 1):
        cells = {name: mend(_plain(cell), notices) for name, cell in zip(columns, row, strict=True)}
        yield frames.flat(cells, plan, number, None)


def _rows(frame: Any) -> Iterator[Iterable[Any]]:
    if hasattr(frame, "iter_rows"):
        yield from frame.iter_rows()
        return
    for start in range(0, len(frame), _ROWS_AT_ONCE):
        part = frame.iloc[start : start + _ROWS_AT_ONCE]
        columns = [part.iloc[:, n].astype(object).tolist() for n in range(part.shape[1])]
        yield from zip(*columns, strict=True)


_TOO_DEEP = object()


def _plain(value: Any, depth: int = 1) -> Any:
    """The value as a JSON reader would give it; every kind of "no value" becomes None."""
    kind = type(value)
    if kind is str or kind is bool or kind is int or value is None:
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if kind.__name__ in ("NAType", "NaTType"):
        return None
    if depth > MAX_DEPTH:
        return _TOO_DEEP
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    if isinstance(value, Mapping):
        entries = _all_plain(value.values(), depth + 1)
        return _TOO_DEEP if entries is None else dict(zip(map(str, value), entries, strict=True))
    if isinstance(value, (list, tuple)):
        entries = _all_plain(value, depth + 1)
        return _TOO_DEEP if entries is None else entries
    return _scalar(value, depth)


def _all_plain(values: Iterable[Any], depth: int) -> list[Any] | None:
    """All of them, or None at the first that is too deep: an object may hold itself twice, at every level."""
    found = []
    for value in values:
        plain = _plain(value, depth)
        if plain is _TOO_DEEP:
            return None
        found.append(plain)
    return found


def _scalar(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):  # numpy, also its arrays
        return _plain(value.tolist(), depth + 1)
    return value

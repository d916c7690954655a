"""The rows of samples.jsonl as a table that a spreadsheet opens without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from handler.reports._cells import guarded

__all__ = ["csv_lines"]

Rows = Iterable[Mapping[str, Any]]


def csv_lines(rows: Callable[[], Rows]) -> Iterator[str]:
    """A header and a line a row, ended by CRLF as in RFC 4180; `rows` is called twice: for the columns, then for the lines.

    Columns: index, session_id, assistant_id, sample_id, `tags.NAME`, `columns.NAME`, `METRIC.DETAIL`. Texts that a
    spreadsheet would take for a formula begin with an apostrophe (OWASP, CSV injection); numbers stay as they are;
    records inside a cell are JSON.
    """
    names = list(dict.fromkeys(name for row in rows() for name, _ in _cells(row)))
    kinds = list(dict.fromkeys(map(_kind, names)))
    order = sorted(names, key=lambda name: kinds.index(_kind(name)))
    yield _line([guarded(name) for name in order])
    for row in rows():
        cells = dict(_cells(row))
        yield _line([_written(cells.get(name)) for name in order])


def _kind(name: str) -> str:
    """What stands together: ids, tags, columns, each metric."""
    first, dot, _ = name.partition(".")
    if not dot:
        return ""
    return first if first in ("tags", "columns") else name.rpartition(".")[0]


def _cells(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in ("index", "session_id", "assistant_id", "sample_id"):
        yield key, row[key]
    for kind in ("tags", "columns"):
        for key, value in row.get(kind, {}).items():
            yield f"{kind}.{key}", value
    for metric, details in row["metrics"].items():
        for key, value in details.items():
            yield f"{metric}.{key}", value


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict) for one in value)):
        return guarded(orjson.dumps(value).decode())
    if isinstance(value, list):
        return guarded("; ".join(map(_written, value)))
    return guarded(str(value))


def _line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()

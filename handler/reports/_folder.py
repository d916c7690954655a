"""The result folder: report.json, samples.jsonl, errors.jsonl, report.html, or error.json when nothing could be scored.

report.json is written last: where it stands, the folder is complete.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import orjson

from handler import storage
from handler.errors import InputError, ScenescoreError
from handler.samples import Unreadable

__all__ = [
    "ERROR",
    "ERRORS",
    "PAGE",
    "REPORT",
    "REPORT_SCHEMA",
    "SAMPLES",
    "ResultFolder",
    "RowWriter",
    "dump_json",
    "dump_row",
    "error_row",
    "load_row",
    "load_sample",
]

REPORT_SCHEMA = "scenescore.report/1"
REPORT, SAMPLES, ERRORS, ERROR, PAGE = "report.json", "samples.jsonl", "errors.jsonl", "error.json", "report.html"


class RowWriter:
    """Streams rows of one evaluation."""

    def __init__(self, rows: BinaryIO, errors: BinaryIO) -> None:
        self._rows = rows
        self._errors = errors

    def part(self, metrics: Mapping[str, Any]) -> bytes:
        """The row's `metrics` as text, made once for all rows that share it."""
        return b',"metrics":' + _dump(metrics, 0).rstrip(b"\n") + b"}\n"

    def sample(self, row: Mapping[str, Any], part: bytes) -> None:
        """Append a row of samples.jsonl: what comes before its `metrics`, and those, which come last."""
        self._rows.write(_dump(row, 0).rstrip(b"\n")[:-1] + part)

    def unreadable(self, error: Unreadable) -> None:
        """Append a row of errors.jsonl."""
        self._errors.write(dump_row(error_row(error)))


class ResultFolder:
    """One folder, local or on S3, named by what was scored and how."""

    def __init__(self, location: str) -> None:
        self.location = location

    def report(self) -> dict[str, Any] | None:
        """The finished report; None when there is none yet, or when the folder is no longer whole."""
        if any(storage.stat(storage.join(self.location, name)) is None for name in (REPORT, SAMPLES, ERRORS)):
            return None
        try:
            found = load_row(storage.read_bytes(storage.join(self.location, REPORT)))
        except ValueError:
            return None
        return found if isinstance(found, dict) and found.get("schema") == REPORT_SCHEMA else None

    def write_report(self, document: Mapping[str, Any]) -> None:
        """Finish the folder. An earlier report stands until this moment: it says the same."""
        storage.write_bytes(storage.join(self.location, REPORT), dump_json(document))
        self._remove(ERROR)

    def write_error(self, error: ScenescoreError) -> None:
        """Say why there is no report, unless there is one."""
        error.written_to = self.location
        if self.report() is None:
            storage.write_bytes(storage.join(self.location, ERROR), dump_json(error.document()))
            self._remove(REPORT)
            self._remove(PAGE)

    def samples(self) -> Iterator[dict[str, Any]]:
        """The rows of samples.jsonl, as a stream."""
        yield from (load_sample(line, number) for number, line in enumerate(self.lines(SAMPLES), 1))

    def errors(self) -> Iterator[dict[str, Any]]:
        """The rows of errors.jsonl, as a stream."""
        yield from map(load_row, self.lines(ERRORS))

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a file of the folder, as a stream."""
        with storage.open_read(storage.join(self.location, name)) as stream:
            yield from stream

    def _remove(self, name: str) -> None:
        path = storage.join(self.location, name)
        if storage.stat(path) is not None:  # a role that may not delete need not, where there is nothing
            storage.delete(path)


def error_row(error: Unreadable) -> dict[str, Any]:
    """A row of errors.jsonl."""
    return {"line": error.line, "column": error.column, "field": error.field, "reason": error.reason}


def load_row(line: bytes) -> Any:
    """What `dump_row` and `dump_json` wrote, half characters included. Raises ValueError for anything else."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return json.loads(line)


def load_sample(line: bytes, number: int) -> Any:
    """A row of samples.jsonl. Raises InputError with its number for what is no row."""
    try:
        return load_row(line)
    except ValueError as error:
        raise InputError(
            "the row cannot be read",
            file=SAMPLES,
            line=number,
            hint="The result is damaged: evaluate again with --force",
        ) from error


def dump_row(row: Mapping[str, Any]) -> bytes:
    """One line of JSON Lines. NaN and infinity become null."""
    return _dump(row, orjson.OPT_APPEND_NEWLINE)


def dump_json(document: Mapping[str, Any]) -> bytes:
    """An indented JSON document. NaN and infinity become null."""
    return _dump(document, orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _dump(value: Mapping[str, Any], option: int) -> bytes:
    try:
        return orjson.dumps(value, option=option | orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:  # a half character, as in the name of a file that is not UTF-8
        indent = 2 if option & orjson.OPT_INDENT_2 else None
        return json.dumps(value, ensure_ascii=True, indent=indent, default=repr).encode() + b"\n"

"""The results that are compared: folders on disk or S3, or reports in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from handler import storage
from handler.errors import InputError, RequestError
from handler.reports import SAMPLES, Report, find_result
from handler.samples import UNKNOWN_ASSISTANT

__all__ = ["Run", "names_of", "open_run"]


MAX_NAME = 24  # characters; the names that result folders are given are longer, and say nothing to a person


@dataclass(frozen=True, slots=True)
class Run:
    """One result. lines: the rows of samples.jsonl as bytes, in order. read: one of them by first byte and length."""

    document: Mapping[str, Any]
    location: str | None
    lines: Callable[[], Iterable[bytes]]
    read: Callable[[int, int], bytes]

    @property
    def assistants(self) -> list[str]:
        """Who answered, in order of appearance."""
        sessions = (one for metric in self.document["metrics"].values() for one in metric["sessions"])
        return list(dict.fromkeys(one["assistant_id"] for one in sessions))

    @property
    def sessions(self) -> set[str]:
        """The names of its sessions."""
        return {str(one["session_id"]) for metric in self.document["metrics"].values() for one in metric["sessions"]}

    @property
    def input_name(self) -> str:
        """What was scored."""
        return str(self.document["input"]["name"])

    def texts(self) -> dict[int, dict[str, Any]]:
        """The samples whose texts the report quotes, by their index: its lists of worst samples."""
        return {one["index"]: one for metric in self.document["metrics"].values() for one in metric["worst"]}


def open_run(given: Any) -> Run:
    """A result folder, the folder above it (its newest result), a report.json, or a Report.

    Raises InputError where there is no finished result, RequestError for something else.
    """
    if isinstance(given, Report):
        return open_run(given.location) if given.location else _in_memory(given)
    if not isinstance(given, str | os.PathLike):
        raise RequestError(f"a result is a folder or a Report, got {type(given).__name__}", field="runs")
    folder = find_result(os.fspath(given))
    document = folder.report()
    if document is None:
        raise InputError(
            "the result is not complete, or of another version",
            file=folder.location,
            hint="Run `scenescore evaluate` again",
        )
    rows = storage.join(folder.location, SAMPLES)

    def read(start: int, length: int) -> bytes:
        with storage.open_read(rows, start, start + length) as stream:
            return stream.read()

    return Run(document, folder.location, lambda: folder.lines(SAMPLES), read)


def names_of(runs: list[Run]) -> list[str]:
    """A short name for each: its only assistant where that has a name, its input or its folder, whichever tells them all
    apart; else a letter."""
    ways: list[list[str]] = [
        [
            run.assistants[0] if len(run.assistants) == 1 and run.assistants != [UNKNOWN_ASSISTANT] else ""
            for run in runs
        ],
        [run.input_name for run in runs],
        [storage.name_of(run.location or "") for run in runs],
    ]
    for names in ways:
        if all(0 < len(name) <= MAX_NAME for name in names) and len(set(names)) == len(runs):
            return names
    return [chr(ord("A") + place) if place < 26 else f"run {place + 1}" for place in range(len(runs))]


def _in_memory(report: Report) -> Run:
    rows = report.samples

    def lines() -> Iterator[bytes]:
        for row in rows:
            try:
                yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
            except TypeError:  # half characters
                yield json.dumps(row).encode() + b"\n"

    def read(start: int, length: int) -> bytes:
        return next(line for place, line in _placed(lines()) if place == start)

    return Run(dict(report), None, lines, read)


def _placed(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    start = 0
    for line in lines:
        yield start, line
        start += len(line)

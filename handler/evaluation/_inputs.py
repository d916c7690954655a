"""An input location -> the objects to read: one, or all annotation files under a folder or prefix."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from handler import storage
from handler.errors import RequestError, StorageError
from handler.formats import (
    SUFFIXES,
    LineMarks,
    Notices,
    Place,
    Plan,
    ReadOptions,
    is_video,
    open_descriptions,
    read_plan,
    stem_of,
)
from handler.reports import ERROR, ERRORS, LATEST, LATEST_KIND, REPORT, SAMPLES
from handler.samples import Record, Sample, Unreadable

__all__ = ["SIDECAR", "Start", "find_files", "input_bytes", "is_annotation", "read_descriptions", "read_files"]

SIDECAR = ".scenescore.json"
GZIP_GROWTH = 8
RESULT_FILES = {REPORT, SAMPLES, ERRORS, ERROR}


def find_files(location: str) -> Iterator[storage.ObjectInfo]:
    """The object itself, or the annotation files under it, else the videos, in order of their names. Raises StorageError
    for none.

    Under a folder, a file counts by its suffix (SUFFIXES, each also with .gz); requests beside
    the data (.scenescore.json) and earlier results do not. A file named by itself may be called anything.
    """
    found = None if location.endswith("/") else storage.stat(location)
    if found is not None and location.endswith(SIDECAR):
        raise RequestError(
            "this is a request for uploads, not data",
            field="input",
            hint="Give its input and options on the command line",
        )
    if found is not None:
        yield found
        return
    if storage.is_remote(location) or Path(location).is_dir():
        prefix = location if location.endswith("/") else f"{location}/"
        listed = list(storage.list_objects(prefix))
        files = [info for info in listed if is_annotation(info.location) and not _is_result(info.location)]
        files = files or [info for info in listed if is_video(info.location)]
        if files:
            yield from files
            return
        if not storage.is_remote(location):
            raise StorageError(
                "there is no annotation file and no video in this folder",
                file=location,
                hint=f"Looked for {', '.join(SUFFIXES)}",
            )
    if not storage.is_remote(location) and Path(location).exists():
        raise StorageError(
            "this is a pipe or device, which can be read only once", file=location, hint="Use - for stdin"
        )
    kind = "object, and none under this prefix" if storage.is_remote(location) else "file"
    raise storage.NotFoundError(f"there is no such {kind}", file=location, hint="Check the name")


def input_bytes(location: str) -> int:
    """About how many bytes there are to read: gzip is taken to hold eight times its size, as such files mostly do."""
    return sum(info.size * (GZIP_GROWTH if info.location.endswith(".gz") else 1) for info in find_files(location))


def _is_result(location: str) -> bool:
    """Whether this is a file of ours: in a folder named CONTENT-REQUEST, or a pointer to one."""
    *_, folder, name = ["", *location.split("/")]
    if name == LATEST:
        return LATEST_KIND.encode() in storage.read_bytes(location)[:4096]
    return name in RESULT_FILES and re.fullmatch(r".+-[0-9a-f]{12}", folder) is not None


def read_files(
    files: Sequence[storage.ObjectInfo], options: ReadOptions, notices: Notices, plan: Plan | None
) -> Iterator[Record]:
    """The records of all files, as if they were one: indexes run on, and an unreadable item names its file.

    plan: how answers to questions are read, None for descriptions.
    """
    if plan is not None:
        yield from read_plan(plan, [(info.location, info.etag) for info in files], options, notices)
        return
    for _, record in read_descriptions(files, options, notices):
        yield record


class Start(NamedTuple):
    """Where in the files of an input a reading begins.

    file: its number, from 0. place: where in it, None for its beginning. skip: records passed over from there on. samples:
    in all that lies before, which is the index of the first one.
    """

    file: int = 0
    place: Place | None = None
    skip: int = 0
    samples: int = 0


def read_descriptions(
    files: Sequence[storage.ObjectInfo],
    options: ReadOptions,
    notices: Notices,
    *,
    start: Start | None = None,
    marks: Sequence[LineMarks] | None = None,
) -> Iterator[tuple[int, Record]]:
    """The records of descriptions with the number of the file each is in. marks: one per file, to be filled."""
    start = start or Start()
    n = start.samples
    stems: dict[str, str] = {}
    for number, info in enumerate(files[start.file :], start.file):
        stem = stem_of(storage.name_of(info.location))
        if stems.setdefault(stem, info.location) != info.location:
            notices.add("same_file_name", f"{stems[stem]} and {info.location} share the default session {stem!r}")
        place, skip = (start.place, start.skip) if number == start.file else (None, 0)
        mark = marks[number] if marks is not None else None
        records = open_descriptions(info.location, options, notices, if_match=info.etag, place=place, marks=mark)
        for record in itertools.islice(records, skip, None):
            if isinstance(record, Sample):
                record.index = n
                n += 1
            elif isinstance(record, Unreadable) and len(files) > 1:
                record.reason = f"{storage.name_of(info.location)}: {record.reason}"
            yield number, record


def is_annotation(location: str) -> bool:
    """Whether a file's name says that it may hold annotations."""
    name = storage.name_of(location).lower().removesuffix(".gz")
    return name.endswith(SUFFIXES) and not name.endswith(SIDECAR)

"""The room's verbs: open, detect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handler.formats._contract import Detection, Notices, ReadOptions, Source
from handler.formats._detect import READERS, check_format, detect_source, first_keys
from handler.formats._opening import open_source
from handler.formats._places import LineMarks, Place
from handler.formats._table import shape_of
from handler.formats.tasks import Plan, form_of, is_video, plan_files, read_plan
from handler.samples import Record


def detect(location: str, options: ReadOptions | None = None) -> Detection:
    """What the file is and how it would be read, the files beside it considered.

    Raises InputError, StorageError or RequestError.
    """
    options = options or ReadOptions()
    plan = plan_files((location,), options)
    if plan is not None:
        return _detection_of(plan, options)
    with open_source(location, options) as source:
        return detect_source(source, options)


def plan_of(files: Sequence[str], options: ReadOptions) -> Plan | None:
    """How files are read that hold answers to questions; None for descriptions. Looks at the first of several files."""
    check_format(options.format)
    return plan_files(tuple(files), options) if files else None


def open_records(
    location: str, options: ReadOptions, notices: Notices, *, if_match: str | None = None
) -> Iterator[Record]:
    """The records of a file in its order, read as they are asked for.

    if_match: the etag an S3 object must have, so that what is scored is what was named.
    Raises InputError where the file, or the rest of it, cannot be read; StorageError when it is not there; RequestError
    for options that do not exist. Nothing is opened before the first record is asked for.
    """
    plan = plan_files((location,), options)
    if plan is not None:
        yield from read_plan(plan, [(location, if_match)], options, notices)
        return
    yield from open_descriptions(location, options, notices, if_match=if_match)


def open_descriptions(
    location: str,
    options: ReadOptions,
    notices: Notices,
    *,
    if_match: str | None = None,
    place: Place | None = None,
    marks: LineMarks | None = None,
) -> Iterator[Record]:
    """`open_records` for a file that is known to hold descriptions.

    place: where to begin; what lies before it is not read. marks: takes in where lines begin, if the file is of a kind that
    can be entered at a line.
    """
    with open_source(location, options, if_match, place) as source:
        detection = detect_source(source, options)
        if marks is not None and _has_lines(source, detection):
            newline = shape_of(source.head.decode("utf-8", "ignore"), {}).newline if detection.format == "csv" else "\n"
            source = replace(source, chunks=marks.watch(source.chunks, source.skipped, newline))
        yield from READERS[detection.format].read(source, options, notices)


def _has_lines(source: Source, detection: Detection) -> bool:
    """Whether an item of the file is at the same bytes of it, whatever came before."""
    return detection.format in ("jsonl", "csv") and source.compression is None and source.encoding == "utf-8"


def _detection_of(plan: Plan, options: ReadOptions) -> Detection:
    with open_source(plan.answers[0], options) as source:
        head = source.head.decode("utf-8", "replace")
        shape = shape_of(head, {}) if form_of(head) == "table" and not is_video(plan.answers[0]) else None
        return Detection(
            plan.layout.name,
            source.compression,
            source.encoding,
            shape.delimiter if shape else None,
            shape.has_header if shape else None,
            shape.columns if shape else first_keys(head),
            plan.reason,
            holds=plan.kind.holds,
            noun=plan.kind.noun,
            roles=plan.roles,
        )

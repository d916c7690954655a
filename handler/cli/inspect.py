"""`scenescore inspect`: what a file holds, how it would be read and why, and what to type next."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from handler.cli._options import add_reading, mapping, print_json, reading_words
from handler.counting import many
from handler.evaluation import find_files
from handler.formats import Inspection, ReadOptions, TextLengths, inspect_records, is_video
from handler.reports import dump_json

__all__ = ["add_arguments", "run"]


VERDICTS = "human_verdict"  # the column that `scenescore calibrate` reads
LENIENT = ("query", "caption")
"""What is scored or skipped without being asked when a side is missing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("input", metavar="INPUT", help="a file or folder: a path or s3:// uri")
    add_reading(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON document")


def run(options: argparse.Namespace) -> int:
    """Read the file once and print what is in it."""
    reading = ReadOptions(
        format=options.format,
        mapping=mapping(options.map),
        encoding=options.encoding,
        questions=options.questions,
        references=options.references,
    )
    files = list(find_files(options.input))
    if len(files) > 1 and not options.json and all(is_video(info.location) for info in files):
        _print(_as_one([inspect_records(info.location, reading) for info in files], options.input), options)
        return 0
    for number, info in enumerate(files):
        found = inspect_records(info.location, reading)
        if options.json:
            print_json(dump_json(asdict(found)))
            continue
        print("\n" * bool(number), end="")
        _print(found, options)
    return 0


def _print(found: Inspection, options: argparse.Namespace) -> None:
    for label, text in _facts(found):
        print(f"{label:<12} {text}")
    print(f"\nNext: {_next_step(found, options)}")


def _as_one(clips: Sequence[Inspection], folder: str) -> Inspection:
    """A folder of clips is one input, and one session."""
    first = clips[0]
    n = sum(one.n_samples for one in clips)
    return replace(
        first,
        location=folder,
        file_bytes=sum(one.file_bytes or 0 for one in clips),
        detection=replace(first.detection, roles={"clips": f"{clips[0].location} to {clips[-1].location}"}),
        n_samples=n,
        languages={"": n},
    )


def _facts(found: Inspection) -> Iterator[tuple[str, str]]:
    detection = found.detection
    parts = [detection.format, detection.encoding, detection.compression, _table(detection.delimiter)]
    yield "file", f"{found.location} ({found.file_bytes:,} bytes)" if found.file_bytes is not None else found.location
    yield "read as", ", ".join(part for part in parts if part)
    yield "because", detection.reason
    yield from detection.roles.items()
    more = "at least " if found.bounded else ""
    if detection.roles:
        yield "task", detection.holds
    yield "holds", f"{many(found.n_samples, found.detection.noun)} in {more}{many(found.n_sessions, 'session')}"
    if detection.noun == "video":  # it has neither texts of its own nor their language
        yield from _troubles(found)
        return
    yield "texts", f"{more}{found.n_distinct_texts:,} distinct"
    for name, lengths in (("answers", found.answer_lengths), ("references", found.reference_lengths)):
        if lengths:
            yield name, _lengths(lengths)
    if found.languages:
        yield "languages", ", ".join(f"{name or 'undeclared'}: {n:,}" for name, n in found.languages.items())
    yield from _troubles(found)


def _troubles(found: Inspection) -> Iterator[tuple[str, str]]:
    noun = found.detection.noun
    for field, n in found.missing.items() if noun != "video" else ():
        yield "missing", f"{field} in {many(n, noun)}"
    for field, n in found.blank.items():
        yield "blank", f"{field} in {many(n, noun)}"
    if found.n_empty_sessions:
        yield "empty", f"{many(found.n_empty_sessions, 'session')} without frames: {', '.join(found.empty_sessions)}"
    if found.n_unreadable:
        yield "unreadable", many(found.n_unreadable, "item")
        for one in found.unreadable:
            place = f"line {one.line}"
            yield "", one.reason if one.line is None or one.reason.startswith(place) else f"{place}: {one.reason}"
    for code, examples in found.notices.examples.items():
        yield "notice", f"{code.replace('_', ' ')}, {many(found.notices.counts[code], 'time')}, e.g. {examples[0]}"
    if found.unknown_fields:
        yield "unused", f"fields no metric reads, kept for --group-by: {', '.join(found.unknown_fields)}"


def _lengths(lengths: TextLengths) -> str:
    return f"{lengths.minimum:,} to {lengths.maximum:,} characters, median {lengths.median:,}"


def _table(delimiter: str | None) -> str | None:
    names = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
    return f"columns split by {names.get(delimiter, delimiter)}" if delimiter else None


def _next_step(found: Inspection, options: argparse.Namespace) -> str:
    """The command to type, or what to tell us first where a field is missing everywhere."""
    words: list[Any] = ["scenescore", "evaluate", options.input]
    if found.detection.noun != "video":
        words[2] = found.detection.roles.get("answers", words[2])
    for role in ("questions", "references"):
        if role in found.detection.roles:
            words += [f"--{role}", found.detection.roles[role]]
    words += reading_words(options)
    if found.detection.noun == "video":
        return f"{shlex.join(words)} --detector DIR   (or --metrics temporal_flickering, which needs no model)"
    nowhere = [field for field, n in found.missing.items() if n == found.n_samples]
    if nowhere:
        there = ", ".join(found.unknown_fields or found.detection.columns) or "none"
        fields = " ".join(f"--map {field}=COLUMN" for field in nowhere)
        command = f"{shlex.join(words)} {fields}"
        apart = "references" in nowhere and "references" not in found.detection.roles
        file = "; --questions FILE or --references FILE where people's are in a file of their own" if apart else ""
        return f"no {found.detection.noun} has {' or '.join(nowhere)}; say where: {command} (there is: {there}){file}"
    if found.missing and found.detection.noun not in LENIENT:
        words += ["--on-missing", "skip"]
    if found.n_unreadable:
        share = found.n_unreadable / (found.n_samples + found.n_unreadable)
        words += ["--max-error-rate", f"{min(1.0, share + 0.01):.2f}"]
    judged = f"   (then calibrate: {VERDICTS} holds people's verdicts)" if VERDICTS in found.unknown_fields else ""
    return shlex.join(words) + judged

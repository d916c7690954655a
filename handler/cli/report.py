"""`scenescore report`: a result folder as a page, as Markdown or as a table, without scoring anything again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from handler import storage
from handler.decisions import read_calibration
from handler.errors import InputError, RequestError, one_line
from handler.reports import ResultFolder, find_decision, find_result, read_document
from handler.reports.page import PAGE, csv_lines, decision_page, html_of, markdown

__all__ = ["add_arguments", "run"]

CALIBRATION = "scenescore.calibration/1"
SCHEMAS = {CALIBRATION: "calibration", "scenescore.comparison/1": "comparison"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add(
        "place",
        metavar="RESULT",
        help="a result folder, or the folder above it (its newest result); or a calibration or comparison; path or s3://",
    )
    add(
        "--format", choices=["html", "md", "csv"], default="html", help="a page, GitHub-flavoured Markdown, rows (html)"
    )
    add("--with", dest="beside", action="append", default=[], metavar="FILE", help="also show this calibration.json or "
        "comparison.json on the page; repeatable")  # fmt: skip
    add(
        "--output",
        metavar="FILE",
        help="where to write, a path or s3:// uri, or - for stdout (beside it; md, csv: stdout)",
    )


def run(options: argparse.Namespace) -> int:
    """Write it, and say where."""
    if options.beside and options.format != "html":
        raise RequestError("--with adds to the page only", field="with", hint="Leave --format out")
    decision = find_decision(options.place)
    if decision is not None:
        return _decision(options, decision)
    folder = find_result(options.place)
    report = folder.report()
    if report is None:
        raise InputError("the result is not complete", file=folder.location, hint="Run `scenescore evaluate` again")
    beside = storage.join(folder.location, PAGE) if options.format == "html" else "-"
    _write(_parts(options.format, folder, {**report, **_beside(options.beside)}), options.output or beside)
    return 0


def _decision(options: argparse.Namespace, location: str) -> int:
    if options.format != "html" or options.beside:
        raise RequestError("a calibration or comparison has a page only", field="format", hint="Leave --format out")
    html = decision_page(_checked(location)).encode()
    _write([html], options.output or f"{location.removesuffix('.json')}.html")
    return 0


def _beside(files: Iterable[str]) -> dict[str, Any]:
    """{calibration or comparison: the document}. Raises InputError for another kind."""
    found: dict[str, Any] = {}
    for file in files:
        document = _checked(file)
        kind = SCHEMAS.get(document.get("schema", ""))
        if kind is None:
            raise InputError(f"its schema is none of {', '.join(SCHEMAS)}", file=file, field="schema")
        found[kind] = document
    return found


def _checked(location: str) -> Mapping[str, Any]:
    """A document; a calibration is shown only where `evaluate` would use it. Raises InputError for one that was changed."""
    document = read_document(location)
    return read_calibration(location).document if document.get("schema") == CALIBRATION else document


def _parts(kind: str, folder: ResultFolder, report: Mapping[str, Any]) -> Iterable[bytes]:
    if kind == "html":
        return [html_of(folder, report)]
    if kind == "md":
        return [markdown(report).encode()]
    return (line.encode(errors="backslashreplace") for line in csv_lines(folder.samples))


def _write(parts: Iterable[bytes], output: str) -> None:
    if output == "-":
        sys.stdout.flush()
        for part in parts:
            sys.stdout.buffer.write(part)
        sys.stdout.flush()
        return
    with storage.open_write(output) as stream:
        for part in parts:
            stream.write(part)
    print(f"Report: {one_line(output)}")

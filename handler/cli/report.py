"""`scenescore report`: a result folder as a page, as Markdown or as a table, without scoring anything again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from handler import storage
from handler.errors import InputError, one_line
from handler.reports import ResultFolder, find_result
from handler.reports.page import PAGE, csv_lines, html_of, markdown

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add("folder", metavar="DIR", help="a result folder, or the folder above it (its newest result): a path or s3:// uri")
    add("--format", choices=["html", "md", "csv"], default="html", help="a page, GitHub-flavoured Markdown, rows (html)")
    add("--output", metavar="FILE", help="where to write, a path or s3:// uri, or - for stdout (DIR/report.html; stdout)")


def run(options: argparse.Namespace) -> int:
    """Write it, and say where."""
    folder = find_result(options.folder)
    report = folder.report()
    if report is None:
        raise InputError("the result is not complete", file=folder.location, hint="Run `scenescore evaluate` again")
    output = options.output or (storage.join(folder.location, PAGE) if options.format == "html" else "-")
    parts = _parts(options.format, folder, report)
    if output == "-":
        sys.stdout.flush()
        for part in parts:
            sys.stdout.buffer.write(part)
        sys.stdout.flush()
        return 0
    with storage.open_write(output) as stream:
        for part in parts:
            stream.write(part)
    print(f"Report: {one_line(output)}")
    return 0


def _parts(kind: str, folder: ResultFolder, report: Mapping[str, Any]) -> Iterable[bytes]:
    if kind == "html":
        return [html_of(folder, report)]
    if kind == "md":
        return [markdown(report).encode()]
    return (line.encode(errors="backslashreplace") for line in csv_lines(folder.samples))

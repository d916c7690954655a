"""Comma, semicolon, tab or pipe separated text: one frame a row."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from handler.counting import many
from handler.errors import InputError
from handler.formats._contract import Notices, ReadOptions, Source
from handler.formats._frames import FrameReader
from handler.formats._limits import MAX_TEXT
from handler.formats._table import Shape, shape_of, table_plan
from handler.formats._text import text_lines
from handler.samples import Record, Unreadable


class TableReader:
    """A table. All cells are text: `NA` and `null` are words, an empty cell is an empty text."""

    name = "csv"

    def read(self, source: Source, options: ReadOptions, notices: Notices) -> Iterator[Record]:
        """Records in file order. Raises InputError when columns are missing or a quote is never closed."""
        frames = FrameReader(source.name, source.stem, options, notices)
        shape = shape_of(source.head.decode("utf-8", "ignore"), frames.mapping)
        plan = table_plan(shape.columns, frames.mapping, source.name, options.on_missing)
        frames.learn(plan)
        if not shape.has_header:
            notices.add("no_header", "the first row is read as data")
        columns, width = shape.columns, len(shape.columns)
        for line, row in _data_rows(source, shape):
            if type(row) is not list:
                yield Unreadable(line, None, None, _words(str(row)))
            elif len(row) == width:
                yield frames.flat(dict(zip(columns, row, strict=True)), plan, line, line)
            elif row:
                few = (
                    "too few: a cell is missing" if len(row) < width else "too many: quote cells that hold a delimiter"
                )
                yield Unreadable(
                    line, None, None, f"line {line} has {many(len(row), 'cell')} for {many(width, 'column')}, {few}"
                )


def table_rows(source: Source) -> Iterator[tuple[int, dict[str, str] | Unreadable]]:
    """Rows as they are, by column name, with the line each starts on; all cells are text."""
    shape = shape_of(source.head.decode("utf-8", "ignore"), {})
    columns = shape.columns
    for line, row in _data_rows(source, shape):
        if type(row) is not list:
            yield line, Unreadable(line, None, None, _words(str(row)))
        elif row and len(row) != len(columns):
            reason = f"line {line} has {many(len(row), 'cell')} for {many(len(columns), 'column')}"
            yield line, Unreadable(line, None, None, reason)
        elif row:
            yield line, dict(zip(columns, row, strict=True))


def _data_rows(source: Source, shape: Shape) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Rows after the header with the line each starts on; an error in place of a row that is no valid CSV."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_TEXT))
    lines = text_lines(source, shape.newline)
    if source.place is not None:
        skipped, header_rows = source.place.line - 1, 1
    else:
        skipped, header_rows = (1 if shape.sep_line and next(lines, None) is not None else 0), 0
    rows = csv.reader(lines, delimiter=shape.delimiter, strict=True)
    before = 0
    while True:
        try:
            for row in rows:
                line, before = before + 1 + skipped, rows.line_num
                if row and shape.has_header and not header_rows:
                    header_rows = 1
                    continue
                yield line, row
            return
        except csv.Error as error:
            line, before = before + 1 + skipped, rows.line_num
            words = str(error)
            if "unexpected end" in words or "field limit" in words:
                raise InputError(
                    f"a quote opened in the row at line {line} is not closed"
                    + ("" if "unexpected" in words else f" within {MAX_TEXT:,} characters"),
                    file=source.name,
                    line=line,
                    hint='Inside a quoted cell write a quote twice: ""',
                ) from error
            yield line, error


def _words(message: str) -> str:
    if "expected after" in message:
        return 'text follows a closing quote: inside a quoted cell write a quote twice: ""'
    return f"not valid CSV: {message}"

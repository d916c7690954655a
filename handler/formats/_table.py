"""The shape of delimited text: delimiter, header, columns; and the plan for its rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from handler.counting import many
from handler.errors import InputError
from handler.formats._fields import FLAT_NAMES, KNOWN_NAMES, AmbiguousError, FramePlan, listed, make_plan, normal

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
_SEP_LINE = re.compile(r'"?sep=(.)"?[ \t]*(\r\n|\n|\r)', re.IGNORECASE)
_SAMPLED_ROWS = 20


@dataclass(frozen=True, slots=True)
class Shape:
    """How the text divides. columns: unique names, "#n" where there is no name. sep_line: Excel's `sep=;` comes first."""

    delimiter: str
    newline: str
    has_header: bool
    columns: tuple[str, ...]
    sep_line: bool

    @property
    def reason(self) -> str:
        """Why, in plain words."""
        header = "the first row names the columns" if self.has_header else "the first row is data, not names"
        said = "the file's sep= line says so" if self.sep_line else "it divides the rows most evenly"
        name = _DELIMITERS.get(self.delimiter, repr(self.delimiter))
        return f"text with {many(len(self.columns), 'column')}; delimiter {name}: {said}; {header}"


def shape_of(head: str, mapping: Mapping[str, str]) -> Shape:
    """Look at the first rows. mapping: only "#n" columns allow a table without a header."""
    marked = _SEP_LINE.match(head)
    text = head[marked.end() :] if marked else head
    newline = "\r" if "\n" not in text and "\r" in text else "\n"
    delimiter = marked[1] if marked else max(_DELIMITERS, key=lambda d: _evenness(text, d, newline))
    if delimiter in '"\r\n ':
        delimiter = ","
    first = next((row for row in _rows(text, delimiter, newline) if row), [])
    has_header = not _only_positions(mapping) or _names_columns(first)
    columns = unique_names(first) if has_header else tuple(f"#{n}" for n in range(1, len(first) + 1))
    return Shape(delimiter, newline, has_header, columns, marked is not None)


def sample_rows(head: str) -> list[dict[str, str]]:
    """The first rows by column name, those that fit the header. head: the first part of the text."""
    shape = shape_of(head, {})
    marked = _SEP_LINE.match(head)
    rows = [row for row in _rows(head[marked.end() :] if marked else head, shape.delimiter, shape.newline) if row]
    whole = [row for row in rows[shape.has_header :] if len(row) == len(shape.columns)]
    return [dict(zip(shape.columns, row, strict=True)) for row in whole] or [dict.fromkeys(shape.columns, "")]


def table_plan(
    columns: Sequence[str],
    mapping: Mapping[str, str],
    file: str | None,
    on_missing: Literal["error", "skip"],
) -> FramePlan:
    """The plan for all rows. Raises InputError when no column can hold the answer or the references."""
    plan = make_plan(columns, FLAT_NAMES, mapping, file, positions=True)
    repeated = [c for c in plan.columns if (base := _base(c)) != c and FLAT_NAMES.get(normal(base)) and base in columns]
    if repeated:
        field = FLAT_NAMES[normal(_base(repeated[0]))]
        raise AmbiguousError(
            f"two columns are named {_base(repeated[0])!r}",
            file=file,
            field=field,
            hint=f"Choose with --map {field}=#N, counting columns from 1",
        )
    absent = [f for f, found in (("answer", plan.answer), ("references", plan.references)) if not found]
    if absent and (on_missing == "error" or len(absent) == 2):
        raise InputError(
            f"no column holds the {' or the '.join(absent)}",
            file=file,
            line=None if file is None else 1,
            field=absent[0],
            hint=f"Columns: {listed(columns)}. Choose with --map {absent[0]}=COLUMN, or =#N for a table without a header",
        )
    return plan


def _rows(text: str, delimiter: str, newline: str) -> list[list[str]]:
    lines = (line + newline for line in text.split(newline))
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(islice(csv.reader(lines, delimiter=delimiter), _SAMPLED_ROWS))
    return rows


def _evenness(text: str, delimiter: str, newline: str) -> tuple[int, float, int]:
    """How well a delimiter fits: known column names in the first row, rows as wide as it, its width."""
    rows = [row for row in _rows(text, delimiter, newline) if row]
    if not rows or len(rows[0]) < 2:
        return (0, 0.0, 0)
    width = len(rows[0])
    even = sum(len(row) == width for row in rows) / len(rows)
    return (sum(normal(cell) in KNOWN_NAMES for cell in rows[0]), even, width)


def _only_positions(mapping: Mapping[str, str]) -> bool:
    return bool(mapping) and all(re.fullmatch(r"#\d+(\s*,\s*#\d+)*", column) for column in mapping.values())


def _names_columns(row: Sequence[str]) -> bool:
    known = sum(normal(cell) in KNOWN_NAMES for cell in row)
    return known >= 2 or known * 2 >= len(row) > 0


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Column names without blanks around them; a repeated name gets _2, _3, an empty one is called #n."""
    unique: dict[str, None] = {}
    for position, raw in enumerate(names, 1):
        name = raw.strip() or f"#{position}"
        times = 2
        candidate = name
        while candidate in unique:
            candidate = f"{name}_{times}"
            times += 1
        unique[candidate] = None
    return tuple(unique)


def _base(name: str) -> str:
    return re.sub(r"_\d+$", "", name)

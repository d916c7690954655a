"""The objects of a file one by one, whatever holds them: lines, a list, a document with a list in it, or a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

import orjson

from handler.counting import many
from handler.formats._contract import Notices, Source
from handler.formats._csv import table_rows
from handler.formats._jsonl import BLANK, second_try
from handler.formats._scanner import Scanner
from handler.formats._text import byte_lines, text_lines
from handler.formats._values import clip
from handler.formats.tasks._forms import WANTED, form_of, trec_row
from handler.formats.tasks._layout import LISTS
from handler.samples import Unreadable

__all__ = ["Item", "items_of", "listed_items"]


class Item(NamedTuple):
    """value: as parsed, or an Unreadable. line, column: where it starts. stem: of its file."""

    value: Any
    line: int | None
    column: int | None
    stem: str


def items_of(source: Source, notices: Notices) -> Iterator[Item]:
    """The objects in lines, in a list, in a document's list of records, or the rows of a table or of a TREC file, whose
    values are all text. Raises InputError where the rest cannot be read."""
    for _, item in listed_items(source, notices, LISTS):
        yield item


def listed_items(source: Source, notices: Notices, lists: Collection[str]) -> Iterator[tuple[str, Item]]:
    """The same with the key of the list each comes from, "" outside of one. lists: the keys that hold records."""
    form = form_of(source.head.decode("utf-8", "replace"))
    if form == "table":
        for line, row in table_rows(source):
            yield "", Item(row, line, None, source.stem)
        return
    if form != "json":
        for item in _trec_rows(source, form):
            yield "", item
        return
    head = source.head.lstrip()
    first, _, rest = head.partition(b"\n")
    lines = head.startswith(b"{") and _is_json(first) and rest.lstrip()[:1] == b"{"
    if lines or not head.startswith((b"{", b"[")):
        for item in _lines(source, notices):
            yield "", item
    else:
        yield from _document(source, notices, lists)


def _trec_rows(source: Source, form: Literal["run", "qrels"]) -> Iterator[Item]:
    for number, text in enumerate(text_lines(source, "\n"), 1):
        if text.strip():
            row = trec_row(text, form)
            wrong = Unreadable(
                number, None, None, f"line {number} has {many(len(text.split()), 'field')}: a {WANTED[form]}"
            )
            yield Item(row or wrong, number, None, source.stem)


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except ValueError:
        return False
    return True


def _lines(source: Source, notices: Notices) -> Iterator[Item]:
    offset = 0
    for number, line in enumerate(byte_lines(source), 1):
        try:
            value = orjson.loads(line)
        except ValueError:
            value = second_try(line, number, offset, source, notices)
        offset += len(line) + 1
        if value is not BLANK:
            yield Item(value, number, None, source.stem)


def _document(source: Source, notices: Notices, lists: Collection[str]) -> Iterator[tuple[str, Item]]:
    scanner = Scanner(source, notices)
    if scanner.peek() == "[":
        for item in _list(scanner, source.stem):
            yield "", item
    else:
        yield from _object(scanner, source.stem, lists, notices)
    if scanner.peek() == "{":  # lines of which the first could not be told from a document
        while scanner.peek():
            line, column = scanner.place()
            yield "", Item(scanner.value(), line, column, source.stem)
    if scanner.peek():
        raise scanner.unexpected("Extra data")


def _list(scanner: Scanner, stem: str) -> Iterator[Item]:
    for _ in scanner.places():
        line, column = scanner.place()
        yield Item(scanner.value(), line, column, stem)


def _object(scanner: Scanner, stem: str, lists: Collection[str], notices: Notices) -> Iterator[tuple[str, Item]]:
    """The elements of its lists of records; the object itself where it has none."""
    line, column = scanner.place()
    found: dict[str, Any] = {}
    listed = False
    for key in scanner.entries():
        if scanner.peek() == "[" and key in lists:
            listed = True
            for item in _list(scanner, stem):
                yield key, item
        else:
            if key in found:
                words = f"{clip(key)!r} comes twice in one object; the last value counts (line {scanner.place()[0]})"
                notices.add("duplicate_key", words)
            found[key] = scanner.value()
    if not listed:
        yield "", Item(found, line, column, stem)

"""The objects of a file as they are, for those who make something else of them than samples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from handler.errors import InputError
from handler.formats._contract import Notices, ReadOptions
from handler.formats._csv import table_rows
from handler.formats._opening import open_source
from handler.formats._values import describe
from handler.formats.tasks import listed_items
from handler.samples import Unreadable

__all__ = ["PlainObject", "read_objects"]


class PlainObject(NamedTuple):
    """key: of the document's list that it is in, "" outside of one. line: where it starts."""

    key: str
    value: Mapping[str, Any]
    line: int | None


def read_objects(location: str, options: ReadOptions, *, lists: Collection[str] = ()) -> Iterator[PlainObject]:
    """The objects in a JSON list, in JSON Lines, in the named lists of a JSON document, or the rows of a table.

    Raises InputError for the first thing that cannot be read, StorageError when the file is not there.
    """
    with open_source(location, options) as source:
        if not source.head.strip():
            raise InputError("the file is empty", file=location)
        if not source.head.lstrip().startswith((b"{", b"[")):
            for line, row in table_rows(source):
                if isinstance(row, Unreadable):
                    raise InputError(row.reason, file=source.name, line=line)
                yield PlainObject("", row, line)
            return
        for key, item in listed_items(source, Notices(), lists):
            if isinstance(item.value, Unreadable):
                raise InputError(item.value.reason, file=location, line=item.line, column=item.value.column)
            if not isinstance(item.value, Mapping):
                raise InputError(f"{describe(item.value)} where an object is expected", file=location, line=item.line)
            yield PlainObject(key, item.value, item.line)

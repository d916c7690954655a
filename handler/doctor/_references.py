"""The references of a file, and a fixed draw of some of them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from handler import storage
from handler.doctor._pairs import Described, rank_of
from handler.errors import InputError
from handler.evaluation import find_files
from handler.formats import Notices, ReadOptions, open_records
from handler.samples import Sample, Unreadable, is_blank

__all__ = ["draw", "read_references"]


def read_references(location: str, options: ReadOptions, unreadable: list[Unreadable]) -> Iterator[Described]:
    """What people saw in each picture that somebody described, repeats included, in the order of the files.

    location: what `evaluate` reads, answers or none, or plain text (.txt) with a reference a line. unreadable: takes in
    the items that could not be read. Raises InputError for a file without references of its own, StorageError when it is
    not there.
    """
    for info in find_files(location):
        if info.location.lower().endswith(".txt"):
            yield from map(Described, _lines(info, options.encoding or "utf-8"))
        else:
            yield from _references(info, options, unreadable)


def draw(described: Iterable[Described], *, limit: int | None, seed: int) -> tuple[list[Described], int]:
    """Pictures with distinct references, or `limit` of them, in the order in which they came, and how many came in all.

    Which are drawn follows from the hashes of their references with the seed, so that neither order nor repeats matter.
    """
    heap: list[tuple[int, str]] = []
    kept: dict[str, tuple[int, Described]] = {}
    n = 0
    for n, one in enumerate(described, 1):
        if one.text in kept:
            continue
        entry = (-rank_of(seed, one.text), one.text)
        if limit is None or len(heap) < limit:
            heapq.heappush(heap, entry)
        elif entry > heap[0]:
            del kept[heapq.heapreplace(heap, entry)[1]]
        else:
            continue
        kept[one.text] = (n, one)
    return [one for _, one in sorted(kept.values())], n


def _references(info: storage.ObjectInfo, options: ReadOptions, unreadable: list[Unreadable]) -> Iterator[Described]:
    for record in open_records(info.location, options, Notices(), if_match=info.etag):
        if isinstance(record, Unreadable):
            unreadable.append(record)
        elif isinstance(record, Sample):
            if not record.are_texts:
                raise InputError(
                    "this file holds no descriptions by people",
                    file=info.location,
                    hint="`scenescore inspect` says what it holds; name a file whose references are texts",
                )
            if said := [one for one in record.references if not is_blank(one)]:
                yield Described(said[0], tuple(said[1:]))


def _lines(info: storage.ObjectInfo, encoding: str) -> Iterator[str]:
    with storage.open_read(info.location, if_match=info.etag) as stream:
        for number, line in enumerate(stream, 1):
            try:
                text = line.decode(encoding).removeprefix("\ufeff").strip()
            except (LookupError, UnicodeDecodeError) as error:
                raise InputError(
                    f"the line is not {encoding}", file=info.location, line=number, hint="Name its --encoding"
                ) from error
            if not is_blank(text):
                yield text

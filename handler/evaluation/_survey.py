"""Reading an input once, without scoring it, to cut it into shards of equal work.

A row holds the sample's position among all samples and often its line, so a shard can only write final rows - rows that
are joined by copying - when everything before it has been counted. Counting takes a reader's pass over the whole input; it
also settles, before any model is run, what only the whole input shows: unreadable items, ids that come twice, sessions that
come back. Where the format allows (JSON Lines and tables of descriptions, plain UTF-8), the shards are byte ranges, and no
byte is parsed by two of them; in any other format a shard reads its way to its first record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from handler import storage
from handler.evaluation._book import Book
from handler.evaluation._chunks import READ_CHARACTERS
from handler.evaluation._inputs import Start, read_descriptions, read_files
from handler.formats import LineMarks, Notices, Plan, ReadOptions
from handler.samples import EmptySession, Record, Sample, Unreadable

__all__ = ["Shard", "shard_records", "survey"]

MOST_CUTS = 8192  # places held where a shard could begin; when there are more, every second is forgotten
FIXED_WORK = 100  # characters that a sample without texts counts for


class Shard(NamedTuple):
    """One part of the input: where it begins and how many records it has."""

    start: Start
    n_records: int


class _Cut(NamedTuple):
    """A sample before which a shard could begin. work, records, samples: before it in the whole input. in_file: records
    before it in its file. line: its own; on_line: records that its line gave before it."""

    work: int
    records: int
    samples: int
    file: int
    in_file: int
    line: int | None
    on_line: int


class _Cuts:
    """The places met so far, thinned out as they become many."""

    def __init__(self) -> None:
        self._found: list[_Cut] = []
        self._stride = 1
        self._n = 0

    def add(self, cut: _Cut) -> None:
        """Take in the next sample's place."""
        if self._n % self._stride == 0:
            self._found.append(cut)
            if len(self._found) > MOST_CUTS:
                del self._found[1::2]
                self._stride *= 2
        self._n += 1

    def choose(self, n: int, work: int) -> list[_Cut]:
        """Up to n - 1 of them, after which the work is as even as they allow."""
        chosen: list[_Cut] = []
        target = 1
        for cut in self._found[1:]:
            if target < n and cut.work * n >= target * work:
                chosen.append(cut)
                target = cut.work * n // work + 1
        return chosen


def survey(
    files: Sequence[storage.ObjectInfo],
    plan: Plan | None,
    options: ReadOptions,
    notices: Notices,
    *,
    n_shards: int | None,
    samples_each: int,
    limit: int | None,
    on_unreadable: Callable[[Unreadable], None],
) -> tuple[list[Shard], Book]:
    """The shards, n_shards of them or as many as hold `samples_each`, and the counts of the whole input.

    Fewer come out where there are fewer samples. Unreadable items are handed on. Raises InputError where the input cannot
    be read to its end, StorageError.
    """
    marks = [LineMarks() for _ in files]
    cuts, book, work = _Cuts(), Book([], ()), 0
    file = in_file = on_line = 0
    line: int | None = None
    for number, record in _numbered(files, plan, options, notices, marks):
        if number != file:
            file, in_file, line, on_line = number, 0, None, 0
        here = None if isinstance(record, EmptySession) else record.line
        on_line = on_line + 1 if here is not None and here == line else 0
        line = here
        if isinstance(record, Sample):
            cuts.add(_Cut(work, book.n_records, book.n_samples, file, in_file, line, on_line))
            work += _work_of(record)
            book.n_samples += 1
        elif not isinstance(record, EmptySession):
            book.unreadable(record)
            on_unreadable(record)
        book.n_records += 1
        in_file += 1
        if book.n_samples == limit:
            break
    n = n_shards or -(-book.n_samples // samples_each)
    chosen = cuts.choose(n, work)
    starts = [Start(), *(_start_of(cut, files, plan, marks) for cut in chosen)]
    ends = [*(cut.records for cut in chosen), book.n_records]
    begins = [0, *ends[:-1]]
    return [Shard(start, end - begin) for start, begin, end in zip(starts, begins, ends, strict=True)], book


def shard_records(
    shard: Shard, files: Sequence[storage.ObjectInfo], plan: Plan | None, options: ReadOptions
) -> Iterator[Record]:
    """The records of a shard, with the indexes and ids they have in the whole input."""
    start = shard.start
    stream: Iterator[Record]
    if plan is None:
        stream = (record for _, record in read_descriptions(files, options, Notices(), start=start))
    else:
        stream = read_files(files, options, Notices(), plan)
        for _ in range(start.skip):
            next(stream, None)
    for _ in range(shard.n_records):
        record = next(stream, None)
        if record is None:
            return
        yield record


def _numbered(
    files: Sequence[storage.ObjectInfo],
    plan: Plan | None,
    options: ReadOptions,
    notices: Notices,
    marks: Sequence[LineMarks],
) -> Iterator[tuple[int, Record]]:
    """Answers to questions may be joined across files, so all their records count as those of one file."""
    if plan is None:
        return read_descriptions(files, options, notices, marks=marks)
    return ((0, record) for record in read_files(files, options, notices, plan))


def _start_of(cut: _Cut, files: Sequence[storage.ObjectInfo], plan: Plan | None, marks: Sequence[LineMarks]) -> Start:
    if plan is None and cut.line is not None:
        info = files[cut.file]
        place = marks[cut.file].place_of(info.location, cut.line, info.etag)
        if place is not None:
            return Start(cut.file, place, cut.on_line, cut.samples)
    return Start(cut.file, None, cut.in_file, cut.samples)


def _work_of(sample: Sample) -> int:
    texts = (sample.answer or "", *sample.references)
    return FIXED_WORK + sum(min(len(text), READ_CHARACTERS) for text in texts)

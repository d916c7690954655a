"""Reading, scoring and settling chunks of the input: booking them and writing their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from handler.evaluation._book import Book
from handler.evaluation._chunks import Chunk
from handler.evaluation._rows import RowSink, write_rows
from handler.metrics import BaseMetric, compute_all
from handler.samples import Record, Sample, Unreadable

__all__ = ["in_turn", "limited", "overlapped", "score_chunk", "settle_chunk"]


def limited(records: Iterator[Record], left: int | None) -> Iterator[Record]:
    """The records up to the last of so many samples; None: all."""
    if left is None:
        yield from records
        return
    while left > 0 and (record := next(records, None)) is not None:
        left -= isinstance(record, Sample)
        yield record


def score_chunk(chunk: Chunk, *, metrics: Sequence[BaseMetric]) -> None:
    """Score the samples, unless reading failed. What goes wrong waits in the chunk until it is settled."""
    if chunk.samples and chunk.failure is None:
        try:
            chunk.results = compute_all(metrics, chunk.samples)
        except Exception as error:
            chunk.failure = error


def settle_chunk(chunk: Chunk, book: Book, writer: RowSink) -> None:
    """Book what was read, then what was scored, and write the rows. Raises the chunk's failure."""
    seen: set[tuple[str, str]] = set()
    for record in chunk.records:
        if isinstance(record, Unreadable):
            book.unreadable(record)
            writer.unreadable(record)
        elif (session := (record.session_id, record.assistant_id)) not in seen:
            seen.add(session)
            book.open_session(record)
    book.n_records += len(chunk.records)
    book.n_samples += len(chunk.samples)
    if chunk.failure is not None:
        raise chunk.failure
    book.scored_all(chunk.samples, chunk.results)
    write_rows(chunk.samples, chunk.results, writer)


def in_turn(coming: Iterator[Chunk], score: Callable[[Chunk], None], settle: Callable[[Chunk], None]) -> None:
    """Read, score and settle one chunk after the other."""
    for chunk in coming:
        score(chunk)
        settle(chunk)


def overlapped(coming: Iterator[Chunk], score: Callable[[Chunk], None], settle: Callable[[Chunk], None]) -> None:
    """Score chunks in their order, and settle each. While one is scored, a second thread settles the one before and reads
    the one after, in this order, so three are held at a time and the settling sees what it would see alone.

    Scoring stays in the caller's thread, where a signal ends it. What is raised comes out once what was scored before it
    is settled.
    """
    settled: Future[None] | None = None
    with ThreadPoolExecutor(1, thread_name_prefix="scenescore-rows") as helper:
        try:
            following = helper.submit(next, coming, None)
            while (chunk := following.result()) is not None:
                following = helper.submit(next, coming, None)
                score(chunk)
                if settled is not None:
                    settled.result()
                settled = helper.submit(settle, chunk)
            if settled is not None:
                settled.result()
        finally:
            helper.shutdown(cancel_futures=True)

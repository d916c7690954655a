"""A request in, a finished result folder (or an in-memory report) out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import orjson

from handler import storage
from handler.errors import InputError, OutOfTimeError, RequestError, ScenescoreError
from handler.evaluation import _identity
from handler.evaluation._book import Book
from handler.evaluation._calibrated import calibration_part, calibration_warnings
from handler.evaluation._chunks import Chunk, chunks
from handler.evaluation._metrics import Machine, check_fit, make_metrics, multiplied
from handler.evaluation._opened import Opened, open_input
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._rows import Rows, RowSink, timing
from handler.evaluation._scoring import in_turn, limited, overlapped, score_chunk, settle_chunk
from handler.formats import Notices
from handler.metrics import BaseMetric
from handler.models import load_seconds
from handler.reports import REPORT_SCHEMA, Parts, Report, ResultFolder, mend_latest, update_latest
from handler.samples import Record, VideoSample

__all__ = ["Evaluation", "finished", "prepare", "request_identity", "run", "write_error"]


CHUNK = 256  # samples with new texts that are scored together; no score depends on it


def run(request: EvaluationRequest, machine: Machine | None = None, *, records: Any = None) -> Report:
    """Evaluate. With `request.output` the result folder is written, or returned as it is when it is complete already.

    records: Python data (list or generator of dicts, DataFrame) in place of `request.sessions` or `request.input`.
    Raises ScenescoreError; with an output, the folder then holds error.json and errors.jsonl.
    """
    machine = machine or Machine()
    evaluation, opened, folder = prepare(request, machine, records)
    if folder is None:
        return evaluation.in_memory(opened.records)
    done = finished(folder, opened, machine)
    return done if done is not None else evaluation.into(folder, opened.records)


def prepare(
    request: EvaluationRequest, machine: Machine, records: Any = None
) -> tuple[Evaluation, Opened, ResultFolder | None]:
    """All that is known before anything is scored; the folder is None where nothing is to be written."""
    metrics = make_metrics(request, machine) if request.metrics else None
    notices = Notices()
    opened = open_input(request, records, notices)
    if metrics is None:
        metrics = make_metrics(request, machine, opened.sample)
    check_fit(request, metrics, opened.sample, opened.roles)
    if issubclass(opened.sample, VideoSample) or request.detections is not None:
        from handler.evaluation._videos import with_frames

        opened = with_frames(opened, request, machine, metrics)
    evaluation = Evaluation(request, machine, metrics, opened.source, notices)
    if request.output is None:
        return evaluation, opened, None
    location = _identity.folder_location(request, opened.source, metrics, opened.companions)
    return evaluation, opened, ResultFolder(location)


def finished(folder: ResultFolder, opened: Opened, machine: Machine) -> Report | None:
    """The report that stands already; the newest upload of the input points at it."""
    done = None if machine.force else folder.report()
    if done is None:
        return None
    if machine.sequencer is not None:
        update_latest(folder.location, opened.source.content, machine.sequencer)
    else:
        mend_latest(folder.location, opened.source.content, str(done.get("timing", {}).get("started", "")))
    return Report(done, location=folder.location, already_done=True)


def request_identity(request: EvaluationRequest, machine: Machine) -> str:
    """A hash of everything that can change a result, the model included, but for what the named files hold.

    Nothing is read: where the request names no metrics, those for descriptions stand for what the input will ask for.
    """
    return request.identity({metric.name: metric.signature() for metric in make_metrics(request, machine)}, {})


def write_error(request: EvaluationRequest, error: ScenescoreError, content: str, name: str) -> str:
    """Write error.json beside the input's results, unless the run itself did. Returns the folder.

    content: the input's etag as far as it is known. name: 12 hex digits of this very request: what could not be opened
    cannot be told from another request's result by what was read.
    """
    if error.written_to is None:
        ResultFolder(_identity.error_location(request, content, name)).write_error(error)
    assert error.written_to is not None
    return error.written_to


class Evaluation:
    """One run: rows stream through it, the book is what it remembers."""

    def __init__(
        self,
        request: EvaluationRequest,
        machine: Machine,
        metrics: list[BaseMetric],
        source: _identity.InputIdentity,
        notices: Notices,
    ) -> None:
        self._request = request
        self._machine = machine
        self._metrics = metrics
        self._source = source
        self._notices = notices
        self._book = Book(metrics, request.group_by)
        self._started = time.time()
        self._clock = time.perf_counter()
        self._loading = load_seconds()

    def in_memory(self, records: Iterable[Record]) -> Report:
        """Keep the rows."""
        rows = Rows()
        with self._flushing():
            self._score_records(iter(records), rows)
        self._check_error_rate(written=False)
        self._source.check_unchanged()
        return Report(self._document(), samples=rows.samples, errors=rows.errors)

    def into(self, folder: ResultFolder, records: Iterable[Record]) -> Report:
        """Write the rows as they come, from where an earlier run was stopped where that is asked for.

        Raises OutOfTimeError when this one is stopped as well. A folder that was complete before stays as it was until the
        new report stands: results do not go away.
        """
        machine = self._machine
        was_complete = folder.report() is not None
        resume = machine.resume or machine.must_stop is not None
        with self._flushing(), Parts(folder.location, resume=resume) as parts:
            if parts.state is not None:
                self._book.restore(parts.state)
            try:
                self._score_parts(records, parts)
                self._check_error_rate()
            except OutOfTimeError:
                raise
            except ScenescoreError as error:
                is_final = isinstance(error, InputError | RequestError)
                if was_complete or (machine.must_stop is not None and not is_final):
                    raise
                parts.assemble(folder.location, failed=True)
                folder.write_error(error)
                if is_final:
                    parts.clear()
                raise
            try:
                parts.assemble(folder.location)
            except storage.NotFoundError:  # another process was at the same result, and has finished it and tidied up
                done = None if machine.force else folder.report()
                if done is None:
                    raise
                return Report(done, location=folder.location, already_done=True)
            report = self._finish(folder)
            parts.clear()
            if machine.must_stop is None:  # in the function nobody but the state machine makes shards, and it tidies up
                storage.delete_tree(f"{storage.join(folder.location, 'shards')}/")
            return report

    def shard(self, location: str, state_at: str, records: Iterable[Record], expected: int) -> None:
        """Score one shard into a folder of its own: samples.jsonl, then its state. expected: its records."""
        with self._flushing(), Parts(location, resume=True) as parts:
            if parts.state is not None:
                self._book.restore(parts.state)
            self._score_parts(records, parts)
            self._source.check_unchanged()
            if self._book.n_records != expected:
                raise storage.ChangedError("the input is not the one that was cut into shards", file=self._source.name)
            parts.assemble(location)
            storage.write_bytes(state_at, orjson.dumps(self._state()))
            parts.clear()

    def gather(self, folder: ResultFolder, states: Iterable[Mapping[str, Any]], counted: Book) -> Report:
        """Write the report of all shards, whose rows are there. counted: by whoever read the whole input."""
        for state in states:
            book = Book(self._metrics, self._request.group_by)
            book.restore(state)
            self._book.merge_from(book)
        self._book.n_records, self._book.n_samples = counted.n_records, counted.n_samples
        self._book.n_unreadable, self._book.first_unreadable = counted.n_unreadable, counted.first_unreadable
        return self._finish(folder)

    def refuse_unreadable(self, counted: Book) -> None:
        """Raises InputError when more items cannot be read than the request allows."""
        self._book.n_samples, self._book.n_unreadable = counted.n_samples, counted.n_unreadable
        self._book.first_unreadable = counted.first_unreadable
        self._check_error_rate()

    def _score_parts(self, records: Iterable[Record], parts: Parts) -> None:
        """Score what the book has not seen, putting parts away on the way."""
        must_stop = self._machine.must_stop
        rest, n_before = iter(records), self._book.n_records
        next(itertools.islice(rest, n_before, n_before), None)  # read again even when the limit is reached: for notices

        def save() -> None:
            stop = must_stop is not None and must_stop()
            if stop or parts.is_full():
                self._source.check_unchanged()
                parts.put_away(self._state(), self._book.n_records)
            if stop:
                raise OutOfTimeError(f"time ran out; samples saved: {self._book.n_samples:,}")

        self._score_records(rest, parts, save)

    @contextmanager
    def _flushing(self) -> Iterator[None]:
        """Whatever happens, what was encoded is kept in the cache."""
        try:
            yield
        finally:
            for metric in self._metrics:
                metric.flush()

    def _finish(self, folder: ResultFolder) -> Report:
        from handler.reports.page import write_page

        self._source.check_unchanged()
        document = self._document()
        write_page(folder, document)
        folder.write_report(document)
        update_latest(folder.location, self._source.content, self._machine.sequencer)
        return Report(document, location=folder.location)

    def _state(self) -> dict[str, Any]:
        return {**self._book.state(), "seconds": self._seconds()}

    def _seconds(self) -> float:
        return self._book.seconds + time.perf_counter() - self._clock

    def _score_records(
        self, records: Iterator[Record], writer: RowSink, after: Callable[[], None] | None = None
    ) -> None:
        """Score all records up to the limit and write their rows. after: called when a chunk is settled.

        Chunks take turns with a clock, so that nothing is read or scored that is not settled before it is looked at, and
        where records come from the caller's own generator, which may be bound to the caller's thread.
        """
        timed = self._machine.must_stop is not None
        ours = self._request.input is not None or self._request.output is not None
        left = None if self._request.limit is None else self._request.limit - self._book.n_samples
        coming = chunks(limited(records, left), CHUNK, timed=timed)
        run_chunks = overlapped if ours and not timed else in_turn
        run_chunks(
            coming, partial(score_chunk, metrics=self._metrics), partial(self._settle, writer=writer, after=after)
        )

    def _settle(self, chunk: Chunk, *, writer: RowSink, after: Callable[[], None] | None) -> None:
        settle_chunk(chunk, self._book, writer)
        if self._machine.on_progress:
            self._machine.on_progress(len(chunk.samples))
        if after is not None:
            after()

    def _check_error_rate(self, *, written: bool = True) -> None:
        first, n = self._book.first_unreadable, self._book.n_unreadable
        total = self._book.n_samples + n
        if first is None or n <= self._request.max_error_rate * total:
            return
        many = f"{n} of {total} items cannot be read; the first: " if n > 1 else ""
        raise InputError(
            f"{many}{first.reason}",
            file=self._source.name,
            line=first.line,
            column=first.column,
            field=first.field,
            hint=f"Mend the file{' (errors.jsonl lists them all)' if written else ''}, or allow for it: "
            "--on-missing skip (on_missing) passes over missing texts, --max-error-rate 0.1 (max_error_rate) lets more "
            "items be lost",
        )

    def _document(self) -> dict[str, Any]:
        calibration, reports = calibration_part(self._metrics), self._book.reports()
        return {
            "schema": REPORT_SCHEMA,
            "input": self._source.document(),
            "request": _identity.request_document(self._request, self._metrics),
            "environment": {
                **_identity.environment(self._machine.threads),
                **multiplied(self._request, self._machine, self._metrics),
            },
            "signature": {metric.name: metric.signature() for metric in self._metrics},
            **calibration,
            "counts": self._book.counts(),
            "metrics": reports,
            "warnings": [*self._book.warnings(self._notices, reports), *calibration_warnings(calibration, [*reports])],
            "timing": timing(self._started, self._seconds(), self._book.n_samples, load_seconds() - self._loading),
        }

"""A request in, a finished result folder (or an in-memory report) out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handler.errors import InputError, RequestError
from handler.evaluation import _identity
from handler.evaluation._inputs import read_files
from handler.evaluation._ledger import Ledger
from handler.evaluation._request import EvaluationRequest
from handler.formats import Notices, ReadOptions, records_from_python
from handler.metrics import BaseMetric, get_metric, metric_class, select_metrics
from handler.models import shared_text_encoder
from handler.reports import Report, ResultFolder, update_latest
from handler.reports._folder import RowWriter, error_row
from handler.results import MetricResult
from handler.samples import EmptySession, Record, Sample, Unreadable
from handler.settings import Settings

__all__ = ["Machine", "run"]

CHUNK = 512  # samples scored together; no score depends on it
DEFAULT_METRICS = ("vision.similarity", "vision.hallucination")


@dataclass(frozen=True, slots=True)
class Machine:
    """What the caller's machine offers, none of which changes a score.

    model: the exported text encoder's folder. threads: None means the cores this process may use. force: score again
    though a finished result exists. on_progress: called with the number of samples just scored.
    """

    model: Path | None = None
    threads: int | None = None
    force: bool = False
    on_progress: Callable[[int], object] | None = None


def run(request: EvaluationRequest, machine: Machine | None = None, *, records: Any = None) -> Report:
    """Evaluate. With `request.output` the result folder is written, or returned as it is when it is complete already.

    records: Python data (list or generator of dicts, DataFrame) in place of `request.sessions` or `request.input`.
    Raises ScenescoreError; with an output, the folder then holds error.json and errors.jsonl.
    """
    machine = machine or Machine()
    metrics = make_metrics(request, machine)
    notices = Notices()
    source, stream = _open_input(request, records, notices)
    folder = None
    if request.output is not None:
        folder = ResultFolder(_identity.folder_location(request, source, metrics))
        done = None if machine.force else folder.report()
        if done is not None:
            return Report(done, location=folder.location, already_done=True)
    return _Evaluation(request, machine, metrics, source, notices, folder).run(stream)


def _open_input(
    request: EvaluationRequest, records: Any, notices: Notices
) -> tuple[_identity.InputIdentity, Iterable[Record]]:
    """What is scored, and its records: read as they are asked for, except that Python data must be held to be named."""
    given = [one is not None for one in (records, request.sessions, request.input)]
    if sum(given) != 1:
        what = "give either an input file or records" if sum(given) else "there is nothing to evaluate"
        raise RequestError(what, field="input", hint="Name a file, or pass sessions")
    options = ReadOptions(request.format, request.map, request.encoding, request.on_missing)
    if request.input is not None:
        source = _identity.identify_files(request.input)
        return source, read_files(source.files, options, notices)
    stream = records_from_python(request.sessions if records is None else records, options, notices)
    if request.output is None:
        return _identity.InputIdentity("records", ""), stream
    held = list(stream)
    return _identity.identify_records(held), held


def make_metrics(request: EvaluationRequest, machine: Machine) -> list[BaseMetric]:
    """The metrics the request asks for, made with its mode, threshold and options."""
    made = []
    for name in select_metrics(request.metrics or DEFAULT_METRICS):
        cls = metric_class(name)
        options: dict[str, Any] = {"mode": request.mode}
        if "threshold" in cls.options:
            options["threshold"] = request.threshold
        options |= _identity.own_options(cls, request.options.get(name, {}))
        if "text_encoder" in cls.models:
            folder = machine.model or Settings.from_environment().model
            options["encoder"] = shared_text_encoder(folder, machine.threads)
            _identity.check_precision(request.precision, options["encoder"].card)
        made.append(get_metric(name, **options))
    _identity.refuse_unused(request, [metric.name for metric in made])
    return made


class _Evaluation:
    """One run: the ledgers and counters that live while rows stream by."""

    def __init__(
        self,
        request: EvaluationRequest,
        machine: Machine,
        metrics: list[BaseMetric],
        source: _identity.InputIdentity,
        notices: Notices,
        folder: ResultFolder | None,
    ) -> None:
        self._request = request
        self._machine = machine
        self._metrics = metrics
        self._source = source
        self._folder = folder
        self._notices = notices
        self._ledgers = {metric.name: Ledger(metric, request.group_by) for metric in metrics}
        self._n_samples = 0
        self._n_unreadable = 0
        self._first_unreadable: Unreadable | None = None
        self._rows: list[dict[str, Any]] = []
        self._errors: list[dict[str, Any]] = []

    def run(self, records: Iterable[Record]) -> Report:
        started = time.time()
        clock = time.perf_counter()
        with self._open_writer() as writer:
            for chunk in _chunks(self._limited(records, writer)):
                self._score(chunk, writer)
            self._check_error_rate()
        document = self._document(started, time.perf_counter() - clock)
        if self._folder is not None:
            self._folder.write_report(document)
            update_latest(self._folder.location, self._source.content)
            return Report(document, location=self._folder.location)
        return Report(document, samples=self._rows, errors=self._errors)

    def _open_writer(self) -> AbstractContextManager[RowWriter | None]:
        return self._folder.writer() if self._folder is not None else nullcontext()

    def _limited(self, records: Iterable[Record], writer: RowWriter | None) -> Iterator[Sample]:
        """The samples among the records; everything else is booked on the way."""
        for record in records:
            if isinstance(record, Sample):
                yield record
                self._n_samples += 1
                if self._n_samples == self._request.limit:
                    return
            elif isinstance(record, EmptySession):
                for ledger in self._ledgers.values():
                    ledger.open_session(record)
            else:
                self._book_unreadable(record, writer)

    def _book_unreadable(self, error: Unreadable, writer: RowWriter | None) -> None:
        self._n_unreadable += 1
        self._first_unreadable = self._first_unreadable or error
        if writer is not None:
            writer.unreadable(error)
        else:
            self._errors.append(error_row(error))

    def _score(self, samples: list[Sample], writer: RowWriter | None) -> None:
        scored = {metric.name: metric.compute_batch(samples) for metric in self._metrics}
        for position, sample in enumerate(samples):
            results = {name: results[position] for name, results in scored.items()}
            for name, result in results.items():
                self._ledgers[name].add(sample, result)
            row = _row(sample, results)
            if writer is not None:
                writer.sample(row)
            else:
                self._rows.append(row)
        if self._machine.on_progress:
            self._machine.on_progress(len(samples))

    def _check_error_rate(self) -> None:
        first = self._first_unreadable
        total = self._n_samples + self._n_unreadable
        if first is None or self._n_unreadable <= self._request.max_error_rate * total:
            return
        many = f"{self._n_unreadable} of {total} items cannot be read; the first: " if self._n_unreadable > 1 else ""
        where = "see errors.jsonl, " if self._folder is not None else ""
        raise InputError(
            f"{many}{first.reason}",
            file=self._source.name,
            line=first.line,
            column=first.column,
            field=first.field,
            hint=f"Mend the file ({where}or allow more with --max-error-rate)",
        )

    def _document(self, started: float, seconds: float) -> dict[str, Any]:
        n_sessions = max((ledger.n_sessions for ledger in self._ledgers.values()), default=0)
        return {
            "schema": "scenescore.report/1",
            "input": self._source.document(),
            "request": _identity.request_document(self._request, self._metrics),
            "environment": _identity.environment(self._machine.threads),
            "signature": {metric.name: metric.signature() for metric in self._metrics},
            "counts": {"n_samples": self._n_samples, "n_sessions": n_sessions, "n_unreadable": self._n_unreadable},
            "metrics": {name: ledger.report() for name, ledger in self._ledgers.items()},
            "warnings": _warnings(self._notices, self._ledgers),
            "timing": _timing(started, seconds, self._n_samples),
        }


def _chunks(samples: Iterable[Sample]) -> Iterator[list[Sample]]:
    iterator = iter(samples)
    while chunk := list(itertools.islice(iterator, CHUNK)):
        yield chunk


def _row(sample: Sample, results: Mapping[str, MetricResult]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "index": sample.index,
        "session_id": sample.session_id,
        "assistant_id": sample.assistant_id,
        "sample_id": sample.sample_id,
        "tags": sample.tags,
    }
    if sample.columns:
        row["columns"] = sample.columns
    row["metrics"] = {
        name: {"state": result.state, "score": result.score, **result.details} for name, result in results.items()
    }
    return row


def _warnings(notices: Notices, ledgers: Mapping[str, Ledger]) -> list[dict[str, Any]]:
    """Each code once: two metrics that saw the same empty answer are one warning."""
    found = {code: (n, notices.examples[code]) for code, n in notices.counts.items()}
    for ledger in ledgers.values():
        found |= {code: (n, ledger.examples[code]) for code, n in ledger.warnings.items()}
    return [{"code": code, "count": n, "examples": places} for code, (n, places) in sorted(found.items())]


def _timing(started: float, seconds: float, n_samples: int) -> dict[str, Any]:
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(seconds, 3),
        "samples_per_second": round(n_samples / seconds, 1) if seconds else None,
    }

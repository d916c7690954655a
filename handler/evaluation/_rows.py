"""Rows and timing: the small documents a run makes."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from handler.reports import error_row
from handler.results import MetricResult
from handler.samples import Sample, Unreadable

__all__ = ["RowSink", "Rows", "timing", "write_rows"]


class RowSink(Protocol):
    """Where rows go."""

    def part(self, metrics: Mapping[str, Any]) -> Any:
        """The row's `metrics` as `sample` takes it: equal texts share it."""

    def sample(self, row: Mapping[str, Any], part: Any) -> None:
        """A row of samples.jsonl but for its last field, `metrics`, and that."""

    def unreadable(self, error: Unreadable) -> None:
        """A row of errors.jsonl."""


class Rows:
    """Rows kept in memory."""

    def __init__(self) -> None:
        self.samples: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []

    def part(self, metrics: Mapping[str, Any]) -> Mapping[str, Any]:
        """As it is."""
        return metrics

    def sample(self, row: Mapping[str, Any], part: Mapping[str, Any]) -> None:
        """Keep a row of samples.jsonl."""
        self.samples.append({**row, "metrics": {name: dict(found) for name, found in part.items()}})

    def unreadable(self, error: Unreadable) -> None:
        """Keep a row of errors.jsonl."""
        self.errors.append(error_row(error))


def write_rows(samples: Sequence[Sample], results: Mapping[str, Sequence[MetricResult]], writer: RowSink) -> None:
    """The samples' rows of samples.jsonl, in their order. results: by metric."""
    parts: dict[tuple[int, ...], Any] = {}
    for sample, found in zip(samples, zip(*results.values(), strict=True), strict=True):
        key = tuple(map(id, found))
        part = parts.get(key)
        if part is None:
            part = parts[key] = writer.part(_metrics_of(dict(zip(results, found, strict=True))))
        writer.sample(_head_of(sample), part)


def _head_of(sample: Sample) -> dict[str, Any]:
    """The row but for its metrics."""
    row: dict[str, Any] = {
        "index": sample.index,
        "session_id": sample.session_id,
        "assistant_id": sample.assistant_id,
        "sample_id": sample.sample_id,
        "tags": sample.tags,
    }
    if sample.language:
        row["language"] = sample.language
    if sample.columns:
        row["columns"] = sample.columns
    return row


def _metrics_of(results: Mapping[str, MetricResult]) -> dict[str, Any]:
    """The row's `metrics`."""
    return {name: {"state": result.state, "score": result.score, **result.details} for name, result in results.items()}


def timing(started: float, seconds: float, n_samples: int, load_seconds: float) -> dict[str, Any]:
    """The `timing` part of report.json.

    seconds: of the evaluation, model_load_seconds included (0 where the process had the model already: a warm start).
    peak_memory_mb: of the whole process so far.
    """
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(seconds, 3),
        "samples_per_second": round(n_samples / seconds, 1) if seconds else None,
        "model_load_seconds": round(load_seconds, 3),
        "peak_memory_mb": _peak_memory_mb(),
    }


def _peak_memory_mb() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1 << 20 if sys.platform == "darwin" else 1 << 10)  # bytes on macOS, KiB elsewhere

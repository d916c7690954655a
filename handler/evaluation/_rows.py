"""Rows and timing: the small documents a run makes."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, Protocol

from handler.reports import error_row
from handler.results import MetricResult
from handler.samples import Sample, Unreadable

__all__ = ["RowSink", "Rows", "row_of", "timing"]


class RowSink(Protocol):
    """Where rows go."""

    def sample(self, row: Mapping[str, Any]) -> None:
        """A row of samples.jsonl."""

    def unreadable(self, error: Unreadable) -> None:
        """A row of errors.jsonl."""


class Rows:
    """Rows kept in memory."""

    def __init__(self) -> None:
        self.samples: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []

    def sample(self, row: Mapping[str, Any]) -> None:
        """Keep a row of samples.jsonl."""
        self.samples.append(dict(row))

    def unreadable(self, error: Unreadable) -> None:
        """Keep a row of errors.jsonl."""
        self.errors.append(error_row(error))


def row_of(sample: Sample, results: Mapping[str, MetricResult]) -> dict[str, Any]:
    """The sample's row of samples.jsonl."""
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
    row["metrics"] = {
        name: {"state": result.state, "score": result.score, **result.details} for name, result in results.items()
    }
    return row


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

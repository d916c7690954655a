"""What an evaluation has seen so far: counts and ledgers, as plain JSON when it must be carried on elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from handler.evaluation._ledger import Ledger
from handler.formats import Notices
from handler.metrics import BaseMetric
from handler.results import MetricResult
from handler.samples import EmptySession, Sample, Unreadable

__all__ = ["Book"]


class Book:
    """Counters and one ledger per metric.

    n_records counts everything taken from the reader, so that a continuation knows where to go on; first_unreadable is
    kept for the message when too many items cannot be read. seconds: time spent scoring before this process.
    """

    def __init__(self, metrics: Sequence[BaseMetric], group_by: Sequence[str]) -> None:
        self._group_by = group_by
        self.ledgers = {metric.name: Ledger(metric, group_by) for metric in metrics}
        self.n_records = 0
        self.n_samples = 0
        self.n_unreadable = 0
        self.first_unreadable: Unreadable | None = None
        self.seconds = 0.0

    def open_session(self, session: EmptySession | Sample) -> None:
        """Book a session where it first appears."""
        for ledger in self.ledgers.values():
            ledger.open_session(session)

    def unreadable(self, error: Unreadable) -> None:
        """Book an item that could not become a sample."""
        self.n_unreadable += 1
        self.first_unreadable = self.first_unreadable or error

    def scored_all(self, samples: Sequence[Sample], results: Mapping[str, Sequence[MetricResult]]) -> None:
        """Book the results of samples, by metric and in their order."""
        sessions: dict[tuple[str, str], list[int]] = {}
        for place, sample in enumerate(samples):
            key = (sample.session_id, sample.assistant_id)
            places = sessions.get(key)
            if places is None:
                sessions[key] = [place]
            else:
                places.append(place)
        for name, found in results.items():
            self.ledgers[name].add_all(samples, found, sessions)

    def merge_from(self, other: Book) -> None:
        """Fold in the ledgers of the next shard of the same input; the counts are those of whoever read it all."""
        self.seconds += other.seconds
        for name, ledger in self.ledgers.items():
            ledger.merge_from(other.ledgers[name])

    def counts(self) -> dict[str, int]:
        """The `counts` part of report.json."""
        n_sessions = max((ledger.n_sessions for ledger in self.ledgers.values()), default=0)
        return {"n_samples": self.n_samples, "n_sessions": n_sessions, "n_unreadable": self.n_unreadable}

    def reports(self) -> dict[str, Any]:
        """The `metrics` part of report.json."""
        return {name: ledger.report() for name, ledger in self.ledgers.items()}

    def warnings(self, notices: Notices, reports: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Each code once: two metrics that saw the same empty answer are one warning. reports: whose overall figures may
        come with warnings of their own."""
        found = {code: (n, notices.examples[code]) for code, n in notices.counts.items()}
        if wrong := [by for by in self._group_by if any(ledger.names_nothing(by) for ledger in self.ledgers.values())]:
            there = ", ".join(dict.fromkeys(name for ledger in self.ledgers.values() for name in ledger.there))
            found["unknown_group"] = (len(wrong), [f"{by} (there is: {there})" for by in wrong])
        for name, ledger in self.ledgers.items():
            found |= {code: (n, ledger.examples[code]) for code, n in ledger.warnings.items()}
            found |= {code: (1, [name]) for code in reports[name]["overall"].get("warnings", ())}
        return [{"code": code, "count": n, "examples": places} for code, (n, places) in sorted(found.items())]

    def state(self) -> dict[str, Any]:
        """Plain JSON from which `restore` goes on."""
        return {
            "n_records": self.n_records,
            "n_samples": self.n_samples,
            "n_unreadable": self.n_unreadable,
            "first_unreadable": asdict(self.first_unreadable) if self.first_unreadable else None,
            "seconds": self.seconds,
            "ledgers": {name: ledger.state() for name, ledger in self.ledgers.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a saved state."""
        self.n_records, self.n_samples = state["n_records"], state["n_samples"]
        self.n_unreadable, self.seconds = state["n_unreadable"], state["seconds"]
        first = state["first_unreadable"]
        self.first_unreadable = Unreadable(**first) if first else None
        for name, ledger in self.ledgers.items():
            ledger.restore(state["ledgers"][name])

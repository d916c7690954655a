"""The figures of a report by the name that a gate gives them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from handler.decisions.gates._expression import Gate
from handler.errors import RequestError
from handler.metrics import list_metrics

__all__ = ["Found", "find_figures"]

COUNTS = "counts"  # n_samples, n_sessions, n_unreadable of the whole report, as if they were a metric's


class Found(NamedTuple):
    """A figure of one slice. key: within the slice's summary. group: the slice in words, "" for overall. value: None where
    nothing supports it. summary: the slice's."""

    metric: str
    key: str
    group: str
    value: float | None
    summary: Mapping[str, Any]

    @property
    def interval(self) -> Mapping[str, Any] | None:
        """{low, high, level, method}; None where the figure has none."""
        found: Mapping[str, Any] | None = (self.summary.get("intervals") or {}).get(self.key)
        return found


def find_figures(gate: Gate, report: Mapping[str, Any]) -> list[Found]:
    """One figure, or with `*` one per value. Raises RequestError, with the nearest name, for what is not there."""
    metric, key = _split(gate, report)
    return [
        Found(metric, key, group, _value(summary, metric, key, gate, report), summary)
        for group, summary in _slices(gate, metric, report)
    ]


def _split(gate: Gate, report: Mapping[str, Any]) -> tuple[str, str]:
    """The metric, by its full name or a last part that is unique, and the rest."""
    names = [*report["metrics"], COUNTS]
    full = max((name for name in names if gate.key.startswith(f"{name}.")), key=len, default=None)
    if full is not None:
        return full, gate.key[len(full) + 1 :]
    first, _, rest = gate.key.partition(".")
    short = [name for name in names if name.rsplit(".", 1)[-1] == first]
    if len(short) != 1:
        raise _unknown(gate, report)
    return short[0], rest


def _slices(gate: Gate, metric: str, report: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    if metric == COUNTS:
        if gate.by is not None:
            raise RequestError(f"{COUNTS} are of the whole report, not of {gate.by}", field="fail_if")
        return [("", report[COUNTS])]
    found = report["metrics"][metric]
    if gate.by is None:
        return [("", found["overall"])]
    groups = [(one["value"], one["value"] or "(none)", one) for one in found["groups"] if one["by"] == gate.by]
    if gate.by == "session_id" and not groups:
        groups = [(one["session_id"], f"{one['session_id']} / {one['assistant_id']}", one) for one in found["sessions"]]
    values = [value for value, _, _ in groups]
    if not values:
        hint = f"Add --group-by {gate.by}" if gate.by != "session_id" else None
        raise RequestError(f"the report has no summaries by {gate.by!r}", field="fail_if", hint=hint)
    chosen = [(f"{gate.by} = {name}", one) for value, name, one in groups if gate.value in (value, "*")]
    if not chosen:
        hint = _nearest(values, difflib.get_close_matches(str(gate.value), values, n=1))
        raise RequestError(f"there is no {gate.by} {gate.value!r} in the report", field="fail_if", hint=hint)
    return chosen


def _value(summary: Mapping[str, Any], metric: str, key: str, gate: Gate, report: Mapping[str, Any]) -> float | None:
    leaves = dict(_leaves(summary))
    if key in leaves:
        return leaves[key]
    if key.startswith("skipped."):  # reasons are listed where they occur
        return 0.0
    raise _unknown(gate, report, metric, key)


def _leaves(summary: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float | None]]:
    for name, value in summary.items():
        if isinstance(value, Mapping) and name != "intervals":
            yield from _leaves(value, f"{before}{name}.")
        elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            yield f"{before}{name}", value


def _unknown(gate: Gate, report: Mapping[str, Any], metric: str | None = None, key: str = "") -> RequestError:
    overall = {name: found["overall"] for name, found in report["metrics"].items()} | {COUNTS: report[COUNTS]}
    absent = [name for name in list_metrics() if gate.key.startswith(f"{name}.") and name not in overall]
    if absent:
        hint = f"It was not evaluated: add --metrics {absent[-1]}"
    elif metric is None:
        known = [f"{name}.{figure}" for name, summary in overall.items() for figure, _ in _leaves(summary)]
        hint = _nearest(known, difflib.get_close_matches(gate.key, known, n=1, cutoff=0.4))
    else:  # compared without the metric's name, which would make any of its figures look near
        known = [figure for figure, _ in _leaves(overall[metric])]
        near = [one for one in known if one.endswith(f"_{key}") or key.endswith(f"_{one}")]
        near = near or difflib.get_close_matches(key, known, n=1)
        hint = _nearest([f"{metric}.{one}" for one in known], [f"{metric}.{one}" for one in near])
    return RequestError(f"the report has no figure {gate.key!r}", field="fail_if", hint=hint)


def _nearest(known: list[str], near: list[str]) -> str:
    return f"Did you mean {near[0]}?" if near else f"There is: {', '.join(known[:20])}"

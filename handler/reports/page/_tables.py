"""Summaries per session and per tag value as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.reports._reasons import count_decided
from handler.reports.page._description import Description, Figure
from handler.reports.page._figures import axis_of
from handler.reports.page._text import clean

__all__ = ["group_tables", "session_table"]

Summaries = Mapping[str, Any]
Key = tuple[str, ...]


def session_table(metrics: Summaries, descriptions: Mapping[str, Description]) -> dict[str, Any]:
    """A row per session: the main figure of each metric with its interval; all figures where there is one metric."""
    found: dict[str, dict[Key, Any]] = {
        name: {(clean(one["session_id"]), clean(one["assistant_id"])): one for one in metric["sessions"]}
        for name, metric in metrics.items()
    }
    table = _table(found, descriptions)
    keys: list[Key] = table.pop("keys")
    return {"names": [{"label": "Session", "values": [key[0] for key in keys]},
                      {"label": "Assistant", "values": [key[1] for key in keys]}], **table}  # fmt: skip


def group_tables(metrics: Summaries, descriptions: Mapping[str, Description]) -> list[dict[str, Any]]:
    """One table a tag that summaries were asked for."""
    tags = list(dict.fromkeys(one["by"] for metric in metrics.values() for one in metric["groups"]))
    tables = []
    for by in tags:
        found: dict[str, dict[Key, Any]] = {
            name: {(clean(one["value"]) or "(none)",): one for one in metric["groups"] if one["by"] == by}
            for name, metric in metrics.items()
        }
        table = _table(found, descriptions)
        keys: list[Key] = table.pop("keys")
        tables.append({"by": clean(by), "names": [{"label": clean(by), "values": [key[0] for key in keys]}], **table})
    return tables


def _table(found: Mapping[str, dict[Key, Any]], descriptions: Mapping[str, Description]) -> dict[str, Any]:
    keys = list(dict.fromkeys(key for slices in found.values() for key in slices))
    columns = []
    for name, slices in found.items():
        rows = [slices.get(key, {}) for key in keys]
        description = descriptions[name]
        columns.append(_column(description.main, rows, description.axis))
        if len(found) == 1:
            columns += [_column(one, rows, None) for one in description.figures if one.key != "threshold"]
    first = [next(iter(found.values())).get(key, {}) for key in keys] if found else []
    scored = [{"n": count_decided(row)} if row else {} for row in first]
    columns.append(_column(Figure("n", "Scored", "count"), scored, None))
    if len(found) > 1 and (undecided := _undecided(found, keys)):
        columns.append(_column(Figure("n_undecided", "Undecided", "count"), undecided, None))
    if any(row.get("n_skipped") or row.get("n_error") for row in first):
        lost = [{"n": row.get("n_skipped", 0) + row.get("n_error", 0)} for row in first]
        columns.append(_column(Figure("n", "Not scored", "count"), lost, None))
    told = [one for one in columns if any(value is not None for value in one["values"])]
    return {"keys": keys, "n": len(keys), "columns": told}


def _undecided(found: Mapping[str, dict[Key, Any]], keys: list[Key]) -> list[Any]:
    """The rows of the metric that leaves samples open, where one does: "Scored" is the first metric's."""
    open_ = (slices for slices in found.values() if any(one.get("n_undecided") for one in slices.values()))
    slices = next(open_, None)
    return [] if slices is None else [slices.get(key, {}) for key in keys]


def _column(figure: Figure, rows: list[Any], axis: tuple[float, float] | None) -> dict[str, Any]:
    column: dict[str, Any] = {
        "label": figure.label,
        "form": figure.form,
        "values": [clean(one) if isinstance(one := row.get(figure.key), str) else one for row in rows],
    }
    if axis is not None:
        intervals = [(row.get("intervals") or {}).get(figure.key) or {} for row in rows]
        column["low"] = [one.get("low") for one in intervals]
        column["high"] = [one.get("high") for one in intervals]
        values = [one for one in column["values"] if isinstance(one, int | float)]
        column["axis"] = axis_of(axis, *values, *column["low"], *column["high"])
    return column

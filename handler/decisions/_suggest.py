"""Which frames a person should look at next, and a file to do it in."""

from __future__ import annotations

import csv
import io
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from handler.decisions._labelled import Row, field_of, score_of
from handler.metrics import list_metrics
from handler.reports import guarded

__all__ = ["Suggestion", "label_studio_tasks", "spreadsheet", "suggest"]

NEAR, DISAGREE, SPREAD = "near the threshold", "metrics disagree", "spread over the scores"
SHARES = {NEAR: 0.5, DISAGREE: 0.25, SPREAD: 0.25}
ASKED = ("question", "query", "prompt")  # columns that say what the model was asked

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """index: of the row. reason: why it is worth a person's time. scores: {metric: score}."""

    index: int
    reason: str
    scores: Mapping[str, float]


def suggest(
    rows: Sequence[Row],
    metrics: Mapping[str, bool],
    *,
    n: int,
    thresholds: Mapping[str, float],
    spread_by: str = "session_id",
) -> list[Suggestion]:
    """Up to n rows, in the input's order. metrics: {name: whether higher is better}, the first decides. thresholds: where
    verdicts are least sure; without one for the first metric, its median.

    Half are nearest to the threshold in rank, a quarter those on whose rank the metrics disagree most (where there are
    two), the rest spread evenly over the scores, so that a curve fitted to the labels has ends. Each kind takes from the
    sessions (`spread_by`) in turn, so that no camera fills the list.
    """
    first = next(iter(metrics))
    scored = [row for row in rows if _scores(row, metrics).get(first) is not None]
    if not scored or n < 1:
        return []
    values = np.array([_scores(row, metrics)[first] for row in scored])
    ranks = _ranks(values)
    middle = float(np.mean(values < thresholds[first])) if first in thresholds else 0.5
    near = -np.abs(ranks - middle)
    apart = _disagreement(scored, metrics)
    groups = [str(field_of(row, spread_by)) for row in scored]
    taken: dict[int, str] = {}
    quotas = _quotas(min(n, len(scored)), has_two=bool(apart.any()))
    for reason, orders in ((NEAR, near), (DISAGREE, apart)):
        _take(taken, reason, quotas[reason], _in_turn(np.argsort(-orders, kind="stable").tolist(), groups))
    _take(taken, SPREAD, quotas[SPREAD], _evenly(ranks, set(taken), quotas[SPREAD]))
    _take(taken, NEAR, min(n, len(scored)) - len(taken), np.argsort(-near, kind="stable").tolist())
    found = [Suggestion(scored[place]["index"], why, _scores(scored[place], metrics)) for place, why in taken.items()]
    return sorted(found, key=lambda one: one.index)


def spreadsheet(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """CSV with a BOM, which spreadsheets need to see UTF-8, and an empty column human_verdict: question and texts first, and
    neither scores nor why a frame was chosen, for a verdict is to be independent of them. A cell that a spreadsheet would
    take for a formula gets an apostrophe before it."""
    listed = [_sheet(entry) for entry in entries]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    names = list(dict.fromkeys(name for entry in listed for name in entry))
    writer.writerow([*map(guarded, names), "human_verdict"])
    writer.writerows([[*(_cell(entry.get(name)) for name in names), ""] for entry in listed])
    return text.getvalue().encode("utf-8-sig")


def label_studio_tasks(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """A list of Label Studio tasks; `data` holds the entry as it stands in a spreadsheet."""
    return orjson.dumps([{"data": _sheet(entry)} for entry in entries], option=orjson.OPT_INDENT_2)


def _sheet(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a person is shown of an entry: what was asked, the answer and the references, then the rest of the input."""
    hidden = {"why", *list_metrics()}
    shown = {name: value for name, value in entry.items() if name not in hidden}
    first = [name for name in shown if name in ASKED]
    first += [name for name in shown if name == "answer" or name.partition("_")[0] == "reference"]
    return {name: shown[name] for name in dict.fromkeys([*first, *shown])}


def _scores(row: Row, metrics: Iterable[str]) -> dict[str, float]:
    found = ((name, score_of(row, name)) for name in metrics)
    return {name: score for name, score in found if score is not None}


def _ranks(values: Floats) -> Floats:
    """0..1, equal values sharing the middle of theirs."""
    ordered = np.sort(values)
    places = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    ranks: Floats = places / (2.0 * len(values))
    return ranks


def _disagreement(rows: Sequence[Row], metrics: Mapping[str, bool]) -> Floats:
    """The widest distance between two metrics' ranks of a row, ranks turned so that higher is better; 0 for one metric."""
    columns = []
    for name, higher_is_better in metrics.items():
        scores = [_scores(row, [name]).get(name) for row in rows]
        known = np.array([score is not None for score in scores])
        column = np.full(len(rows), np.nan)
        if known.any():
            ranks = _ranks(np.array([score for score in scores if score is not None]))
            column[known] = ranks if higher_is_better else 1 - ranks
            columns.append(column)
    table = np.column_stack(columns)
    apart: Floats = np.nanmax(table, axis=1) - np.nanmin(table, axis=1)
    return apart


def _quotas(n: int, *, has_two: bool) -> dict[str, int]:
    quotas = {reason: round(share * n) for reason, share in SHARES.items()}
    if not has_two:
        quotas[DISAGREE] = 0
    quotas[NEAR] = max(0, n - quotas[DISAGREE] - quotas[SPREAD])
    return quotas


def _take(taken: dict[int, str], reason: str, most: int, places: Iterable[int]) -> None:
    left = most
    for place in places:
        if left <= 0:
            return
        if place not in taken:
            taken[place] = reason
            left -= 1


def _in_turn(places: Iterable[int], groups: Sequence[str]) -> Iterator[int]:
    """The places in their order, but one of each group at a time."""
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for place in places:
        waiting[groups[place]].append(place)
    queues = deque(waiting.values())
    while queues:
        queue = queues.popleft()
        yield queue.popleft()
        if queue:
            queues.append(queue)


def _evenly(ranks: Floats, taken: set[int], n: int) -> Iterator[int]:
    """The free places nearest to n even steps over the ranks."""
    free = [place for place in np.argsort(ranks, kind="stable").tolist() if place not in taken]
    for step in np.linspace(0, len(free) - 1, min(n, len(free))).round().astype(int).tolist():
        yield free[step]


def _cell(value: Any) -> Any:
    return guarded(value) if isinstance(value, str) else value

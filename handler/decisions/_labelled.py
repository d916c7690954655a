"""Scored rows and people's verdicts -> arrays, and which rows choose the threshold and which test it."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.decisions._verdicts import VerdictReader
from handler.errors import RequestError
from handler.statistics import cluster_codes

__all__ = ["Part", "Row", "Split", "Verdicts", "field_of", "part_of", "read_verdicts", "score_of", "split_groups"]

FIELDS = ("session_id", "assistant_id", "sample_id", "language")

Row = Mapping[str, Any]
Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The rows that have a verdict, and whether it is "different" (a hallucination). n_open: rows without one."""

    rows: list[Row]
    different: Labels
    n_open: int
    words: dict[str, int]


class Split(NamedTuple):
    """group: per row, what it must not be parted from. by: the field that says so. tested: per row, whether it is held
    out. notes: what a reader must know of it. one_session: there is nothing to keep apart, so frames were parted."""

    group: list[str]
    by: str
    tested: Labels
    notes: list[str]
    one_session: bool


class Part(NamedTuple):
    """Scores of one metric on some rows. danger: the score, turned so that more speaks for "different"."""

    danger: Floats
    different: Labels
    codes: NDArray[np.int64]

    @property
    def n_groups(self) -> int:
        """Sessions, or whatever rows are grouped by."""
        return int(self.codes.max(initial=-1)) + 1


def read_verdicts(rows: Sequence[Row], column: str, reader: VerdictReader) -> Verdicts:
    """The rows with a verdict. Raises RequestError for a word that is no verdict."""
    kept, different, words = [], [], Counter[str]()
    for row in rows:
        value = field_of(row, column)
        same = reader.read(value, f"{row['session_id']}/{row['sample_id']}")
        if same is not None:
            kept.append(row)
            different.append(not same)
            words[str(value)[:40]] += 1
    return Verdicts(kept, np.array(different, np.bool_), len(rows) - len(kept), dict(words.most_common(20)))


def field_of(row: Row, name: str) -> Any:
    """A tag, column or field of a row; None where it has none."""
    for holder in (row.get("tags") or {}, row.get("columns") or {}):
        if name in holder:
            return holder[name]
    return row.get(name) if name in FIELDS else None


def split_groups(rows: Sequence[Row], *, by: str, held_out: float, seed: int) -> Split:
    """Part the groups by the order of the sha256 of (seed, group), so that about `held_out` of the rows is held out.

    Where each session is one frame, or all frames are of one session, frames are what is parted, and the notes say so.
    """
    group = [_group(row, by) for row in rows]
    n_groups = len(set(group))
    notes: list[str] = []
    one_session = n_groups == 1 < len(rows)
    if n_groups == len(rows) and by != "sample_id":
        notes.append(f"every {by} has one frame with a verdict: frames are taken as independent")
        by = "frame"
    elif one_session:
        notes.append(f"all frames have one {by}: frames of it are on both sides, and the intervals are too narrow")
        by = "frame"
        group = [f"{number}/{row['sample_id']}" for number, row in enumerate(rows)]
    sizes = Counter(group)
    ordered = sorted(sizes, key=lambda one: hashlib.sha256(f"{seed}\0{one}".encode()).digest())
    wanted, taken, held = held_out * len(rows), 0, set()
    for place, one in enumerate(ordered):
        if taken and (taken + sizes[one] / 2 > wanted or place == len(ordered) - 1):
            break
        held.add(one)
        taken += sizes[one]
    return Split(group, by, np.array([one in held for one in group], np.bool_), notes, one_session)


def part_of(verdicts: Verdicts, split: Split, metric: str, *, higher_is_better: bool, chosen: Labels) -> Part:
    """The chosen rows that the metric scored and that its threshold decides."""
    scores = [score_of(row, metric) for row in verdicts.rows]
    places = [place for place in np.flatnonzero(chosen).tolist() if scores[place] is not None]
    values = np.array([scores[place] for place in places], np.float64)
    danger: Floats = -values if higher_is_better else values
    return Part(danger, verdicts.different[places], cluster_codes([split.group[place] for place in places]))


def score_of(row: Row, metric: str) -> float | None:
    """None where there is none, and where the metric leaves the row undecided: no threshold speaks for a blank answer."""
    found = row["metrics"].get(metric, {})
    score = found.get("score")
    if score is None or found.get("undecided") or not math.isfinite(score):
        return None
    return float(score)


def _group(row: Row, by: str) -> str:
    if by == "session_id":
        return f"{row['session_id']}"
    if by == "sample_id":
        return f"{row['session_id']}/{row['assistant_id']}/{row['sample_id']}/{row['index']}"
    value = field_of(row, by)
    if value is None:
        raise RequestError(
            f"{row['session_id']}/{row['sample_id']} has no {by!r} to keep its frames together by",
            field="split_by",
            hint="Name a column that every frame with a verdict has, session_id, or sample_id for independent frames",
        )
    return str(value)

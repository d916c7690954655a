"""Thresholds from people's verdicts: scored rows in, the content of calibration.json out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handler.decisions._aims import Aim
from handler.decisions._calibration_file import SCHEMA, sealed
from handler.decisions._calibration_metric import MINIMA, calibrate_metric
from handler.decisions._labelled import Row, Split, Verdicts, field_of, read_verdicts, split_groups
from handler.decisions._probability import Probability
from handler.decisions._verdicts import VerdictReader, find_column
from handler.errors import RequestError

__all__ = ["CalibrationPlan", "MetricFacts", "calibration_of", "unlabelled"]

SLICES = (
    "assistant_id",
    "language",
    "camera",
    "camera_id",
    "site",
)  # where there are; also every tag, and what is asked
MOST_VALUES = 50  # of one field, the most frequent first


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """What a calibration must know of a metric. model: name@hash, None without a model. sets: the metrics whose threshold
    is compared with this score."""

    signature: str
    higher_is_better: bool
    model: str | None = None
    sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CalibrationPlan:
    """How to calibrate. verdict: the column (None: human_verdict and its like). words, same_from: see VerdictReader.
    held_out: share of rows, 0..1, that tests the threshold. split_by: what must not be parted. seed: of the split.
    group_by: columns to give figures for, beside assistant, language, camera and tags."""

    aim: Aim
    verdict: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    same_from: float | None = None
    held_out: float = 0.5
    split_by: str = "session_id"
    seed: int = 0
    group_by: Sequence[str] = ()
    probability: Probability = "auto"


def _verdicts_of(rows: Sequence[Row], plan: CalibrationPlan) -> tuple[str, VerdictReader, Verdicts]:
    """The column of verdicts, how it is read, and what it holds. Raises RequestError where there is none."""
    column = find_column(rows, plan.verdict)
    if column is None:
        raise RequestError(
            "no frame has a verdict by a person",
            field="verdict",
            hint="Add a column human_verdict (same or different), or name yours with --verdict; "
            "`scenescore calibrate INPUT --suggest 200` says which frames to look at first",
        )
    reader = VerdictReader(column, words=plan.words, same_from=plan.same_from)
    return column, reader, read_verdicts(rows, column, reader)


def unlabelled(rows: Sequence[Row], plan: CalibrationPlan) -> tuple[str | None, list[Row]]:
    """The column of verdicts, and the rows without one: all where there is no such column and none was asked for."""
    column = find_column(rows, plan.verdict)
    if column is None:
        return None, list(rows)
    reader = VerdictReader(column, words=plan.words, same_from=plan.same_from)
    places = (f"{row['session_id']}/{row['sample_id']}" for row in rows)
    verdicts = [reader.read(field_of(row, column), place) for row, place in zip(rows, places, strict=True)]
    return column, [row for row, same in zip(rows, verdicts, strict=True) if same is None]


def calibration_of(
    rows: Sequence[Row], metrics: Mapping[str, MetricFacts], plan: CalibrationPlan, *, source: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of calibration.json. rows: of samples.jsonl. metrics: those to find a threshold for. source: the
    `input` of the report the rows belong to. Raises RequestError for a word that is no verdict, or when there is none."""
    column, reader, verdicts = _verdicts_of(rows, plan)
    if not verdicts.rows:
        raise RequestError(f"every {column} is empty or undecided", field="verdict", hint="Label some frames first")
    split = split_groups(verdicts.rows, by=plan.split_by, held_out=plan.held_out, seed=plan.seed)
    sliced = _sliced(verdicts.rows, plan.group_by)
    found = {}
    for name, facts in metrics.items():
        entry = calibrate_metric(
            name,
            verdicts,
            split,
            sliced,
            aim=plan.aim,
            higher_is_better=facts.higher_is_better,
            probability=plan.probability,
        )
        found[name] = {"signature": facts.signature, "model": facts.model, "sets": list(facts.sets), **entry}
    reasons = [f"{name}: {reason}" for name, entry in found.items() for reason in entry["reasons"]]
    return sealed(
        {
            "schema": SCHEMA,
            "calibrated": any(entry["calibrated"] for entry in found.values()),
            "reasons": reasons,
            "input": {key: source.get(key) for key in ("name", "content")},
            "labels_sha256": _labels_hash(verdicts, metrics),
            "aim": str(plan.aim),
            "minima": dict(MINIMA),
            "verdicts": _verdicts_document(column, reader, verdicts),
            "split": _split_document(split, plan),
            "metrics": found,
        }
    )


def _verdicts_document(column: str, reader: VerdictReader, verdicts: Verdicts) -> dict[str, Any]:
    n_different = int(verdicts.different.sum())
    return {
        "column": column,
        "rule": reader.rule,
        "words": verdicts.words,
        "n_same": len(verdicts.rows) - n_different,
        "n_different": n_different,
        "n_without": verdicts.n_open,
    }


def _split_document(split: Split, plan: CalibrationPlan) -> dict[str, Any]:
    return {
        "by": split.by,
        "rule": "in the order of the sha256 of seed and group",
        "seed": plan.seed,
        "held_out": plan.held_out,
        "notes": split.notes,
    }


def _sliced(rows: Sequence[Row], asked: Sequence[str]) -> dict[str, list[str]]:
    """{field: its value per row}, for fields that part the rows. Raises RequestError for one asked for that none has."""
    names = dict.fromkeys([*asked, *SLICES, *(tag for row in rows for tag in row.get("tags") or ())])
    found = {}
    for name in names:
        values = [_text(field_of(row, name)) for row in rows]
        counts = Counter(values)
        if name in asked and set(counts) == {""}:
            raise RequestError(f"no frame with a verdict has {name!r}", field="group_by")
        if len(counts) > 1:
            kept = {value for value, _ in counts.most_common(MOST_VALUES)}
            found[name] = [value if value in kept else "" for value in values]
    return found


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _labels_hash(verdicts: Verdicts, metrics: Mapping[str, MetricFacts]) -> str:
    """Over ids, verdicts and scores: what the thresholds were found from."""
    digest = hashlib.sha256()
    for row, different in zip(verdicts.rows, verdicts.different.tolist(), strict=True):
        scores = [row["metrics"].get(name, {}).get("score") for name in metrics]
        digest.update(
            json.dumps([row["session_id"], row["assistant_id"], row["sample_id"], different, scores]).encode()
        )
    return digest.hexdigest()

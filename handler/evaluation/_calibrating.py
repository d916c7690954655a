"""Calibrating and suggesting: score what people judged, or take a finished result, and hand the rows to the decisions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from handler import storage
from handler.decisions import (
    CalibrationPlan,
    MetricFacts,
    Probability,
    Suggestion,
    calibration_of,
    label_studio_tasks,
    parse_aim,
    read_calibration,
    spreadsheet,
    suggest,
    unlabelled,
)
from handler.errors import RequestError
from handler.evaluation._metrics import Machine
from handler.evaluation._opened import open_input
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import run
from handler.formats import Notices
from handler.metrics import list_metrics, metric_class, score_signature
from handler.reports import Report, dump_json, find_result, is_result
from handler.samples import Sample

__all__ = ["CalibrationRequest", "calibrate", "is_finished", "run_calibration", "run_suggestion"]


class CalibrationRequest(EvaluationRequest):
    """What to calibrate and how; what it shares with an evaluation reads and scores the input.

    `input` may be a finished result folder, or the one above it, which is not scored again. `verdict` names the column
    with people's verdicts (human_verdict); `words` adds words, {word: same | different}; `same_from` says from which grade
    on a verdict means same. `aim`: see AIMS. `held_out`: share of frames, 0..1, that tests the threshold. `split_by`: frames
    that agree in it stay together, `sample_id` for independent frames. `group_by`: fields to give figures for. `suggest`:
    how many frames to name for labelling. `output`: where calibration.json goes (a suggestion: the file), a path or s3://
    uri.
    """

    verdict: str | None = None
    words: dict[str, str] = Field(default_factory=dict)
    same_from: float | None = None
    aim: str = "balanced_accuracy"
    held_out: float = Field(default=0.5, ge=0.1, le=0.9)
    split_by: str = "session_id"
    seed: int = Field(default=0, ge=0, lt=2**32)
    probability: Probability = "auto"
    suggest: int | None = Field(default=None, ge=1, le=100_000)

    def plan(self) -> CalibrationPlan:
        """How to calibrate. Raises RequestError for an aim that does not exist."""
        return CalibrationPlan(
            aim=parse_aim(self.aim),
            verdict=self.verdict,
            words=self.words,
            same_from=self.same_from,
            held_out=self.held_out,
            split_by=self.split_by,
            seed=self.seed,
            group_by=self.group_by,
            probability=self.probability,
        )


@dataclass(frozen=True, slots=True)
class _Scored:
    """rows: of samples.jsonl. facts: of the metrics whose scores a threshold can be found for."""

    rows: Sequence[Mapping[str, Any]]
    facts: dict[str, MetricFacts]
    source: Mapping[str, Any]


def calibrate(
    data: Any, *, model: str | os.PathLike[str] | None = None, threads: int | None = None, **request: Any
) -> dict[str, Any]:
    """Find thresholds that people's verdicts support; returns the content of calibration.json.

    data: as for `evaluate`, each frame with a verdict in a column `human_verdict` (or `verdict="name"`), or a finished
    result folder. request: any field of `CalibrationRequest`, e.g. `aim="recall:0.95"`, `output="calibration.json"`.
    Raises ScenescoreError.
    """
    values = {key: os.fspath(one) if isinstance(one, os.PathLike) else one for key, one in request.items()}
    if isinstance(data, str | os.PathLike):
        values["input"], data = os.fspath(data), None
    machine = Machine(model=Path(model) if model is not None else None, threads=threads)
    return run_calibration(CalibrationRequest.parse(values), machine, records=data)


def run_calibration(
    request: CalibrationRequest, machine: Machine, *, records: Any = None, most: int | None = None
) -> dict[str, Any]:
    """Calibrate, and write calibration.json where the request has an output. most: frames that may be scored for it."""
    if request.calibration is not None:
        raise RequestError("a calibration is made from verdicts, not from a calibration", field="calibration")
    plan = request.plan()
    scored = _scored(request, machine, records, most)
    document = calibration_of(scored.rows, scored.facts, plan, source=scored.source)
    if request.output is not None:
        storage.write_bytes(request.output, dump_json(document))
    return document


def run_suggestion(request: CalibrationRequest, machine: Machine, *, most: int | None = None) -> list[dict[str, Any]]:
    """The frames to label next, with their texts; written as CSV, or as Label Studio tasks where the output ends in .json.

    The threshold is that of `calibration` where it is given, else what the verdicts there are suggest, else the one
    `threshold` says. Raises RequestError where every frame has a verdict already.
    """
    assert request.suggest is not None
    scored = _scored(request.model_copy(update={"calibration": None}), machine, None, most)
    column, rows = unlabelled(scored.rows, request.plan())
    thresholds = {name: _threshold(name, request) for name, facts in scored.facts.items() if facts.sets}
    found: Mapping[str, Any] = {}
    if request.calibration is not None:
        found = read_calibration(request.calibration).document
    elif len(rows) < len(scored.rows):
        found = calibration_of(scored.rows, scored.facts, request.plan(), source=scored.source)
    known = {name: one["threshold"] for name, one in found.get("metrics", {}).items()}
    thresholds |= {name: one for name, one in known.items() if one is not None}
    directions = {name: facts.higher_is_better for name, facts in scored.facts.items()}
    chosen = suggest(rows, directions, n=request.suggest, thresholds=thresholds, spread_by=request.split_by)
    if not chosen:
        raise RequestError(
            "there is no scored frame without a verdict",
            field="suggest",
            hint="Name a file with frames that nobody has judged, or leave --suggest out (suggest) to calibrate",
        )
    texts = _texts(request, {one.index for one in chosen})
    entries = list(_entries(chosen, {row["index"]: row for row in rows}, texts, column))
    if request.output is not None:
        make = label_studio_tasks if request.output.endswith(".json") else spreadsheet
        storage.write_bytes(request.output, make(entries))
    return entries


def _threshold(name: str, request: CalibrationRequest) -> float:
    """What scores of a metric are held against without a calibration."""
    own = metric_class(name).own_threshold
    if own is None:
        return request.threshold
    stated: float = request.options.get(name, {}).get("threshold", own)
    return stated


def is_finished(location: str | None) -> bool:
    """Whether the location is a result folder, whose rows need no scoring."""
    return _finished(location) is not None


def _scored(request: CalibrationRequest, machine: Machine, records: Any, most: int | None) -> _Scored:
    """The rows of a finished result, or of one made now."""
    report = _finished(request.input)
    if report is None:
        plain = {
            name: getattr(request, name) for name in EvaluationRequest.model_fields if name in request.model_fields_set
        }
        asked = EvaluationRequest.parse({**plain, "output": None, "group_by": []})
        report = run(asked, machine, records=records)
        if most is not None and report["counts"]["n_samples"] > most:
            raise RequestError(
                f"there are more than {most} frames to score",
                field="input",
                hint="Evaluate them first, then name the result folder as input",
            )
    return _Scored(report.samples, _facts(report), report["input"])


def _finished(location: str | None) -> Report | None:
    if location is None or not is_result(location):
        return None
    folder = find_result(location)
    document = folder.report()
    return Report(document, location=folder.location) if document is not None else None


def _facts(report: Mapping[str, Any]) -> dict[str, MetricFacts]:
    """Those of the report's metrics that score frames one by one, whose score is not a verdict by a threshold."""
    signatures = report["signature"]
    facts = {}
    for name in report["metrics"]:
        cls = metric_class(name)
        if cls.is_set_metric or cls.threshold_of not in (None, name):
            continue
        sets = tuple(other for other in list_metrics() if metric_class(other).threshold_of == name)
        parts = dict(part.partition(":")[::2] for part in signatures[name].split("|"))
        facts[name] = MetricFacts(score_signature(signatures[name]), cls.higher_is_better, parts.get("model"), sets)
    if not facts:
        raise RequestError(
            f"no score to find a threshold for: {', '.join(report['metrics'])}",
            field="metrics",
            hint="vision.hallucination's threshold comes from vision.similarity: evaluate both",
        )
    return facts


def _texts(request: CalibrationRequest, wanted: set[int]) -> dict[int, Sample]:
    """The samples with these indexes, read once more; none of a finished result, which keeps no texts."""
    if is_finished(request.input):
        return {}
    records = open_input(request.model_copy(update={"output": None}), None, Notices()).records
    return {one.index: one for one in records if isinstance(one, Sample) and one.index in wanted}


def _entries(
    chosen: Sequence[Suggestion],
    rows: Mapping[int, Mapping[str, Any]],
    texts: Mapping[int, Sample],
    column: str | None,
) -> Iterator[dict[str, Any]]:
    """What a person needs to judge a frame, named so that the labelled file can be read as an input."""
    most = max((len(sample.references) for sample in texts.values()), default=0)
    for one in chosen:
        row = rows[one.index]
        entry = {name: row[name] for name in ("session_id", "assistant_id", "sample_id")}
        if sample := texts.get(one.index):
            entry["answer"] = sample.answer
            names = ["reference", *(f"reference_{n}" for n in range(2, most + 1))]
            entry |= {name: (*sample.references, *[None] * most)[n] for n, name in enumerate(names[:most])}
        entry |= {name: value for name, value in (row.get("columns") or {}).items() if name not in {*entry, column}}
        yield entry | {name: round(score, 6) for name, score in one.scores.items()} | {"why": one.reason}

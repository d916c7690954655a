"""Two or more results on the same samples: which is better, by how much, where, and is that chance?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Self

from handler import storage
from handler.decisions.comparison._document import document_of
from handler.decisions.comparison._figures import figures_of, selected_figures
from handler.decisions.comparison._pairs import pair_up
from handler.decisions.comparison._rows import Columns, read_columns
from handler.decisions.comparison._runs import Run, names_of, open_run
from handler.decisions.comparison._text import render_comparison
from handler.errors import RequestError
from handler.formats import stem_of
from handler.metrics import list_metrics
from handler.reports import Document, dump_json

__all__ = ["COMPARISON", "Comparison", "compare"]

COMPARISON = "comparison.json"


class Comparison(Document):
    """The content of comparison.json as a mapping. location: its folder, None when nothing was written."""

    def __repr__(self) -> str:
        return f"Comparison({self['verdict']}: {self['summary']})"

    @property
    def regressed(self) -> bool:
        """Whether a figure of any candidate is worse than the baseline's, overall or in a slice."""
        return bool(self["verdict"] == "regressed")

    def display(self) -> Self:
        """Print verdict, table, what regressed and the next step."""
        print(render_comparison(self))  # noqa: T201 - asked for
        return self


def compare(
    *runs: Any,
    by: str | None = None,
    baseline: str | None = None,
    on: Sequence[str] | None = None,
    cluster_by: str = "session_id",
    group_by: Sequence[str] = (),
    metrics: Sequence[str] | None = None,
    tolerance: float = 0.0,
    output: str | None = None,
) -> Comparison:
    """Compare results on the same samples, without scoring anything again.

    runs: result folders (path or s3:// uri; the folder above stands for its newest result), report.json files or Reports;
    the first is the baseline. With `by` (e.g. "assistant_id") one result is parted by that field, and `baseline` names the
    value to compare with. on: what samples are joined by, session_id and sample_id unless given (and assistant_id where all
    runs hold the same several assistants; sample_id alone where each run has one session, named after its input file).
    cluster_by: what is independent. group_by: tags or columns to slice by; else all tags, what the baseline was grouped by,
    and assistants, with 2 to 50 values, but no slice within one independent unit. metrics: names, groups or figures
    of rankings; else all. tolerance: a drop up to this size is no regression. output: comparison.json goes to
    `<output>/comparisons/<hash>/`.

    A difference counts when its p, corrected by Holm for all figures and candidates (for slices: for all slices), is at
    most 0.05. Raises ScenescoreError.
    """
    opened = [open_run(one) for one in runs]
    _check(opened, by, baseline, tolerance)
    there = list(dict.fromkeys(name for run in opened for name in run.document["metrics"]))
    known = set(list_metrics())
    figures = selected_figures(metrics, [name for name in there if name in known])
    unknown = [name for name in there if name not in known] if metrics is None else []
    are_files = on is None and by is None and _sessions_are_files(opened)
    joined = list(on or _default_join(opened, by, by_session=not are_files))
    grouped = opened[0].document.get("request", {}).get("group_by", [])
    extra = list(dict.fromkeys([*joined, cluster_by, *(group_by or grouped)]))
    if by is None:
        names = names_of(opened)
        sides = [read_columns(run, figures, on=joined, group_by=extra)[""] for run in opened]
    else:
        names, sides = _parted(read_columns(opened[0], figures, on=joined, group_by=extra, by=by), by, baseline)
    pairings = [
        pair_up(sides[0], side, names=(names[0], name), on=joined, cluster_by=cluster_by)
        for name, side in zip(names[1:], sides[1:], strict=True)
    ]
    rules = {
        "joined_by": joined,
        "sessions_are_files": are_files,
        "sides_by": by,
        "unit": cluster_by,
        "group_by": list(group_by),
        "metrics": [
            figure.metric if figure == figures_of(figure.metric) else f"{figure.metric}.{figure.name}"
            for figure in figures
        ],
        "metrics_named": metrics is not None,
        "tolerance": tolerance,
    }
    document = document_of(pairings, figures, rules, group_by, unknown)
    if output is None:
        return Comparison(document)
    location = storage.join(output, "comparisons", _name(opened, rules, names))
    storage.write_bytes(storage.join(location, COMPARISON), dump_json(document))
    return Comparison(document, location=location)


def _check(runs: Sequence[Run], by: str | None, baseline: str | None, tolerance: float) -> None:
    if by is None and len(runs) < 2:
        hint = "Name two result folders, or --by assistant_id for a result of several assistants"
        raise RequestError("there is nothing to compare with", field="runs", hint=hint)
    if by is not None and len(runs) != 1:
        raise RequestError("`by` parts one result", field="by", hint=f"Name one folder, got {len(runs)}")
    if by is None and baseline is not None:
        raise RequestError("`baseline` goes with `by`", field="baseline", hint="The first folder is the baseline")
    if not tolerance >= 0:
        raise RequestError(f"the tolerance must be 0 or more, got {tolerance}", field="tolerance")


def _default_join(runs: Sequence[Run], by: str | None, *, by_session: bool) -> list[str]:
    assistants = {tuple(sorted(run.assistants)) for run in runs}
    several = by is None and len(assistants) == 1 and len(next(iter(assistants))) > 1
    return [*["session_id"] * by_session, *["assistant_id"] * several, "sample_id"]


def _sessions_are_files(runs: Sequence[Run]) -> bool:
    """Whether the sessions are none that a person named: one in each run, called as its input file is, and not alike."""
    return len({run.input_name for run in runs}) > 1 and all(
        run.sessions == {stem_of(storage.name_of(run.input_name))} for run in runs
    )


def _parted(found: Mapping[str, Columns], by: str, baseline: str | None) -> tuple[list[str], list[Columns]]:
    names = list(found)
    if len(names) < 2:
        value = ", ".join(names) or "none"
        raise RequestError(f"all samples have the same {by}: {value}", field="by", hint="Name another field")
    if baseline is not None:
        if baseline not in names:
            raise RequestError(
                f"no sample has {by} {baseline!r}", field="baseline", hint=f"There is: {', '.join(names)}"
            )
        names = [baseline, *(name for name in names if name != baseline)]
    return names, [found[name] for name in names]


def _name(runs: Sequence[Run], rules: Mapping[str, Any], names: Sequence[str]) -> str:
    """16 hex digits of what was compared and how: the same comparison finds its place again."""
    what = [[run.input_name, run.document["input"]["content"], run.document["signature"]] for run in runs]
    return hashlib.sha256(json.dumps([what, rules, names[0]], sort_keys=True).encode()).hexdigest()[:16]

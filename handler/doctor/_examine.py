"""Metrics on made pairs: which version each one prefers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from handler.claims import Kind
from handler.doctor._pairs import ANOTHER, Described, MadePair, Versions, made_pairs
from handler.doctor._preference import Preference
from handler.metrics import BaseMetric, compute_all
from handler.results import MetricResult
from handler.samples import Sample

__all__ = ["LIMITS", "Examination", "examine"]

MAX_EXAMPLES = 2  # of a kind
CHUNK = 64  # pairs scored at once

LIMITS = (
    "The false versions are made by rule, one change each. They show what rules can change, not the errors of your model, "
    "which are reworded, invented or several at once: expect every metric to do worse on those.",
    "Where no second person described a picture, the true version is made by rule too, and closer to the reference than "
    "another person's words would be: that flatters every metric. Give several references a picture where you have them.",
    "vision.claims flatters itself here: it reads sentences by the same analysis that edits them, and it was trained on "
    "edits by these very rules. Trust its figures least.",
    "A rule can misread a sentence, so that a false version is still true or a true one is not: read the pairs (--output).",
    "A preference says which of two versions scores better, not that a threshold separates them: that takes verdicts of "
    "people on your model's answers (scenescore calibrate).",
    "Intervals take references as independent. Those of one camera or one writer rarely are.",
)


@dataclass(frozen=True, slots=True)
class Examination:
    """document: `scenescore.doctor/1`. pairs: what was compared, each with scores and outcome per metric."""

    document: dict[str, Any]
    pairs: list[dict[str, Any]]


def examine(
    described: Sequence[Described],
    metrics: Sequence[BaseMetric],
    *,
    edits: Versions,
    rewrites: Versions,
    seed: int = 0,
) -> Examination:
    """Make a pair of each kind from each reference, and let each metric choose between its two versions.

    described: distinct. metrics: read texts. The document says per kind to how many references it applied, and per metric
    how often the true version was preferred; `limits` says what that does not show.
    """
    applied: Counter[str] = Counter()
    pairs: list[MadePair] = []
    n_unedited = n_without_true = 0
    for one in described:
        found = list(edits(one.text))
        made = list(made_pairs(one, edits=found, rewrites=rewrites, seed=seed))
        applied.update({edit.kind for edit in found})
        n_unedited += not found
        n_without_true += bool(found) and not made
        pairs += made
    compared = [
        row for start in range(0, len(pairs), CHUNK) for row in _compared(pairs[start : start + CHUNK], metrics)
    ]
    document = {
        "schema": "scenescore.doctor/1",
        "seed": seed,
        "n_examined": len(described),
        "n_unedited": n_unedited,
        "n_without_true": n_without_true,
        "n_pairs": len(pairs),
        "n_by_another": sum(pair.source == ANOTHER for pair in pairs),
        "signature": {metric.name: metric.signature() for metric in metrics},
        "kinds": [_kind(kind, applied[kind], compared, metrics) for kind in _kinds(applied)],
        "limits": list(LIMITS),
    }
    return Examination(document, compared)


def _kinds(applied: Iterable[str]) -> list[str]:
    """Those that claims know, in their order, then any other."""
    known = [kind.value for kind in Kind]
    return [*known, *sorted(set(applied) - set(known))]


def _compared(pairs: Sequence[MadePair], metrics: Sequence[BaseMetric]) -> Iterator[dict[str, Any]]:
    answers = [(text, pair.reference) for pair in pairs for text in (pair.true, pair.false)]
    samples = [
        Sample(at, "doctor", "rule", str(at), answer, (reference,)) for at, (answer, reference) in enumerate(answers)
    ]
    found = compute_all(metrics, samples)
    for at, pair in enumerate(pairs):
        scores = {metric.name: _scores(found[metric.name][2 * at : 2 * at + 2], metric) for metric in metrics}
        yield {**asdict(pair), "spans": [list(span) for span in pair.spans], "scores": scores}


def _scores(results: Sequence[MetricResult], metric: BaseMetric) -> dict[str, Any]:
    true, false = results
    if true.score is None or false.score is None:
        lost = true if true.score is None else false
        return {"true": true.score, "false": false.score, "gain": None, "reason": _reason(lost)}
    gain = true.score - false.score if metric.higher_is_better else false.score - true.score
    return {"true": true.score, "false": false.score, "gain": gain}


def _reason(result: MetricResult) -> str:
    return str(result.details.get("skipped") or result.details.get("error") or "no score")


def _kind(
    kind: str, n_references: int, compared: Sequence[dict[str, Any]], metrics: Sequence[BaseMetric]
) -> dict[str, Any]:
    """n_references: those in which a rule found something of the kind to change. examples: what most metrics got wrong."""
    rows = [row for row in compared if row["kind"] == kind]
    preferences = {metric.name: Preference() for metric in metrics}
    missed: list[tuple[int, int]] = []
    for at, row in enumerate(rows):
        outcomes = {name: _count(preferences[name], scores) for name, scores in row["scores"].items()}
        row["preferred"] = outcomes
        missed.append((-sum(one in ("loss", "tie") for one in outcomes.values()), at))
    shown = [rows[at] for _, at in sorted(missed)[:MAX_EXAMPLES]]
    return {
        "kind": kind,
        "n_references": n_references,
        "n_pairs": len(rows),
        "metrics": {name: one.document() for name, one in preferences.items()},
        "examples": [_example(row) for row in shown],
    }


def _count(preference: Preference, scores: Mapping[str, Any]) -> str | None:
    """win, tie or loss; None where there is nothing to compare."""
    if scores["gain"] is None:
        preference.not_scored[scores["reason"]] += 1
        return None
    return preference.add(scores["gain"])


def _example(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("reference", "true", "source", "false", "spans", "scores", "preferred")}

"""comparison.json: every figure of every candidate, the slices, what regressed most, and what to mind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from handler.decisions.comparison._figures import Figure
from handler.decisions.comparison._losses import regressed_samples
from handler.decisions.comparison._paired import POWER, Tested, detectable, distribution, paired, tested
from handler.decisions.comparison._pairs import Pairing, Scored
from handler.decisions.comparison._slices import Slice, slice_fields, slices_of, within_one_cluster
from handler.decisions.comparison._warnings import joined_by_id, untested, warnings_of
from handler.errors import InputError
from handler.statistics import holm

__all__ = ["ALPHA", "SCHEMA", "document_of"]

SCHEMA = "scenescore.comparison/1"
ALPHA = 0.05  # chance of one false find among all figures, and of one among all slices


def document_of(
    pairings: Sequence[Pairing],
    figures: Sequence[Figure],
    rules: Mapping[str, Any],
    group_by: Sequence[str],
    unknown: Sequence[str] = (),
) -> dict[str, Any]:
    """Test everything, then correct for how much was tested. unknown: metrics of another version.

    Raises InputError where a metric that was asked for, or all, cannot be compared.
    """
    entries, refused, alone = _entries(pairings, figures, group_by)
    refused = [*_refused(pairings, unknown), *refused]
    if refused and (rules["metrics_named"] or not entries):
        first = refused[0]
        raise InputError(
            f"{first['metric']} of {first['candidate']} cannot be compared: {first['reason']}", field="metrics"
        )
    slices = [one for entry in entries for one in entry["slices"]]
    for family in (entries, slices):
        _correct(family, float(rules["tolerance"]))
    warnings = [*joined_by_id(rules), *warnings_of(pairings, entries, figures), *untested(sorted(alone), rules["unit"])]
    for one in (*entries, *slices):
        if one["unit"] == "session":
            one["unit"] = str(rules["unit"]).removesuffix("_id")
    verdict = _verdict(entries)
    return {
        "schema": SCHEMA,
        "verdict": verdict,
        "summary": _summary(entries, verdict),
        "rules": {
            **rules,
            "alpha": ALPHA,
            "power": POWER,
            "correction": "holm",
            "n_figures_tested": len(entries),
            "n_slices_tested": len(slices),
        },
        "runs": list(_runs(pairings)),
        "matching": [pairing.document() for pairing in pairings],
        "comparisons": entries,
        "refused": refused,
        "warnings": warnings,
    }


def _entries(
    pairings: Sequence[Pairing], figures: Sequence[Figure], group_by: Sequence[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], set[tuple[str, str]]]:
    """Every figure of every candidate; what cannot be compared, and why; the slices that lie within one unit."""
    entries: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    alone: set[tuple[str, str]] = set()
    n_tests = len(pairings) * len(figures)
    for pairing in pairings:
        rows, clusters = pairing.matched.baseline, pairing.clusters
        fields = slice_fields(pairing.baseline, rows, group_by, clusters)
        if not group_by and np.ptp(clusters):
            alone.update(within_one_cluster(pairing.baseline, rows, fields, clusters))
        n_slices = sum(len(pairing.baseline.fields[field].names) for field in fields)
        for figure in figures:
            scored = pairing.scored(figure)
            if reason := _reason(pairing, figure, scored):
                refused.append({"candidate": pairing.names[1], "metric": figure.metric, "reason": reason})
            else:
                entries.append(
                    _entry(pairing, figure, scored, fields, (n_tests, n_tests * n_slices), asked=bool(group_by))
                )
    return entries, refused, alone


def _refused(pairings: Sequence[Pairing], unknown: Sequence[str]) -> Iterator[dict[str, Any]]:
    why = "this version of scenescore does not know the metric"
    for pairing in pairings:
        for name in unknown:
            yield {"candidate": pairing.names[1], "metric": name, "reason": why}


def _reason(pairing: Pairing, figure: Figure, scored: Scored) -> str | None:
    """Why a figure cannot be compared."""
    for name, side in zip(pairing.names, (pairing.baseline, pairing.candidate), strict=True):
        if figure.metric not in side.run.document["metrics"]:
            return f"{name} was not scored by {figure.metric}"
        if len(side) and not (side.scores(figure)[:, 0] == side.scores(figure)[:, 0]).any():
            return (
                f"no row of {name} has a score of its own: {figure.metric} has a figure of the whole set only, and "
                "without values per sample nothing says whether a difference is chance"
            )
    if not len(scored.places):
        return "no sample was scored on both sides"
    if figure.is_ratio and not (scored.baseline[:, 1].sum() and scored.candidate[:, 1].sum()):
        return "there are no reference words"
    return None


def _entry(
    pairing: Pairing, figure: Figure, scored: Scored, fields: Sequence[str], n_tests: tuple[int, int], *, asked: bool
) -> dict[str, Any]:
    """n_tests: of figures, and of slices. asked: whether a person named the fields."""
    clusters = pairing.clusters[scored.places]
    one = paired(scored.baseline, scored.candidate, clusters)
    rows = pairing.matched.baseline[scored.places]
    slices = slices_of(
        pairing.baseline,
        rows,
        fields,
        scored.baseline,
        scored.candidate,
        clusters,
        n_tests=n_tests[1],
        of_one_cluster=asked or not np.ptp(clusters),
    )
    return {
        "baseline": pairing.names[0],
        "candidate": pairing.names[1],
        "metric": figure.metric,
        "figure": figure.name,
        "higher_is_better": figure.higher_is_better,
        "is_rate": figure.is_rate,
        "n_samples": len(scored.places),
        "n_baseline_only": scored.n_baseline_only,
        "n_candidate_only": scored.n_candidate_only,
        **_figures(one.values, tested(one, n_tests=n_tests[0]), figure.most),
        **distribution(one, higher_is_better=figure.higher_is_better),
        "slices": [_slice(each, figure) for each in slices],
        "regressed": regressed_samples(pairing, scored.places, one.scores, higher_is_better=figure.higher_is_better),
    }


def _slice(one: Slice, figure: Figure) -> dict[str, Any]:
    found = _figures(one.values, one.tested, figure.most)
    return {
        "by": one.by,
        "value": one.value,
        "n_samples": one.n_samples,
        **found,
        "higher_is_better": figure.higher_is_better,
    }


def _figures(values: tuple[float | None, float | None], found: Tested, most: float) -> dict[str, Any]:
    """most: the largest difference there can be, which an interval from few sessions may pass."""
    interval = found.interval
    if interval is not None:
        interval = interval._replace(low=max(interval.low, -most), high=min(interval.high, most))
    return {
        "baseline_value": values[0],
        "candidate_value": values[1],
        "difference": found.difference,
        "interval": interval._asdict() if interval else None,
        "standard_error": found.standard_error,
        "p": found.p,
        "p_method": found.p_method,
        "unit": found.unit,
        "n_units": found.n_units,
    }


def _correct(family: Sequence[dict[str, Any]], tolerance: float) -> None:
    """Add p_corrected, verdict, and what these data could show and what would settle it, at the level of the first test
    of the family (0.05 over its size), which every one of them has to pass when it stands alone."""
    level = 1 - ALPHA / max(1, len(family))
    for one, p in zip(family, holm([one["p"] for one in family]), strict=True):
        difference, error = one["difference"], one["standard_error"]
        one["p_corrected"] = p
        one["verdict"] = _of_one(one, p, tolerance)
        least = one["detectable_difference"] = detectable(error, one["n_units"], level=level) if error else None
        one["to_settle"] = (
            _to_settle(one, least / abs(difference)) if one["verdict"] == "open" and least and difference else None
        )


def _of_one(one: Mapping[str, Any], p: float, tolerance: float) -> str:
    difference = one["difference"]
    if difference is None or (difference == 0 and one["p_method"] == "no-difference"):
        return "same"
    if p > ALPHA:
        return "open"
    if abs(difference) <= tolerance:
        return "within_tolerance"
    return "better" if (difference > 0) == one["higher_is_better"] else "worse"


def _to_settle(one: Mapping[str, Any], times: float) -> dict[str, Any]:
    """How much data show the difference that was seen, if it is the true one. times: the smallest difference that the data
    at hand show, in units of it; the spread falls with the root of their number."""
    factor = max(times**2, 1.0)
    return {
        "factor": factor,
        "n_samples": math.ceil(factor * one["n_samples"]),
        "n_units": math.ceil(factor * one["n_units"]),
    }


def _verdict(entries: Sequence[Mapping[str, Any]]) -> str:
    found = {one["verdict"] for entry in entries for one in (entry, *entry["slices"])}
    if "worse" in found:
        return "regressed"
    overall = {entry["verdict"] for entry in entries}
    if overall == {"same"}:
        return "same"
    return "improved" if "better" in found else "no_difference_shown"


def _summary(entries: Sequence[Mapping[str, Any]], verdict: str) -> str:
    """One sentence."""
    if verdict == "same":
        return "All samples score the same."
    if verdict == "no_difference_shown":
        return "No difference is shown, which is not the same as none: these data may be too few to show it."
    kind = "worse" if verdict == "regressed" else "better"
    return "; ".join(_phrases(entries, kind)) + "."


def _phrases(entries: Sequence[Mapping[str, Any]], kind: str) -> Iterator[str]:
    """One per candidate."""
    for candidate in dict.fromkeys(entry["candidate"] for entry in entries):
        own = [entry for entry in entries if entry["candidate"] == candidate]
        if found := [words for entry in own if (words := _where(entry, kind))]:
            yield f"{candidate} is {kind} than {own[0]['baseline']} in {', '.join(found)}"


def _where(entry: Mapping[str, Any], kind: str) -> str | None:
    """The figure and by how much, or at which slices; None where neither changed so."""

    slices = sorted((one for one in entry["slices"] if one["verdict"] == kind), key=lambda one: -abs(one["difference"]))

    def by(one: Mapping[str, Any]) -> str:
        size = abs(one["difference"])
        return f"by {100 * size:.1f} pp" if entry["is_rate"] else f"by {size:.3g}"

    places = [f"{one['by']} {one['value']} ({by(one)})" for one in slices[:3]]
    name = f"{entry['metric']} {entry['figure']}"
    if entry["verdict"] == kind:
        return f"{name} {by(entry)}{f', most at {places[0]}' if places else ''}"
    more = f" and {len(slices) - 3} more" if len(slices) > 3 else ""
    return f"{name} at {', '.join(places)}{more}" if places else None


def _runs(pairings: Sequence[Pairing]) -> Iterator[dict[str, Any]]:
    sides = [(pairings[0].names[0], pairings[0].baseline)]
    sides += [(pairing.names[1], pairing.candidate) for pairing in pairings]
    for number, (name, side) in enumerate(sides):
        document = side.run.document
        yield {
            "name": name,
            "role": "candidate" if number else "baseline",
            "location": side.run.location,
            "input": document["input"],
            "signature": document["signature"],
            "n_samples": len(side),
        }

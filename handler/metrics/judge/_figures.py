"""Agreement of a judge with the verdicts of people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from handler.metrics.judge._counts import Counts, Part
from handler.samples import Grade
from handler.statistics import (
    correlation_interval,
    kappa_interval,
    kappa_of,
    kendall_tau_b,
    pearson,
    spearman,
    wilson_interval,
)

__all__ = ["MOST_LABELS", "agreement_figures", "correlated"]

MOST_LABELS = 50
"""Distinct grades up to which the confusion table and the rates by label are written out."""

NOTHING = "no item was compared"
LABELS = "the grades are labels, not numbers"
ONE_GRADE = "judge and people gave one and the same grade throughout"
CORRELATIONS = {"pearson": pearson, "spearman": spearman, "kendall": kendall_tau_b}

Pairs = Mapping[tuple[Grade, Grade], int]


def agreement_figures(counts: Counts, verdicts: Counter[tuple[Any, ...]]) -> Part:
    """agreement to rates."""
    part = Part()
    pairs = counts.grades(verdicts, 0, 1)
    n = counts.n
    part.put("agreement", counts.n_agreed / n if n else None, NOTHING)
    part.put_interval("agreement", wilson_interval(counts.n_agreed, n))
    part.put("base_rate", _base_rate(counts, pairs), NOTHING)
    _put_kappas(part, counts, pairs)
    _put_correlations(part, counts, pairs)
    _put_distances(part, counts, pairs)
    shared = {people for people, _ in pairs} & {judge for _, judge in pairs}
    part.put(
        "n_shared_labels", None if counts.numeric or not n else len(shared), "the grades are numbers" if n else NOTHING
    )
    _put_table(part, counts, pairs)
    part.figures["level"] = counts.level
    return part


def correlated(pairs: Mapping[tuple[float, float], int], of: str, who: tuple[str, str]) -> tuple[float | None, str]:
    """A correlation by its name, and why there is none. who: what the two sides are."""
    value = CORRELATIONS[of](pairs)
    flat = next((who[side] for side in (1, 0) if len({pair[side] for pair in pairs}) < 2), "")
    return value, NOTHING if not pairs else f"{flat} never differ"


def _base_rate(counts: Counts, pairs: Pairs) -> float | None:
    """The largest share of people's verdicts that one grade agrees with."""
    people: Counter[Grade] = Counter()
    for (one, _), times in pairs.items():
        people[one] += times
    if not people:
        return None
    if not counts.numeric:
        return max(people.values()) / people.total()
    best = held = start = 0
    ordered = sorted((float(grade), times) for grade, times in people.items())
    for grade, times in ordered:
        held += times
        while grade - ordered[start][0] > 2 * (counts.rules.tolerance + 1e-9):
            held -= ordered[start][1]
            start += 1
        best = max(best, held)
    return best / people.total()


def _put_kappas(part: Part, counts: Counts, pairs: Pairs) -> None:
    reason = NOTHING if not pairs else ONE_GRADE
    kinds = [("kappa", None), ("weighted_kappa", "quadratic"), ("weighted_kappa_linear", "linear")]
    for name, weights in kinds:
        if weights and not counts.numeric:
            part.put(name, None, LABELS)
            continue
        found = kappa_of(pairs, weights=weights)  # type: ignore[arg-type] # numbers, if weighted
        part.put(name, found.value if found else None, reason)
        part.put_interval(name, kappa_interval(found) if found else None, found and "full agreement shows no spread")


def _put_correlations(part: Part, counts: Counts, pairs: Mapping[tuple[Any, ...], int]) -> None:
    for name in CORRELATIONS:
        if not counts.numeric:
            part.put(name, None, LABELS)
            continue
        value, reason = correlated(pairs, name, ("people's grades", "the judge's grades"))
        part.put(name, value, reason)
        interval = correlation_interval(value, counts.n, of=name) if value is not None else None
        few = "a correlation of 1 or -1 shows no spread" if counts.n > 4 else "there are too few items"
        part.put_interval(name, interval, None if value is None else few)


def _put_distances(part: Part, counts: Counts, pairs: Mapping[tuple[Any, ...], int]) -> None:
    """mae, rmse, bias, the two means and scale_agreement."""
    n, known = counts.n, counts.numeric
    gaps = [(judge - people, times) for (people, judge), times in pairs.items()] if known else []
    reason = LABELS if not known else NOTHING
    sums = {
        "mae": [abs(gap) * times for gap, times in gaps],
        "bias": [gap * times for gap, times in gaps],
        "people_mean": [people * times for (people, _), times in pairs.items()] if known else [],
        "judge_mean": [judge * times for (_, judge), times in pairs.items()] if known else [],
    }
    for name, parts in sums.items():
        part.put(name, math.fsum(parts) / n if parts else None, reason)
    squares = [gap * gap * times for gap, times in gaps]
    part.put("rmse", math.sqrt(math.fsum(squares) / n) if squares else None, reason)
    scale = _scale_agreement(part.figures, pairs, n) if squares else None
    part.put("scale_agreement", scale, reason if not squares else ONE_GRADE)


def _scale_agreement(figures: Mapping[str, Any], pairs: Mapping[tuple[Any, ...], int], n: int) -> float | None:
    """How far the two means and spreads are the same, 0..1, whatever the correlation: 2 s t / (s^2 + t^2 + bias^2), of
    which an offset by one spread is 2 / 3. Source: the bias correction of L. I-K. Lin, Biometrics 45 (1989)."""
    spreads = [
        math.sqrt(math.fsum((pair[side] - figures[name]) ** 2 * times for pair, times in pairs.items()) / n)
        for side, name in enumerate(("people_mean", "judge_mean"))
    ]
    apart = spreads[0] ** 2 + spreads[1] ** 2 + figures["bias"] ** 2
    return 2 * spreads[0] * spreads[1] / apart if apart else None


def _put_table(part: Part, counts: Counts, pairs: Mapping[tuple[Any, ...], int]) -> None:
    """The confusion table, and by label how often each side gives it and how often the other then agrees."""
    labels = counts.sorted(grade for pair in pairs for grade in pair)
    if len(labels) > MOST_LABELS or not labels:
        reason = NOTHING if not labels else f"there are {len(labels):,} distinct grades, more than {MOST_LABELS}"
        part.put("confusion", None, reason)
        part.put("rates", None, reason)
        return
    table = [[pairs.get((people, judge), 0) for judge in labels] for people in labels]
    names = [counts.spellings.of(label) for label in labels]
    part.figures["confusion"] = {"labels": names, "rows": "people", "columns": "judge", "counts": table}
    rates = {}
    for place, name in enumerate(names):
        people, judge = sum(table[place]), sum(row[place] for row in table)
        both = table[place][place]
        rates[name] = {
            "people": people / counts.n,
            "judge": judge / counts.n,
            "recall": both / people if people else None,
            "precision": both / judge if judge else None,
        }
    part.figures["rates"] = rates

"""Whether longer answers get better grades, from the judge and from people."""

from __future__ import annotations

from collections import Counter
from typing import Any

from handler.metrics.judge._counts import Counts, Part
from handler.metrics.judge._figures import LABELS, correlated
from handler.metrics.judge._sides import UNKNOWN_SIDES, preference
from handler.statistics import correlation_interval, wilson_interval

__all__ = ["length_figures"]

_KINDS = ("pearson", "spearman")


def length_figures(counts: Counts, differences: Counter[tuple[Any, ...]], lengths: Counter[tuple[Any, ...]]) -> Part:
    """length_bias: pearson and spearman of a grade with the length of what was graded, for the judge, for people, and for
    the difference of their grades; of pairs, with the first answer's length less the second's.

    judge_prefers_longer, people_prefers_longer: of the grades that prefer one of two answers, the share that prefers the
    longer one; equal lengths count as not preferring it. differences win where a file has both.
    """
    part = Part()
    of_pairs = bool(differences)
    counted = differences or lengths
    if not counted:
        part.put("length_bias", None, "the lengths of what was graded are not known")
        return part
    grades = {counts.grade(grade) for _, *both in counted for grade in both}
    rate = preference(counts, grades) if of_pairs else (float if counts.numeric else None)
    if rate is None:
        part.put("length_bias", None, UNKNOWN_SIDES if of_pairs else LABELS)
        return part
    rated: Counter[tuple[float, float, float]] = Counter()
    for (length, people, judge), times in counted.items():
        rated[float(length), rate(counts.grade(people)), rate(counts.grade(judge))] += times
    bias: dict[str, Any] = {"n": rated.total(), "of": "length_difference" if of_pairs else "length"}
    for who in ("judge", "people", "difference"):
        pairs: Counter[tuple[float, float]] = Counter()
        for (length, people, judge), times in rated.items():
            pairs[{"judge": judge, "people": people, "difference": judge - people}[who], length] += times
        bias[who] = _correlations(part, who, pairs)
    for place, who in ((1, "people"), (2, "judge")):
        bias[f"{who}_prefers_longer"] = _prefers_longer(part, who, rated, place) if of_pairs else None
    part.figures["length_bias"] = bias
    return part


def _correlations(part: Part, who: str, pairs: Counter[tuple[float, float]]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for kind in _KINDS:
        found[kind], reason = correlated(pairs, kind, ("the grades", "the lengths"))
        name = f"length_bias.{who}.{kind}"
        value = found[kind]
        if value is None:
            part.undefined[name] = reason
        part.put_interval(name, correlation_interval(value, pairs.total(), of=kind) if value is not None else None)
    return found


def _prefers_longer(part: Part, who: str, rated: Counter[tuple[float, float, float]], place: int) -> float | None:
    decided = [(key[0] * key[place] > 0, times) for key, times in rated.items() if key[place]]
    n, longer = sum(times for _, times in decided), sum(times for is_longer, times in decided if is_longer)
    name = f"length_bias.{who}_prefers_longer"
    part.put_interval(name, wilson_interval(longer, n))
    if not n:
        part.undefined[name] = "no grade prefers one of the two answers"
    return longer / n if n else None

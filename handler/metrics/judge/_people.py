"""How far people agree among themselves, and the judge with each of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from handler.metrics.judge._counts import Counts, Part
from handler.statistics import Coincidences, Level, alpha_of, fleiss_kappa_of

__all__ = ["people_figures"]

ALONE = "no item was graded by two people"
Counted = Mapping[str, Mapping[str, int]]


class _Between(NamedTuple):
    """Means over items of what pairs of graders show. difference: None for labels."""

    n_items: int
    agreement: float | None
    difference: float | None


def people_figures(counts: Counts, people: Counted, people_alone: Counted, judge: Counted) -> Part:
    """krippendorff_alpha, fleiss_kappa and between_people: how often two people agree and how far they are apart, the
    judge and a person likewise, and the reliability of people's verdicts. people, people_alone: of items with and without
    a judge."""
    part = Part()
    judged, unjudged, with_judge = (_read(counts, one) for one in (people, people_alone, judge))
    among = _merged(judged, unjudged)
    level: Level = counts.level  # type: ignore[assignment]
    with_all = _merged({n + 1: pairs for n, pairs in _merged(judged, with_judge).items()}, unjudged)
    alphas = {"people": alpha_of(among, level=level), "judge_with_people": alpha_of(with_all, level=level)}
    part.figures["krippendorff_alpha"] = alphas
    for name, coincidences in (("people", among), ("judge_with_people", with_all)):
        if alphas[name] is None:
            reason = _reason(coincidences, ALONE if name == "people" else "no item was graded by judge and people")
            part.undefined[f"krippendorff_alpha.{name}"] = reason
    sizes = ", ".join(map(str, sorted(among)))
    uneven = f"items have different numbers of people ({sizes})"
    part.put("fleiss_kappa", fleiss_kappa_of(among), uneven if len(among) > 1 else _reason(among, ALONE))
    several = {n: pairs for n, pairs in with_judge.items() if n > 1}
    mutual = _between(counts, judged, lambda n: n * (n - 1) // 2)
    single = _between(counts, several, lambda n: n)
    part.figures["between_people"] = {
        "n_items": mutual.n_items,
        "reliability": _reliability(alphas["people"], among),
        "people_agreement": mutual.agreement,
        "judge_agreement": single.agreement,
        "people_difference": mutual.difference,
        "judge_difference": single.difference,
    }
    if not mutual.n_items:
        part.undefined["between_people"] = "no item was graded by two people and the judge"
    return part


def _reliability(alpha: float | None, among: Coincidences) -> float | None:
    """How far the verdict of all people on an item would come again with other people: alpha stepped up to their mean
    number by the Spearman-Brown formula."""
    if alpha is None:
        return None
    items = {n: sum(pairs.values()) // (n * (n - 1) // 2) for n, pairs in among.items()}
    people = sum(n * times for n, times in items.items()) / sum(items.values())
    return people * alpha / (1 + (people - 1) * alpha) if alpha > 0 else 0.0


def _read(counts: Counts, counted: Counted) -> dict[int, Counter[tuple[Any, ...]]]:
    return {int(n): counts.grades(counts.read(pairs), 0, 1) for n, pairs in sorted(counted.items())}


def _merged(one: Mapping[int, Counter[Any]], other: Mapping[int, Counter[Any]]) -> dict[int, Counter[Any]]:
    return {n: one.get(n, Counter()) + other.get(n, Counter()) for n in sorted(one.keys() | other.keys())}


def _reason(coincidences: Coincidences, nothing: str) -> str:
    return "only one grade was given" if coincidences else nothing


def _between(counts: Counts, coincidences: Coincidences, n_pairs: Any) -> _Between:
    """n_pairs: how many pairs an item has by its number of people. Every item counts alike."""
    n_items, agreed, differences = 0, [], []
    for n, pairs in coincidences.items():
        n_items += sum(pairs.values()) // n_pairs(n)
        for (one, other), times in pairs.items():
            agreed.append(times * counts.rules.agree(one, other) / n_pairs(n))
            if not isinstance(one, str) and not isinstance(other, str):
                differences.append(times * abs(one - other) / n_pairs(n))
    if not n_items:
        return _Between(0, None, None)
    difference = math.fsum(differences) / n_items if counts.numeric else None
    return _Between(n_items, math.fsum(agreed) / n_items, difference)

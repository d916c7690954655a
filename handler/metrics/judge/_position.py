"""Whether the judge's grade depends on which of two answers it is shown first."""

from __future__ import annotations

from collections import Counter
from typing import Any

from handler.metrics.judge._counts import Counts, Part
from handler.metrics.judge._figures import ONE_GRADE
from handler.metrics.judge._sides import UNKNOWN_SIDES, preference
from handler.statistics import kappa_of, wilson_interval

__all__ = ["position_figures"]

_SIDED = ("first_shown_wins", "first_both_times", "second_both_times", "consistency_if_mapped_back")


def position_figures(counts: Counts, orders: Counter[tuple[Any, ...]]) -> Part:
    """position_bias, over the items that the judge graded in both orders; grades of the second are mapped back.

    consistency: share of equal grades in both orders. agreement_both_orders: people, and the judge in both, say the same.
    agreement_exchanged: people and the judge in the other order. kappa_between_orders. first_shown_wins: share of items,
    by order. first_both_times, second_both_times: items in which whatever was shown first, or second, won both times.
    consistency_if_mapped_back: what consistency would be if the grades of the other order were still as shown.
    """
    part = Part()
    if not orders:
        part.put("position_bias", None, "no item was judged in the other order too")
        return part
    agree, n = counts.rules.agree, orders.total()
    read = counts.grades(orders, 0, 1, 2)
    same = sum(times for (_, judge, other), times in read.items() if agree(judge, other))
    triple = sum(
        times for (people, judge, other), times in read.items() if agree(people, judge) and agree(people, other)
    )
    exchanged = sum(times for (people, _, other), times in read.items() if agree(people, other))
    kappa = kappa_of(counts.grades(read, 1, 2))
    bias: dict[str, Any] = {
        "n": n,
        "consistency": same / n,
        "agreement_both_orders": triple / n,
        "agreement_exchanged": exchanged / n,
        "kappa_between_orders": kappa.value if kappa else None,
    }
    if kappa is None:
        part.undefined["position_bias.kappa_between_orders"] = ONE_GRADE.replace("judge and people", "both orders")
    part.put_interval("position_bias.consistency", wilson_interval(same, n))
    bias |= _sided(part, counts, read)
    part.figures["position_bias"] = bias
    return part


def _sided(part: Part, counts: Counts, read: Counter[tuple[Any, ...]]) -> dict[str, Any]:
    prefers = preference(counts, {grade for triple in read for grade in triple})
    if prefers is None:
        part.undefined |= {f"position_bias.{name}": UNKNOWN_SIDES for name in _SIDED}
        return dict.fromkeys(_SIDED)
    rated: Counter[tuple[float, float]] = Counter()
    for (_, judge, other), times in read.items():
        rated[prefers(judge), prefers(other)] += times
    n = rated.total()

    def items(test: Any) -> int:
        return sum(times for (one, other), times in rated.items() if test(one, other))

    return {
        "first_shown_wins": {
            "original": items(lambda one, _: one > 0) / n,
            "exchanged": items(lambda _, other: other < 0) / n,
        },
        "first_both_times": items(lambda one, other: one > 0 > other),
        "second_both_times": items(lambda one, other: one < 0 < other),
        "consistency_if_mapped_back": items(lambda one, other: one == -other) / n,
    }

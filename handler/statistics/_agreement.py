"""Agreement beyond chance, from how often each pair of grades came up."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from statistics import NormalDist
from typing import Literal, NamedTuple

from handler.statistics._intervals import Interval

__all__ = ["Kappa", "Level", "Ratings", "Weights", "alpha_of", "fleiss_kappa_of", "kappa_interval", "kappa_of"]

Grade = float | str
Weights = Literal["linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]

Given = tuple[tuple[Grade, int], ...]
Ratings = Mapping[Given, int]
"""{the grades of an item, each once with how many raters gave it: how many items have these}."""


class Kappa(NamedTuple):
    """value: up to 1, 0 for what chance gives. standard_error: for large samples, after Fleiss, Cohen and Everitt,
    Psychological Bulletin 72 (1969)."""

    value: float
    standard_error: float


def kappa_of(pairs: Mapping[tuple[Grade, Grade], int], *, weights: Weights | None = None) -> Kappa | None:
    """Cohen's kappa of two raters; None where chance alone would agree fully (both gave one and the same grade) or
    nothing was graded.

    pairs: {(one's grade, the other's): items}. weights: linear or quadratic in the difference of the grades, which then
    must be numbers; where the grades seen are evenly spaced this equals weights by rank.
    Source: J. Cohen, Educational and Psychological Measurement 20 (1960); Psychological Bulletin 70 (1968).
    """
    n = sum(pairs.values())
    ones, others = _margin(pairs, 0), _margin(pairs, 1)
    if not n or len(ones.keys() | others.keys()) < 2:
        return None
    from_one, from_other = _expected(others, ones, weights), _expected(ones, others, weights)
    seen = math.fsum(times * _apart(*pair, weights) for pair, times in pairs.items()) / n
    chance = math.fsum(times * from_one[grade] for grade, times in ones.items()) / n
    if not chance:  # differences whose squares vanish
        return None
    ratio = seen / chance
    influence = {
        (one, other): (ratio * (from_one[one] + from_other[other]) - _apart(one, other, weights)) / chance
        for one, other in pairs
    }
    variance = math.fsum(times * (influence[pair] - ratio) ** 2 for pair, times in pairs.items()) / n
    return Kappa(1 - ratio, math.sqrt(variance / n))


def kappa_interval(kappa: Kappa, *, level: float = 0.95) -> Interval | None:
    """kappa plus and minus its large-sample error, within -1..1; None where the error is 0, as in full agreement: the
    formula knows no spread there, which is not certainty."""
    if kappa.standard_error < 1e-12:
        return None
    half = NormalDist().inv_cdf(0.5 + level / 2) * kappa.standard_error
    return Interval(max(-1.0, kappa.value - half), min(1.0, kappa.value + half), level, "large-sample")


def fleiss_kappa_of(ratings: Ratings) -> float | None:
    """Fleiss' kappa of items that all have the same number of raters; None where the numbers differ, where only one grade
    was given, or where no item has two. Source: J. L. Fleiss, Psychological Bulletin 76 (1971)."""
    several, totals = _several(ratings)
    if len({n for _, n, _ in several}) != 1 or len(totals) < 2:
        return None
    n_grades = totals.total()
    pairs = sum(times * n * (n - 1) for _, n, times in several)
    seen = sum(times * count * (count - 1) for given, _, times in several for _, count in given) / pairs
    chance = math.fsum((times / n_grades) ** 2 for times in totals.values())
    return (seen - chance) / (1 - chance)


def alpha_of(ratings: Ratings, *, level: Level) -> float | None:
    """Krippendorff's alpha of several raters, who need not have graded every item; None where only one grade was given or
    no item has two.

    level: whether grades only differ (nominal), have an order, or distances. Ordinal and interval need numbers.
    Source: K. Krippendorff, Content Analysis (2004), chapter 11.
    """
    several, totals = _several(ratings)
    if len(totals) < 2:
        return None
    n = totals.total()
    if level == "nominal":
        apart = math.fsum(
            times * (m * m - sum(count * count for _, count in given)) / (m - 1) for given, m, times in several
        )
        return 1 - (n - 1) * apart / (n * n - sum(times * times for times in totals.values()))
    places = _mid_ranks(totals) if level == "ordinal" else {grade: _number(grade) for grade in totals}
    apart = math.fsum(
        times * 2 * m / (m - 1) * _squares([(places[grade], count) for grade, count in given])
        for given, m, times in several
    )
    spread = 2 * n * _squares([(places[grade], times) for grade, times in totals.items()])
    return 1 - (n - 1) * apart / spread if spread else None


def _several(ratings: Ratings) -> tuple[list[tuple[Given, int, int]], Counter[Grade]]:
    """Items of two or more raters as (grades, number of raters, number of items), and how often each grade is theirs."""
    several = [
        (given, n, times) for given, times in ratings.items() if (n := sum(count for _, count in given)) > 1 and times
    ]
    totals: Counter[Grade] = Counter()
    for given, _, times in several:
        for grade, count in given:
            totals[grade] += count * times
    return several, totals


def _squares(places: Sequence[tuple[float, int]]) -> float:
    """The squared distances from the mean, summed: over all pairs in both orders they are twice this times the count."""
    if len(places) < 2:
        return 0.0
    mean = math.fsum(place * times for place, times in places) / sum(times for _, times in places)
    return math.fsum(times * (place - mean) ** 2 for place, times in places)


def _margin(pairs: Mapping[tuple[Grade, Grade], int], side: int) -> Counter[Grade]:
    margin: Counter[Grade] = Counter()
    for pair, times in pairs.items():
        margin[pair[side]] += times
    return margin


def _apart(one: Grade, other: Grade, weights: Weights | None) -> float:
    if weights is None:
        return float(one != other)
    distance = abs(_number(one) - _number(other))
    return distance * distance if weights == "quadratic" else distance


def _number(grade: Grade) -> float:
    if isinstance(grade, str):
        raise ValueError(f"{grade!r} has no distance to other grades: only numbers have")
    return float(grade)


def _expected(margin: Counter[Grade], grades: Iterable[Grade], weights: Weights | None) -> dict[Grade, float]:
    """{grade: its mean distance to a grade drawn from `margin`}, without walking through all pairs."""
    n = margin.total()
    if weights is None:
        return {grade: 1 - margin[grade] / n for grade in grades}
    numbers = sorted((_number(grade), times) for grade, times in margin.items())
    mean = math.fsum(number * times for number, times in numbers) / n
    if weights == "quadratic":
        variance = math.fsum(times * (number - mean) ** 2 for number, times in numbers) / n
        return {grade: (_number(grade) - mean) ** 2 + variance for grade in grades}
    keys = [number for number, _ in numbers]
    counts = [0, *accumulate(times for _, times in numbers)]
    sums = [0.0, *accumulate(times * (number - mean) for number, times in numbers)]
    found = {}
    for grade in grades:
        at, place = _number(grade) - mean, bisect_left(keys, _number(grade))
        found[grade] = (at * (2 * counts[place] - n) + sums[-1] - 2 * sums[place]) / n
    return found


def _mid_ranks(totals: Counter[Grade]) -> dict[Grade, float]:
    ranks, below = {}, 0
    for grade in sorted(totals, key=_number):
        ranks[grade] = below + totals[grade] / 2
        below += totals[grade]
    return ranks

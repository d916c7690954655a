"""How far people agree among themselves, and the judge with each of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from handler.metrics.judge._card import Rules
from handler.metrics.judge._counts import Counts, Given, Part
from handler.samples import Grade
from handler.statistics import Level, alpha_of, fleiss_kappa_of

__all__ = ["people_figures"]

ALONE = "no item was graded by two people"
Ratings = Counter[Given]


class _Between(NamedTuple):
    """Means over items of what pairs of graders show. difference: None for labels."""

    agreement: float | None
    difference: float | None


def people_figures(counts: Counts, rated: Mapping[tuple[Grade | None, Given], int]) -> Part:
    """krippendorff_alpha, fleiss_kappa and between_people: how often two people agree and how far they are apart, the
    judge and a person likewise, and the reliability of people's verdicts. rated: {(judge or None, people): items}."""
    part = Part()
    level: Level = counts.level  # type: ignore[assignment] # one of these words
    among, with_judge = _all_raters(rated)
    alphas = {"people": alpha_of(among, level=level), "judge_with_people": alpha_of(with_judge, level=level)}
    part.figures["krippendorff_alpha"] = alphas
    for name, ratings in (("people", among), ("judge_with_people", with_judge)):
        if alphas[name] is None:
            reason = _reason(ratings, ALONE if name == "people" else "no item was graded by judge and people")
            part.undefined[f"krippendorff_alpha.{name}"] = reason
    sizes = sorted({_size(people) for people in among})
    uneven = f"items have different numbers of people ({', '.join(map(str, sizes))})"
    part.put("fleiss_kappa", fleiss_kappa_of(among), uneven if len(sizes) > 1 else _reason(among, ALONE))
    several = {one: times for one, times in rated.items() if one[0] is not None and _size(one[1]) > 1}
    mutual = _mean(counts, [(*_among(people, counts.rules), times) for (_, people), times in several.items()])
    single = _mean(counts, [(*_with(judge, people, counts.rules), times) for (judge, people), times in several.items()])
    part.figures["between_people"] = {
        "n_items": sum(several.values()),
        "reliability": _reliability(alphas["people"], among),
        "people_agreement": mutual.agreement,
        "judge_agreement": single.agreement,
        "people_difference": mutual.difference,
        "judge_difference": single.difference,
    }
    if not several:
        part.undefined["between_people"] = "no item was graded by two people and the judge"
    return part


def _all_raters(rated: Mapping[tuple[Grade | None, Given], int]) -> tuple[Ratings, Ratings]:
    """The items that two people graded, and those that two graded of whom one may be the judge."""
    among: Ratings = Counter()
    with_judge: Ratings = Counter()
    for (judge, people), times in rated.items():
        if _size(people) > 1:
            among[people] += times
        everyone = people if judge is None else tuple((Counter(dict(people)) + Counter([judge])).items())
        if _size(everyone) > 1:
            with_judge[everyone] += times
    return among, with_judge


def _size(people: Given) -> int:
    return sum(count for _, count in people)


def _reliability(alpha: float | None, among: Ratings) -> float | None:
    """How far the verdict of all people on an item would come again with other people: alpha stepped up to their mean
    number by the Spearman-Brown formula."""
    if alpha is None:
        return None
    people = sum(_size(given) * times for given, times in among.items()) / among.total()
    return people * alpha / (1 + (people - 1) * alpha) if alpha > 0 else 0.0


def _reason(ratings: Ratings, nothing: str) -> str:
    return "only one grade was given" if ratings else nothing


def _among(people: Given, rules: Rules) -> tuple[float, float]:
    """Of an item's pairs of people: the share that agrees, and the mean difference (0 for labels)."""
    n = _size(people)
    agreed = sum(count * (count - 1) // 2 for _, count in people)
    numbers = sorted((grade, count) for grade, count in people if not isinstance(grade, str))
    gaps, below, start, near = [], 0, 0, 0
    for grade, count in numbers:
        while not rules.agree(numbers[start][0], grade):
            near -= numbers[start][1]
            start += 1
        agreed += near * count
        near += count
        gaps.append((grade - numbers[0][0]) * count * (2 * below + count - n))
        below += count
    pairs = n * (n - 1) // 2
    return agreed / pairs, max(0.0, math.fsum(gaps)) / pairs


def _with(judge: Grade | None, people: Given, rules: Rules) -> tuple[float, float]:
    """Of an item's people: the share that the judge agrees with, and the mean difference (0 for labels)."""
    n = _size(people)
    agreed = sum(count for grade, count in people if judge is not None and rules.agree(grade, judge))
    apart = [
        abs(grade - judge) * count
        for grade, count in people
        if not isinstance(grade, str) and judge is not None and not isinstance(judge, str)
    ]
    return agreed / n, math.fsum(apart) / n


def _mean(counts: Counts, items: Sequence[tuple[float, float, int]]) -> _Between:
    """Every item counts alike. items: (share that agrees, difference, times)."""
    n = sum(times for *_, times in items)
    if not n:
        return _Between(None, None)
    difference = math.fsum(apart * times for _, apart, times in items) / n if counts.numeric else None
    return _Between(math.fsum(share * times for share, _, times in items) / n, difference)

"""The figures of two lists of grades, in one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handler.errors import RequestError
from handler.metrics.judge._agreement import JudgeAgreement
from handler.metrics.judge._counts import Given
from handler.metrics.judge._grades import fold, read_grade
from handler.samples import Grade, JudgedSample
from handler.statistics import Level, Weights, alpha_of, kappa_of

__all__ = ["Agreement", "agreement", "cohen_kappa", "krippendorff_alpha"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against people. What the grades do not support is None, and `undefined` says why by figure.

    n: items with grades of both. figures: the whole summary of `judge.agreement`, intervals included.
    """

    n: int
    agreement: float | None
    base_rate: float | None
    kappa: float | None
    weighted_kappa: float | None
    pearson: float | None
    spearman: float | None
    kendall: float | None
    mae: float | None
    bias: float | None
    verdict: str
    summary: str
    undefined: Mapping[str, str]
    figures: Mapping[str, Any]


def agreement(human: Sequence[Any], judge: Sequence[Any], **options: Any) -> Agreement:
    """Compare a judge with people, item by item.

    human: one grade an item, or a list of several people's. judge: one grade an item. Grades are numbers, labels, or None
    where there is none. options: those of `judge.agreement`, e.g. level="nominal". Raises RequestError for lists of
    unequal length and for what is no grade.

    >>> agreement(["good", "bad", "good"], ["good", "bad", "bad"]).agreement
    0.6666666666666666
    """
    metric = JudgeAgreement(**options)
    tally = metric.tally()
    for index, (people, grade) in enumerate(_items(human, judge)):
        listed = people if isinstance(people, list | tuple) else [people]
        persons = tuple(_grade(one, "human", index) for one in listed)
        sample = JudgedSample(index, "", "", str(index), None, (), grade=_grade(grade, "judge", index), people=persons)
        tally.add(metric.compute(sample))
    found = tally.summary()
    names = ("agreement", "base_rate", "kappa", "weighted_kappa", "pearson", "spearman", "kendall", "mae", "bias")
    rest = ("verdict", "summary", "undefined")
    return Agreement(n=found["n_scored"], **{name: found[name] for name in (*names, *rest)}, figures=found)


def cohen_kappa(human: Sequence[Any], judge: Sequence[Any], weights: Weights | None = None) -> float | None:
    """Cohen's kappa of two lists of grades; None where it is not defined (see `handler.statistics.kappa_of`).

    weights: linear or quadratic, for numbers. Items that lack a grade are left out. Raises RequestError for lists of
    unequal length, for what is no grade, and for weighted labels.

    >>> cohen_kappa([1, 2, 3, 4], [4, 3, 2, 1], weights="quadratic")
    -1.0
    """
    if weights not in (None, "linear", "quadratic"):
        raise RequestError(f"there are no weights {weights!r}", field="weights", hint="Use linear or quadratic")
    pairs: Counter[tuple[Grade, Grade]] = Counter()
    for index, (one, other) in enumerate(_items(human, judge)):
        grades = (_grade(one, "human", index), _grade(other, "judge", index))
        if grades[0] is not None and grades[1] is not None:
            pairs[fold(grades[0]), fold(grades[1])] += 1
    if weights:
        _need_numbers({grade for pair in pairs for grade in pair}, "weights")
    found = kappa_of(pairs, weights=weights)
    return found.value if found else None


def krippendorff_alpha(ratings: Sequence[Sequence[Any]], level: Level = "nominal") -> float | None:
    """Krippendorff's alpha; None where it is not defined (see `handler.statistics.alpha_of`).

    ratings: per item the grades of its raters, None where one gave none. level: nominal, ordinal or interval. Raises
    RequestError for what is no grade, and for labels where the level needs numbers.

    >>> krippendorff_alpha([[1, 1], [2, 2], [3, 3]], level="interval")
    1.0
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise RequestError(f"there is no level {level!r}", field="level", hint="Use nominal, ordinal or interval")
    found: Counter[Given] = Counter()
    for index, item in enumerate(ratings):
        if isinstance(item, str) or not isinstance(item, Sequence):
            raise RequestError(f"item {index} is {item!r}, not a list of grades", field="ratings")
        read = [_grade(one, "ratings", index) for one in item]
        given = Counter(fold(one) for one in read if one is not None)
        if given.total() > 1:
            found[tuple(given.items())] += 1
    if level != "nominal":
        _need_numbers({grade for given in found for grade, _ in given}, "level")
    return alpha_of(found, level=level)


def _items(human: Sequence[Any], judge: Sequence[Any]) -> list[tuple[Any, Any]]:
    if len(human) != len(judge):
        raise RequestError(
            f"human has {len(human):,} grades and judge {len(judge):,}",
            field="judge",
            hint="Give one grade an item on both sides, None where there is none",
        )
    return list(zip(human, judge, strict=True))


def _grade(value: Any, field: str, index: int) -> Grade | None:
    try:
        return read_grade(value)
    except ValueError as error:
        raise RequestError(f"{field}[{index}] {error}", field=field) from None


def _need_numbers(grades: set[Grade], field: str) -> None:
    label = next((grade for grade in grades if isinstance(grade, str)), None)
    if label is not None:
        raise RequestError(f"{label!r} is a label: {field} of distance need numbers", field=field)

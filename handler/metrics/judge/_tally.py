"""What `judge.agreement` counts, and the summary that comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Self

from handler.metrics._base import Tally
from handler.metrics.judge._card import Card, Rules
from handler.metrics.judge._counts import Counts, Spellings
from handler.metrics.judge._figures import agreement_figures
from handler.metrics.judge._grades import fold, key_of
from handler.metrics.judge._length import length_figures
from handler.metrics.judge._people import people_figures
from handler.metrics.judge._position import position_figures
from handler.metrics.judge._prevalence import prevalence_figures
from handler.metrics.judge._verdict import verdict
from handler.results import MetricResult
from handler.samples import Grade

__all__ = ["JudgeTally"]

Counted = dict[str, int]  # {grades as a JSON list: how often}


class JudgeTally(Tally):
    """How often each combination of grades came up: whole numbers, which merge exactly in any order.

    verdicts: [people, judge]. people_pairs, people_pairs_alone: {people who graded an item: [one, another]}, of items
    that the judge graded or not. judge_pairs: {people who graded: [a person, judge]}. judged_alone: [judge] where no
    person graded. orders: [people, judge, judge in the other order]. lengths, length_differences: [characters, people,
    judge]. spellings: {label: {as written: n}}. Memory grows with the distinct combinations: few for labels and scales;
    for lengths, and for numbers with many decimals, about one an item.
    """

    fields = (
        "n_agreed", "verdicts", "people_pairs", "people_pairs_alone", "judge_pairs", "judged_alone", "orders", "lengths",
        "length_differences", "spellings",
    )  # fmt: skip

    def __init__(self, card: Card, rules: Rules) -> None:
        super().__init__()
        self._card = card
        self._rules = rules
        self.n_agreed = 0
        self.verdicts: Counted = {}
        self.people_pairs: dict[str, Counted] = {}
        self.people_pairs_alone: dict[str, Counted] = {}
        self.judge_pairs: dict[str, Counted] = {}
        self.judged_alone: Counted = {}
        self.orders: Counted = {}
        self.lengths: Counted = {}
        self.length_differences: Counted = {}
        self.spellings: dict[str, Counted] = {}

    def add(self, result: MetricResult) -> None:
        """Count one result. What people say of an item counts among themselves though it cannot be compared."""
        super().add(result)
        details = result.details
        if "error" in details or details.get("skipped") == "grade_not_a_number":
            return
        judge: Grade | None = details.get("grade")
        people: Sequence[Grade] = details.get("people_grades") or [
            one for one in (details.get("people"),) if one is not None
        ]
        self._spelt([*people, *([judge] if judge is not None else [])])
        if len(people) > 1:
            pairs = self.people_pairs if judge is not None else self.people_pairs_alone
            _add_all(pairs.setdefault(str(len(people)), {}), _pairs(people))
        if judge is not None and people:
            _add_all(self.judge_pairs.setdefault(str(len(people)), {}), [(fold(one), fold(judge)) for one in people])
        elif judge is not None:
            _add_all(self.judged_alone, [(fold(judge),)])

    def summary(self) -> dict[str, Any]:
        """agreement beside base_rate (what the best constant judge would get), kappa, weighted_kappa (quadratic) and
        weighted_kappa_linear, pearson, spearman, kendall, mae, rmse, bias (judge less people), confusion (rows people,
        columns judge), rates by label, krippendorff_alpha among people and with the judge, fleiss_kappa of people,
        between_people, length_bias, position_bias, prevalence, card, verdict (a code) and summary (a sentence).

        What the grades do not support is None, and `undefined` says why by figure. intervals: of agreement by Wilson, of
        kappas for large samples, of correlations by Fisher's z.
        """
        found = Counts(
            level=self._level(),
            rules=self._rules,
            n=self.n_scored,
            n_agreed=self.n_agreed,
            spellings=Spellings(self.spellings),
        )
        figures: dict[str, Any] = {}
        undefined: dict[str, str] = {}
        intervals: dict[str, Any] = {}
        for part in (
            agreement_figures(found, found.read(self.verdicts)),
            people_figures(found, self.people_pairs, self.people_pairs_alone, self.judge_pairs),
            length_figures(found, found.read(self.length_differences), found.read(self.lengths)),
            position_figures(found, found.read(self.orders)),
            prevalence_figures(found, found.read(self.verdicts), found.read(self.judged_alone)),
        ):
            figures |= part.figures
            undefined |= part.undefined
            intervals |= part.intervals
        code, sentence = verdict(self.n_scored, figures, intervals)
        return {
            **figures,
            "undefined": undefined,
            "card": self._card._asdict(),
            "verdict": code,
            "summary": sentence,
            **self.counts(),
            "intervals": intervals,
        }

    def _level(self) -> str:
        """As the option says; else interval where every grade is a number."""
        if self._rules.level:
            return self._rules.level
        return "nominal" if self.spellings else "interval"

    def _spelt(self, grades: Sequence[Grade]) -> None:
        for grade in grades:
            if isinstance(grade, str):
                spellings = self.spellings.setdefault(grade.casefold(), {})
                spellings[grade] = spellings.get(grade, 0) + 1

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self.n_agreed += int(score)
        people, judge = fold(details["people"]), fold(details["grade"])
        _add_all(self.verdicts, [(people, judge)])
        if "swapped" in details:
            _add_all(self.orders, [(people, judge, fold(details["swapped"]))])
        lengths = details.get("lengths", ())
        if len(lengths) == 1:
            _add_all(self.lengths, [(float(lengths[0]), people, judge)])
        elif len(lengths) == 2:
            _add_all(self.length_differences, [(float(lengths[0] - lengths[1]), people, judge)])

    def _merge_scores(self, other: Self) -> None:
        self.n_agreed += other.n_agreed
        for name in self.fields[1:]:
            setattr(self, name, _added(getattr(self, name), getattr(other, name)))


def _pairs(people: Sequence[Grade]) -> Iterator[tuple[Grade, Grade]]:
    """Every two people's grades, the lower one first."""
    return combinations(sorted(map(fold, people), key=_order), 2)


def _order(grade: Grade) -> tuple[bool, float, str]:
    return (True, 0.0, grade) if isinstance(grade, str) else (False, grade, "")


def _add_all(counted: Counted, groups: Iterable[tuple[Grade, ...]]) -> None:
    for group in groups:
        key = key_of(*group)
        counted[key] = counted.get(key, 0) + 1


def _added(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Counts by key, on whatever level they are."""
    total = dict(one)
    for key, more in other.items():
        if isinstance(more, dict):
            total[key] = _added(total.get(key, {}), more)
        else:
            total[key] = total.get(key, 0) + more
    return total

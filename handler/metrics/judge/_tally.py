"""What `judge.agreement` counts, and the summary that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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

    verdicts: [people, judge]. rated: [judge or null, a grade of people, how many gave it, the next grade, ...].
    judged_alone: [judge] where no person graded. orders: [people, judge, judge in the other order]. lengths,
    length_differences: [characters, people, judge]. spellings: {label: {as written: n}}. criteria: {criterion: {numbers
    or labels: n}}. judges: {name in the file: n}. Memory grows with the distinct combinations: few for labels and scales;
    for lengths, many people, and numbers with many decimals, about one an item.
    """

    fields = (
        "n_agreed", "verdicts", "rated", "judged_alone", "orders", "lengths", "length_differences", "spellings", "criteria",
        "judges",
    )  # fmt: skip

    def __init__(self, card: Card, rules: Rules) -> None:
        super().__init__()
        self._card = card
        self._rules = rules
        self.n_agreed = 0
        self.verdicts: Counted = {}
        self.rated: Counted = {}
        self.judged_alone: Counted = {}
        self.orders: Counted = {}
        self.lengths: Counted = {}
        self.length_differences: Counted = {}
        self.spellings: dict[str, Counted] = {}
        self.criteria: dict[str, Counted] = {}
        self.judges: Counted = {}
        self._summary: dict[str, Any] | None = None

    def add(self, result: MetricResult) -> None:
        """Count one result. What people say of an item counts among themselves though it cannot be compared."""
        super().add(result)
        self._summary = None
        details = result.details
        if "error" in details or details.get("skipped") == "grade_not_a_number":
            return
        judge: Grade | None = details.get("grade")
        people: Sequence[Grade] = details.get("people_grades") or [
            one for one in (details.get("people"),) if one is not None
        ]
        self._spelt([*people, *([judge] if judge is not None else [])])
        if name := details.get("judge"):
            self.judges[name] = self.judges.get(name, 0) + 1
        if people:
            _add(self.rated, None if judge is None else fold(judge), *_grouped(people))
        elif judge is not None:
            _add(self.judged_alone, fold(judge))

    def merge_from(self, other: Self) -> None:
        """Fold in the tally of another shard."""
        super().merge_from(other)
        self._summary = None

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a saved state."""
        super().restore(state)
        self._summary = None

    def summary(self) -> dict[str, Any]:
        """agreement beside base_rate (what the best constant judge would get), kappa, weighted_kappa (quadratic) and
        weighted_kappa_linear, pearson, spearman, kendall, mae, rmse, bias (judge less people), confusion (rows people,
        columns judge), rates by label, krippendorff_alpha among people and with the judge, fleiss_kappa of people,
        between_people, length_bias, position_bias, prevalence, card, verdict (a code), summary (a sentence) and warnings.

        What the grades do not support is None, and `undefined` says why by figure. intervals: of agreement by Wilson, of
        kappas for large samples, of correlations by Fisher's z. It is computed once and kept until more is counted.
        """
        if self._summary is None:
            self._summary = self._made_summary()
        return dict(self._summary)

    def _made_summary(self) -> dict[str, Any]:
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
            people_figures(found, found.rated(self.rated)),
            length_figures(found, found.read(self.length_differences), found.read(self.lengths)),
            position_figures(found, found.read(self.orders)),
            prevalence_figures(found, found.read(self.verdicts), found.read(self.judged_alone)),
        ):
            figures |= part.figures
            undefined |= part.undefined
            intervals |= part.intervals
        code, sentence = verdict(self.n_scored, figures, intervals, skipped=self.skipped, criteria=self.criteria)
        return {
            **figures,
            "undefined": undefined,
            "card": self._card.of(self.judges)._asdict(),
            "verdict": code,
            "summary": sentence,
            "warnings": self._warnings(found),
            **self.counts(),
            "intervals": intervals,
        }

    def _level(self) -> str:
        """As the option says; else interval where every grade is a number."""
        if self._rules.level:
            return self._rules.level
        return "nominal" if self.spellings else "interval"

    def _warnings(self, found: Counts) -> list[str]:
        """Options that met no grade they are about."""
        rules = self._rules
        codes = ["tolerance_of_labels"] if rules.tolerance and self.n_scored and not found.numeric else []
        if not self.n_scored or (found.numeric and rules.is_signed):
            return codes
        seen = {grade for counted in (self.verdicts, self.orders) for key in found.read(counted) for grade in key}
        seen = {found.grade(grade) for grade in seen}
        for name, side in (("first", rules.first), ("second", rules.second)):
            if side is not None and found.grade(side) not in seen:
                codes.append(f"unknown_side:{name}")
        return codes

    def _spelt(self, grades: Sequence[Grade]) -> None:
        for grade in grades:
            if isinstance(grade, str):
                spellings = self.spellings.setdefault(grade.casefold(), {})
                spellings[grade] = spellings.get(grade, 0) + 1

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self.n_agreed += int(score)
        people, judge = fold(details["people"]), fold(details["grade"])
        _add(self.verdicts, people, judge)
        kinds = self.criteria.setdefault(details.get("criterion", ""), {})
        kind = "labels" if isinstance(details["grade"], str) else "numbers"
        kinds[kind] = kinds.get(kind, 0) + 1
        if "swapped" in details:
            _add(self.orders, people, judge, fold(details["swapped"]))
        lengths = details.get("lengths", ())
        if len(lengths) == 1:
            _add(self.lengths, float(lengths[0]), people, judge)
        elif len(lengths) == 2:
            _add(self.length_differences, float(lengths[0] - lengths[1]), people, judge)

    def _merge_scores(self, other: Self) -> None:
        self.n_agreed += other.n_agreed
        for name in self.fields[1:]:
            setattr(self, name, _added(getattr(self, name), getattr(other, name)))


def _grouped(people: Sequence[Grade]) -> list[Grade]:
    """Each grade, followed by how many people gave it, the lower ones first."""
    counted = Counter(map(fold, people))
    return [part for grade in sorted(counted, key=_order) for part in (grade, counted[grade])]


def _order(grade: Grade) -> tuple[bool, float, str]:
    return (True, 0.0, grade) if isinstance(grade, str) else (False, grade, "")


def _add(counted: Counted, *group: Grade | None) -> None:
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

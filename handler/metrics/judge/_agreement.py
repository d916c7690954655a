"""`judge.agreement`: an LLM judge against people on the same items."""

from __future__ import annotations

from typing import Any

from handler.metrics._base import BaseMetric, Mode
from handler.metrics._registry import register
from handler.metrics.judge._card import OPTIONS, made_card, made_rules
from handler.metrics.judge._grades import read_grade, shown, verdict_of
from handler.metrics.judge._tally import JudgeTally
from handler.results import MetricResult
from handler.samples import Grade, JudgedSample, Sample

__all__ = ["JudgeAgreement"]


@register("judge.agreement")
class JudgeAgreement(BaseMetric):
    """1 when the judge says what people say, else 0; the summary says what that is worth.

    Grades are numbers or labels. An item whose grades are all numbers takes the mean of its people, and the judge agrees
    within `tolerance`; otherwise numbers are words too, and the label that most people gave counts: where two are given
    equally often the item is skipped as `people_tied`. Case and outer spaces of labels do not matter. `level=nominal`
    makes votes of numbers (0 and 1, codes), `ordinal` and `interval` refuse labels as `grade_not_a_number`; with
    `first` and `second`, which say which grade lets which of two answers win, grades are labels unless they are opposite
    numbers. The judge's grade in the other order (`swapped`) is expected mapped back: 1 is the same answer in both.
    An item without the judge's grade (missing_answer) or people's (missing_reference) is skipped; the latter counts for
    the corrected share of a label. See JudgeTally.summary for the figures and `_verdict.py` for the rules of the verdict.
    """

    title = "An LLM judge against people: agreement beyond chance, correlation, length and position bias, verdict"
    sample = JudgedSample
    options = OPTIONS

    def __init__(
        self,
        *,
        mode: Mode | str = "strict",
        judge: str | None = None,
        rubric: str | None = None,
        date: str | None = None,
        level: str = "auto",
        tolerance: float = 0.0,
        first: Grade | None = None,
        second: Grade | None = None,
        swapped: str = "mapped_back",
    ) -> None:
        super().__init__(mode=mode)
        self.card = made_card(judge, rubric, date)
        self.rules = made_rules(level, tolerance, first, second, swapped)

    def signature_parts(self) -> dict[str, Any]:
        """Judge, rubric and date, and the rules that differ from the usual ones."""
        card, rules = self.card, self.rules
        parts: dict[str, Any] = {
            "judge": (card.judge or "unnamed").replace("|", "/"),
            "rubric": card.rubric_hash[:16] if card.rubric_hash else "none",
            "date": card.date or "none",
            "level": rules.level or "auto",
            "tolerance": f"{rules.tolerance:g}",
        }
        if rules.first is not None and rules.second is not None:
            parts["sides"] = f"{shown(rules.first)}/{shown(rules.second)}".replace("|", "/")
        return {**parts, "swapped": "as_shown"} if rules.as_shown else parts

    def tally(self) -> JudgeTally:
        """Counts of pairs of grades."""
        return JudgeTally(self.card, self.rules)

    def compute(self, sample: Sample) -> MetricResult:
        """Compare one item's grades. Details hold all that the tally counts."""
        assert isinstance(sample, JudgedSample)
        try:
            details = self._details(sample)
        except ValueError as error:
            return MetricResult(self.name, None, {"error": f"a grade {error}"})
        if (
            sample.index == 0 and not self.card.of([sample.judge] if sample.judge else []).is_complete
        ):  # once: the card is of the whole
            details.setdefault("warnings", []).append("judge_card_incomplete")
        if reason := self._reason(details):
            return MetricResult(self.name, None, {"skipped": reason, **details})
        grade, people = details["grade"], details["people"]
        if self.rules.takes_numbers(grade, people):
            details["difference"] = grade - people
        return MetricResult(self.name, float(self.rules.agree(people, grade)), details)

    def badness(self, result: MetricResult) -> float | None:
        """Where judge and people differ most; labels that differ are one apart."""
        return None if result.score != 0 else abs(result.details.get("difference", 1.0))

    def _details(self, sample: JudgedSample) -> dict[str, Any]:
        """criterion, judge, grade, people (their verdict), people_grades, swapped, lengths, warnings: those there are."""
        written = [one for one in map(read_grade, sample.people) if one is not None]
        grade, swapped = read_grade(sample.grade), read_grade(sample.swapped)
        everything = [one for one in (grade, swapped, *written) if one is not None]
        numbers = self.rules.takes_numbers(*everything)
        people = written if numbers else [shown(one) for one in written]
        details: dict[str, Any] = {"criterion": sample.session_id} if sample.session_id else {}
        if sample.judge and not self.card.judge:
            details["judge"] = sample.judge
        if grade is not None:
            details["grade"] = grade if numbers else shown(grade)
        if people:
            details["people"] = verdict_of(people)
            if len(people) > 1:
                details["people_grades"] = people
        if swapped is not None:
            back = self.rules.mapped_back(swapped)
            details["swapped"] = back if numbers else shown(back)
        if sample.lengths:
            details["lengths"] = list(sample.lengths)
        if self.rules.level != "nominal" and len({isinstance(one, str) for one in everything}) > 1:
            details["warnings"] = ["numbers_and_labels"]
        elif self.rules.level is None and grade in (0.0, 1.0) and set(people) == {0.0, 1.0}:
            details["warnings"] = ["zeros_and_ones_averaged"]
        return details

    def _reason(self, details: dict[str, Any]) -> str | None:
        """Why an item cannot be compared. Where one grade of an item is a label, all are."""
        people = details.get("people_grades", [details.get("people")])
        if self.rules.level in ("ordinal", "interval") and any(
            isinstance(one, str) for one in (*people, details.get("grade"))
        ):
            return "grade_not_a_number"
        if "grade" not in details:
            return "missing_answer"
        if "people" not in details:
            return "missing_reference"
        return "people_tied" if details["people"] is None else None

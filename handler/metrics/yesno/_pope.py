"""`pope`: yes/no questions about objects, some of which are not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from handler.metrics._base import BaseMetric, Tally
from handler.metrics._registry import register
from handler.metrics.yesno._reading import polarity, pope_polarity
from handler.results import MetricResult
from handler.samples import Sample
from handler.statistics import wilson_interval

__all__ = ["Pope", "PopeTally"]

RAW = 200  # characters of an answer kept in its row: enough to see what the rule saw


class PopeTally(Tally):
    """The four counts of a yes/no test, and how often the model says yes.

    extra_yes, extra_no: answers to no question, which POPE's own yes ratio counts.
    """

    fields = ("tp", "fp", "tn", "fn", "extra_yes", "extra_no")

    def __init__(self, *, compat: bool = False) -> None:
        super().__init__()
        self._compat = compat
        self.tp = self.fp = self.tn = self.fn = self.extra_yes = self.extra_no = 0

    def add(self, result: MetricResult) -> None:
        """Count one result; an answer without a question still says yes or no."""
        super().add(result)
        if result.details.get("skipped") == "missing_reference":
            self.extra_yes += result.details.get("parsed") == "yes"
            self.extra_no += result.details.get("parsed") == "no"

    def summary(self) -> dict[str, Any]:
        """accuracy (with its Wilson interval), precision, recall, f1 of "yes", yes_ratio of the answers beside that of
        the labels, the four counts, and n_unparsed. A ratio of nothing is None."""
        n, right = self.n_scored, self.tp + self.tn
        n_unparsed = self.skipped["unparsed"]
        said = (self.extra_yes, self.extra_no) if self._compat else (0, 0)
        precision, recall = _ratio(self.tp, self.tp + self.fp), _ratio(self.tp, self.tp + self.fn)
        interval = wilson_interval(right, n)
        return {
            "accuracy": _ratio(right, n),
            "precision": precision,
            "recall": recall,
            "f1": self._f1(precision, recall),
            "yes_ratio": _ratio(self.tp + self.fp + said[0], n + sum(said)),
            "label_yes_ratio": _ratio(self.tp + self.fn, n),
            "accuracy_with_unparsed": _ratio(right, n + n_unparsed),
            "tp": self.tp,
            "fp": self.fp,
            "tn": self.tn,
            "fn": self.fn,
            "n_unparsed": n_unparsed,
            "summary": self._sentence(n, right, n_unparsed),
            **self.counts(),
            "intervals": {"accuracy": interval._asdict() if interval else None},
        }

    def _f1(self, precision: float | None, recall: float | None) -> float | None:
        if self._compat:
            if precision is None or recall is None or precision + recall == 0:
                return None  # POPE's script divides by zero here
            return 2 * precision * recall / (precision + recall)
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def _sentence(self, n: int, right: int, n_unparsed: int) -> str:
        if not n:
            return "There is nothing to count: no answer was scored."
        unparsed = f"; {n_unparsed} more were neither yes nor no" if n_unparsed else ""
        return f"The model answered {right} of {n} yes/no questions rightly ({right / n:.0%}){unparsed}."

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        key = ("t" if score else "f") + ("p" if details["parsed"] == "yes" else "n")
        setattr(self, key, getattr(self, key) + 1)

    def _merge_scores(self, other: Self) -> None:
        for name in self.fields:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@register("pope")
class Pope(BaseMetric):
    """1 when the answer says what the label says, else 0.

    An answer that is neither yes nor no is skipped as `unparsed`: it is counted, and no ratio but
    `accuracy_with_unparsed` rests on it. `compat:pope` takes POPE's own word rule, by which everything is yes or no, and
    the order of lines. Any sample whose reference is yes or no will do.
    Source: Li et al., Evaluating Object Hallucination in Large Vision-Language Models (EMNLP 2023).
    """

    title = "Yes/no questions about objects: accuracy, precision, recall, F1, yes ratio"
    ancestors = ("pope",)

    def tally(self) -> PopeTally:
        """The four counts."""
        return PopeTally(compat=self.mode.compat)

    def compute(self, sample: Sample) -> MetricResult:
        """Score one answer."""
        if sample.answer is None:
            return self._skip(sample, "missing_answer")
        said, rule = (pope_polarity if self.mode.compat else polarity)(sample.answer)
        details: dict[str, Any] = {"raw": sample.answer[:RAW], "parsed": said, "rule": rule}
        if not sample.references:
            return MetricResult(self.name, None, {"skipped": "missing_reference", **details})
        label = self._label(sample.references[0])
        details["label"] = label
        if not sample.answer.strip():
            details["warnings"] = ["empty_answer"]
        if label is None:
            return MetricResult(self.name, None, {"skipped": "label_not_yes_or_no", **details})
        if said is None:
            return MetricResult(self.name, None, {"skipped": "unparsed", **details})
        return MetricResult(self.name, float(said == label), details)

    def badness(self, result: MetricResult) -> float | None:
        """Wrong answers, those that invent something first."""
        if result.score != 0:
            return None
        return 2.0 if result.details["parsed"] == "yes" else 1.0

    def _label(self, text: str) -> str | None:
        if self.mode.compat:
            return "no" if text == "no" else "yes"  # POPE's script: all but "no" is yes
        known = text.strip().casefold()
        return known if known in ("yes", "no") else None

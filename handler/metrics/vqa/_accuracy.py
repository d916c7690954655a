"""`vqa.accuracy`: agreement with what people answered."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

from handler.counting import many
from handler.metrics._base import BaseMetric, Tally
from handler.metrics._registry import register
from handler.metrics.vqa._consensus import FEW, consensus, official_consensus
from handler.metrics.vqa._normal import normalised
from handler.results import MetricResult
from handler.samples import Sample, VqaSample
from handler.statistics import mean_interval

__all__ = ["VqaAccuracy", "VqaTally"]

Scores = dict[str, int]  # {score: how often}: few distinct values, and a sum that no order of samples can change
_KINDS = ("question_type", "answer_type")


class VqaTally(Tally):
    """How often each score came up, in all and per question type and answer type."""

    fields = ("scores", "question_type", "answer_type", "n_exact", "n_normalised")

    def __init__(self) -> None:
        super().__init__()
        self.scores: Scores = {}
        self.question_type: dict[str, Scores] = {}
        self.answer_type: dict[str, Scores] = {}
        self.n_exact = self.n_normalised = 0

    def summary(self) -> dict[str, Any]:
        """accuracy (with an interval), exact_match, normalised_match, by_question_type, by_answer_type; a type's entry
        holds accuracy and n_scored."""
        n = self.n_scored
        mean = _mean(self.scores)
        return {
            "accuracy": mean,
            "exact_match": self.n_exact / n if n else None,
            "normalised_match": self.n_normalised / n if n else None,
            "by_question_type": _by_type(self.question_type),
            "by_answer_type": _by_type(self.answer_type),
            "summary": f"The model agrees with people to {mean:.0%} over {many(n, 'question')}."
            if mean is not None
            else "There is nothing to average: no answer was scored.",
            **self.counts(),
            "intervals": {"accuracy": _interval(self.scores, mean, n)},
        }

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        _count(self.scores, score)
        for kind in _KINDS:
            if details.get(kind) is not None:
                _count(getattr(self, kind).setdefault(details[kind], {}), score)
        self.n_exact += details["exact"]
        self.n_normalised += details["normalised"]

    def _merge_scores(self, other: Self) -> None:
        self.scores = _added(self.scores, other.scores)
        for kind in _KINDS:
            mine = getattr(self, kind)
            for name, scores in getattr(other, kind).items():
                mine[name] = _added(mine.get(name, {}), scores)
        self.n_exact += other.n_exact
        self.n_normalised += other.n_normalised


def _count(scores: Scores, score: float) -> None:
    scores[repr(score)] = scores.get(repr(score), 0) + 1


def _added(one: Scores, other: Scores) -> Scores:
    return dict(Counter(one) + Counter(other))


def _mean(scores: Scores) -> float | None:
    n = sum(scores.values())
    return math.fsum(float(score) * times for score, times in scores.items()) / n if n else None


def _by_type(found: Mapping[str, Scores]) -> dict[str, Any]:
    return {
        name: {"accuracy": _mean(scores), "n_scored": sum(scores.values())} for name, scores in sorted(found.items())
    }


def _interval(scores: Scores, mean: float | None, n: int) -> dict[str, Any] | None:
    if mean is None or n < 2:
        return None
    squares = math.fsum(times * (float(score) - mean) ** 2 for score, times in scores.items())
    found = mean_interval(mean, math.sqrt(squares / (n - 1)), n)
    return found._replace(low=max(0.0, found.low), high=min(1.0, found.high))._asdict() if found else None


@register("vqa.accuracy")
class VqaAccuracy(BaseMetric):
    """VQA v2's accuracy, 0..1: an answer that at least three of the other people gave scores 1.

    Both sides are normalised, always: case, punctuation, articles, numbers up to ten, contractions. With at most 3
    references a match with any of them scores 1. Rows also say `exact` and `normalised`: whether the answer is one of the
    references as written, and after normalisation. `compat:vqa` is the official code to the bit, fractions for percents.
    Any sample with references will do. A missing answer or reference is skipped; an empty answer is scored.
    Source: Antol et al., VQA: Visual Question Answering (ICCV 2015), and its evaluation code.
    """

    title = "Agreement with people's answers: VQA v2, exact match, normalised match"
    ancestors = ("vqa",)

    def tally(self) -> VqaTally:
        """Scores by type."""
        return VqaTally()

    def compute(self, sample: Sample) -> MetricResult:
        """Score one answer."""
        if sample.answer is None:
            return self._skip(sample, "missing_answer")
        references = sample.references
        if not self.mode.compat:
            references = tuple(one for one in references if one.strip())
        if not references:
            return self._skip(sample, "empty_reference" if sample.references else "missing_reference")
        details = _facts(sample, references)
        if self.mode.compat:
            keys = sample.record_keys if isinstance(sample, VqaSample) else ()
            score = official_consensus(sample.answer, references, keys)
        else:
            score = consensus(sample.answer, references)
        if warnings := _warnings(sample, references):
            details["warnings"] = warnings
        return MetricResult(self.name, score, details)

    def badness(self, result: MetricResult) -> float | None:
        """Answers that nobody gave, then those that few gave."""
        return None if result.score is None or result.score >= 1 else -result.score


def _facts(sample: Sample, references: tuple[str, ...]) -> dict[str, Any]:
    given = normalised(sample.answer or "")
    details: dict[str, Any] = {
        "exact": sample.answer in references,
        "normalised": any(normalised(one) == given for one in references),
        "n_references": len(references),
    }
    for kind in _KINDS:
        value = getattr(sample, kind, None) or sample.columns.get(kind)
        if isinstance(value, str):
            details[kind] = value
    return details


def _warnings(sample: Sample, references: tuple[str, ...]) -> list[str]:
    found = [] if (sample.answer or "").strip() else ["empty_answer"]
    keys = sample.record_keys if isinstance(sample, VqaSample) else ()
    if len(references) > FEW and keys and len(set(keys)) < len(keys):
        found.append("answer_id_missing")
    return found

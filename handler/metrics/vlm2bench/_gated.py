"""`vlm2bench.hallucination`: fine-grained questions that count only when the coarse one was answered rightly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Self, cast

from handler.metrics._base import BaseMetric, Tally
from handler.metrics._registry import register
from handler.metrics.vlm2bench._reading import read_answer
from handler.metrics.yesno import polarity, pope_polarity
from handler.results import MetricResult
from handler.samples import Sample, SequenceSample

__all__ = ["GatedTally", "Vlm2BenchHallucination"]


class GatedTally(Tally):
    """Scores of sequences, and what gated them."""

    fields = ("scores", "n_gated_out", "n_fine", "n_fine_right", "n_fine_unparsed")

    def __init__(self) -> None:
        super().__init__()
        self.scores: dict[str, int] = {}  # {score: how often}, so that no order of sequences can change the sum
        self.n_gated_out = self.n_fine = self.n_fine_right = self.n_fine_unparsed = 0

    def summary(self) -> dict[str, Any]:
        """score_sum (the task's score), maximum (= n_sequences), score_mean, n_gated_out, coarse_accuracy, and
        fine_accuracy over all fine questions, gated or not."""
        n = self.n_scored
        total = math.fsum(float(score) * times for score, times in self.scores.items())
        return {
            "score_sum": total,
            "maximum": n,
            "score_mean": total / n if n else None,
            "n_sequences": n,
            "n_gated_out": self.n_gated_out,
            "coarse_accuracy": (n - self.n_gated_out) / n if n else None,
            "fine_accuracy": self.n_fine_right / self.n_fine if self.n_fine else None,
            "n_fine": self.n_fine,
            "n_fine_unparsed": self.n_fine_unparsed,
            "summary": f"The sequences score {total:.2f} of {n}; {self.n_gated_out} failed at the coarse question.",
            **self.counts(),
            "intervals": {},
        }

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self.scores[repr(score)] = self.scores.get(repr(score), 0) + 1
        self.n_gated_out += details["gated_out"]
        self.n_fine += details["n_fine"]
        self.n_fine_right += details["n_fine_right"]
        self.n_fine_unparsed += details["n_fine_unparsed"]

    def _merge_scores(self, other: Self) -> None:
        self.scores = dict(Counter(self.scores) + Counter(other.scores))
        for name in self.fields[1:]:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@register("vlm2bench.hallucination")
class Vlm2BenchHallucination(BaseMetric):
    """Per image sequence 0 when the coarse question is answered wrongly, else the share of its fine-grained yes/no
    questions answered rightly, 0..1. The task's score is the sum over sequences.

    A missing or unreadable fine answer is wrong; a sequence that nothing was said about scores 0 with a warning.
    `compat:vlm2bench` reads coarse answers by VLM2-Bench's rules and fine ones by POPE's; strict reads both for what they
    say ("(C)" is C, silence is no yes).
    Source: LVLM Multi-image VQA Dehallucination, evaluation metrics (CMU, 2025).
    """

    title = "Image sequences: fine-grained yes/no accuracy, gated by the coarse question"
    sample = SequenceSample
    ancestors = ("vlm2bench",)

    def tally(self) -> GatedTally:
        """Sum, mean, gates."""
        return GatedTally()

    def compute(self, sample: Sample) -> MetricResult:
        """Score one sequence."""
        sequence = cast("SequenceSample", sample)
        if not sequence.references:
            return self._skip(sample, "missing_reference")
        if not sequence.fine_labels:
            return self._skip(sample, "no_fine_questions")
        official = self.mode.compat
        coarse = read_answer(sequence.coarse_type, sequence.answer or "", sequence.references[0], official=official)
        read = pope_polarity if official else polarity
        given = [None if one is None else read(one).said for one in sequence.fine_answers[: len(sequence.fine_labels)]]
        given += [None] * (len(sequence.fine_labels) - len(given))
        n_right = sum(one == label for one, label in zip(given, sequence.fine_labels, strict=True))
        details: dict[str, Any] = {
            "coarse_parsed": coarse.parsed,
            "gated_out": not coarse.right,
            "fine_parsed": given,
            "n_fine": len(given),
            "n_fine_right": n_right,
            "n_fine_unparsed": given.count(None),
        }
        if sequence.answer is None:
            details["warnings"] = ["missing_sequence"]
        elif not sequence.answer.strip():
            details["warnings"] = ["empty_answer"]
        return MetricResult(self.name, n_right / len(given) if coarse.right else 0.0, details)

    def badness(self, result: MetricResult) -> float | None:
        """Sequences that lost something, those that lost most first."""
        return None if result.score is None or result.score >= 1 else -result.score

"""`vlm2bench.native`: VLM2-Bench's paired, counting and grouping conventions on its own answer files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Self, cast

from handler.counting import many
from handler.metrics._base import BaseMetric, Tally
from handler.metrics._registry import register
from handler.metrics.vlm2bench._pairs import Pairs, add_half, merge_pairs, pair_figures
from handler.metrics.vlm2bench._reading import Read, read_answer
from handler.results import MetricResult
from handler.samples import BenchSample, Sample
from handler.statistics import wilson_interval

__all__ = ["NativeTally", "Vlm2BenchNative"]

DEFAULT_IMAGES = 2  # what VLM2-Bench's counting script takes where the length of a sequence is not known
LONGEST = 4  # images in its longest sequence, whose errors weigh least
PENALTY_ROOT = 10  # the relative error is raised to 1 / 10: being off by little costs nearly as much as by much
_QUESTION = {"matching": "tf", "comparison": "tf", "counting": "count", "grouping": "mcq"}


class NativeTally(Tally):
    """Right answers, pairs, and the closeness of counts."""

    fields = ("n_right", "n_unparsed", "matching", "comparison", "closeness", "n_counting")

    def __init__(self, *, official: bool = False) -> None:
        super().__init__()
        self._official = official
        self.n_right = self.n_unparsed = self.n_counting = 0
        self.matching: Pairs = {}
        self.comparison: Pairs = {}
        self.closeness: dict[str, int] = {}  # {score of a count within range: how often}

    def summary(self) -> dict[str, Any]:
        """accuracy; the accuracies of pairs; normalized_score, the closeness of counts within range (the official
        denominator leaves out the others), and normalized_score_all, over all of them."""
        n = self.n_scored + (self.skipped["missing_reference"] if self._official else 0)
        n_valid = sum(self.closeness.values())
        total = math.fsum(float(score) * times for score, times in self.closeness.items())
        interval = wilson_interval(self.n_right, n)
        return {
            "accuracy": self.n_right / n if n else None,
            "n_correct": self.n_right,
            "n_unparsed": self.n_unparsed,
            **pair_figures(self.matching, self.comparison, official=self._official),
            "normalized_score": total / n_valid if n_valid else None,
            "n_valid_counts": n_valid,
            "normalized_score_all": total / self.n_counting if self.n_counting else None,
            "n_counts": self.n_counting,
            "summary": f"The model answered {self.n_right} of {many(n, 'question')} rightly.",
            **self.counts(),
            "intervals": {"accuracy": interval._asdict() if interval else None},
        }

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        right = int(score)
        self.n_right += right
        self.n_unparsed += details["parsed"] is None
        if details.get("pair") is not None:
            pairs = self.matching if details["kind"] == "matching" else self.comparison
            add_half(pairs, details["pair"], details["half"], right)
        if details["kind"] == "counting":
            self.n_counting += 1
            if (closeness := details["normalized_score"]) is not None:
                self.closeness[repr(closeness)] = self.closeness.get(repr(closeness), 0) + 1

    def _merge_scores(self, other: Self) -> None:
        self.n_right += other.n_right
        self.n_unparsed += other.n_unparsed
        self.n_counting += other.n_counting
        merge_pairs(self.matching, other.matching)
        merge_pairs(self.comparison, other.comparison)
        self.closeness = dict(Counter(self.closeness) + Counter(other.closeness))


@register("vlm2bench.native")
class Vlm2BenchNative(BaseMetric):
    """1 for a right answer, else 0, for VLM2-Bench's matching (GC), comparison, counting and grouping files.

    A comparison or matching question counts together with its counterpart; counts also get a closeness, 0..1. An answer
    that cannot be read is wrong, and counted as unparsed. strict reads "T.", "(C)" and "2.0" for what they say;
    `compat:vlm2bench` is the original's reading and its denominators.
    Source: Zhang et al., VLM2-Bench (2025), and its evaluation scripts.
    """

    title = "VLM2-Bench's own accuracies: pairs of true/false questions, counts, groups"
    sample = BenchSample
    ancestors = ("vlm2bench",)

    def tally(self) -> NativeTally:
        """Right answers, pairs, counts."""
        return NativeTally(official=self.mode.compat)

    def compute(self, sample: Sample) -> MetricResult:
        """Score one answer."""
        one = cast("BenchSample", sample)
        if one.answer is None:
            return self._skip(sample, "missing_answer")
        if not one.references:
            return self._skip(sample, "missing_reference")
        read = self._read(one, one.answer, one.references[0])
        details: dict[str, Any] = {"kind": one.kind, "parsed": read.parsed, "label": one.references[0]}
        if read.problem:
            details["problem"] = read.problem
        warnings = [] if one.answer.strip() else ["empty_answer"]
        right = read.right
        if one.pair is not None:
            details |= {"pair": one.pair, "half": one.half}
        if one.kind == "counting":
            near = _closeness_within(read.parsed, one)
            right = right and near is not None
            details["normalized_score"] = near
            if read.problem is None and near is None:
                details["problem"] = "out_of_range"
            if one.n_images is None:
                warnings.append("n_images_unknown")
        if warnings:
            details["warnings"] = warnings
        return MetricResult(self.name, float(right), details)

    def _read(self, sample: BenchSample, answer: str, wanted: str) -> Read:
        if self.mode.compat and sample.kind == "matching":
            return Read(answer, None, answer == wanted)  # GC's script compares the raw text
        return read_answer(_QUESTION[sample.kind], answer, wanted, official=self.mode.compat)


def _closeness_within(count: str | int | None, sample: BenchSample) -> float | None:
    n_images = sample.n_images or DEFAULT_IMAGES
    if not isinstance(count, int) or not 1 <= count <= n_images:
        return None
    return closeness(count, int(sample.references[0]), n_images)


def closeness(count: int, wanted: int, n_images: int) -> float:
    """1 for the right count, less for others, 0 at worst: 1 - (4 / n_images) * (error / largest possible error) ** 0.1."""
    error = abs(count - wanted)
    if not error:
        return 1.0
    largest = max(wanted - 1, n_images - wanted)
    relative = error / largest if largest > 0 else 0.0
    penalty = LONGEST / n_images * math.pow(relative, 1.0 / PENALTY_ROOT)
    return max(0.0, 1.0 - penalty)

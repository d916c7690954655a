"""How common a label really is, where the judge graded more items than people did."""

from __future__ import annotations

from collections import Counter
from typing import Any

from handler.metrics.judge._counts import Counts, Part
from handler.samples import Grade
from handler.statistics import prediction_powered_rate, rogan_gladen, wilson_interval

__all__ = ["prevalence_figures"]


def prevalence_figures(counts: Counts, verdicts: Counter[tuple[Any, ...]], alone: Counter[tuple[Any, ...]]) -> Part:
    """prevalence, for each of two labels: judge_rate over all items that the judge graded, people_rate over those that
    people did, sensitivity, true_rate with its interval (prediction-powered; people's own where they graded everything),
    rogan_gladen. n_people, n_judge_only: how many items each rests on.
    """
    part = Part()
    pairs = counts.grades(verdicts, 0, 1)
    only = Counter({key[0]: times for key, times in counts.grades(alone, 0).items()})
    labels = counts.sorted([*(grade for pair in pairs for grade in pair), *only])
    if len(labels) != 2 or not pairs:
        part.put(
            "prevalence",
            None,
            f"it needs two labels, and there are {len(labels):,}" if pairs else "no item was compared",
        )
        return part
    part.figures["prevalence"] = {
        counts.spellings.of(label): _of_label(part, counts, pairs, only, label, other)
        for label, other in (labels, labels[::-1])
    }
    return part


def _of_label(
    part: Part, counts: Counts, pairs: Counter[tuple[Any, ...]], only: Counter[Grade], label: Grade, other: Grade
) -> dict[str, Any]:
    both, missed = pairs[label, label], pairs[label, other]
    invented, neither = pairs[other, label], pairs[other, other]
    n, n_only, named = counts.n, only.total(), only[label]
    powered = prediction_powered_rate((named, n_only), ((both, missed), (invented, neither)))
    corrected = rogan_gladen((named, n_only), (both, both + missed), (neither, neither + invented))
    name = f"prevalence.{counts.spellings.of(label)}"
    part.put_interval(f"{name}.true_rate", powered[1] if powered else wilson_interval(both + missed, n))
    part.put_interval(f"{name}.rogan_gladen", corrected[1] if corrected else None)
    if corrected is None:
        few = (
            "people graded all items" if not n_only else "people gave one label only, or the judge errs as often as not"
        )
        part.undefined[f"{name}.rogan_gladen"] = few
    if not both + missed:
        part.undefined[f"{name}.sensitivity"] = "people never gave the label"
    return {
        "judge_rate": (both + invented + named) / (n + n_only),
        "people_rate": (both + missed) / n,
        "sensitivity": both / (both + missed) if both + missed else None,
        "true_rate": powered[0] if powered else (both + missed) / n,
        "rogan_gladen": corrected[0] if corrected else None,
        "n_people": n,
        "n_judge_only": n_only,
    }

"""What the figures of a judge come to: one code and one sentence, by rules with numbers.

The first rule that holds decides:
nothing_compared        no item was compared
mixed_criteria          some criteria are graded in numbers and others in labels (5 or more items each, and none in both)
no_shared_label         labels: what the judge says and what people say have none in common
too_few_items           fewer than 30 items: of 30, an agreement of 80 % may be anything from 63 to 90 %
order_not_mapped_back   grades of the other order fit better (by 0.25 or more) if they are exchanged: they are as shown
people_disagree         30 or more items with two people, whose verdicts have a reliability under 0.5: more noise than signal
no_better_than_constant labels: agreement is not above base_rate, or kappa's interval reaches 0; numbers: spearman is not
                        defined, or its interval reaches 0
position_decides        in more than a quarter of the items the other order gives another grade
position_unclear        the same, while nothing says which grade is for which answer: it may be the file that is not mapped
longer_is_better        pairs: the judge prefers the longer answer more often than people do, by 0.10 or more, and people's
                        share lies below its interval; numbers: the same of the correlations with length, by 0.2 or more
as_good_as_people       30 or more items with two people, and the judge agrees with a person as often as another person
                        does; numbers: differs from a person by no more than another person does
other_scale             numbers: scale_agreement is under 0.6, as where means are 1.2 spreads apart, or one spread is 3 times
                        the other
usable                  kappa, or of numbers spearman, is 0.6 or more: "substantial" by Landis and Koch (1977)
weak                    better than a constant, and no more
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handler.counting import many

__all__ = ["MIN_ITEMS", "verdict"]

MIN_ITEMS = 30  # items, and items with two people
MIN_CONSISTENCY = 0.75
MAPPING_GAIN = 0.25
LONGER_SHARE = 0.10
LONGER_CORRELATION = 0.2
USABLE = 0.6
RELIABLE = 0.5
SAME_SCALE = 0.6
MIN_OF_KIND = 5  # items of a criterion that tell whether it is graded in numbers or labels
N_NAMED = 4  # labels, or criteria
ROUNDING = 1e-9

Figures = Mapping[str, Any]


def verdict(
    n: int,
    figures: Figures,
    intervals: Figures,
    *,
    skipped: Mapping[str, int],
    criteria: Mapping[str, Mapping[str, int]],
) -> tuple[str, str]:
    """The code, and the sentence with what was left out. criteria: {criterion: {numbers or labels: items}}."""
    code, sentence = _by_rules(n, figures, intervals, criteria)
    left_out = [f"{times:,} {_LEFT_OUT[reason]}" for reason, times in sorted(skipped.items()) if reason in _LEFT_OUT]
    return code, f"{sentence} Left out: {'; '.join(left_out)}." if left_out else sentence


def _by_rules(
    n: int, figures: Figures, intervals: Figures, criteria: Mapping[str, Mapping[str, int]]
) -> tuple[str, str]:
    if not n:
        return (
            "nothing_compared",
            "There is nothing to compare: no item has comparable grades of the judge and of people.",
        )
    if mixed := _mixed(criteria):
        return "mixed_criteria", f"{mixed}: together they have no verdict, each criterion has its own."
    if apart := _no_shared_label(n, figures):
        return "no_shared_label", f"The judge and people share no label{apart}: write the grades of both alike."
    said, between, position = _said(n, figures), figures["between_people"], figures["position_bias"]
    if n < MIN_ITEMS:
        return "too_few_items", f"{said}: too few items to tell ({MIN_ITEMS} are needed)."
    if _unmapped(figures):
        return "order_not_mapped_back", (
            "The judge's grades in the other order fit far better when they are exchanged: map them back, or give "
            "swapped=as_shown with first and second."
        )
    reliability = between["reliability"]
    if between["n_items"] >= MIN_ITEMS and reliability is not None and reliability < RELIABLE:
        return "people_disagree", (
            "People disagree so much that other people would have graded otherwise "
            f"(reliability {reliability:.2f}): a judge cannot be measured by them."
        )
    if _is_constant(figures, intervals):
        return "no_better_than_constant", f"{said}: no better than always giving the same grade."
    if position and position["consistency"] < MIN_CONSISTENCY:
        changed = 1 - position["consistency"]
        if position["first_shown_wins"] is None:
            return "position_unclear", (
                f"{said}, and {changed:.0%} of the grades in the other order differ: say which grade means the first "
                "answer and which the second (first=, second=), and swapped=as_shown if they were not mapped back."
            )
        return "position_decides", f"{said}, but changes its grade on {changed:.0%} when the two answers change places."
    if longer := _longer(figures, intervals):
        return "longer_is_better", f"{said}, but {longer}."
    if _is_as_good(figures):
        return "as_good_as_people", (
            f"{said}, and is as close to a single person as people are to each other "
            f"({_shared(between, 'judge')} against {_shared(between, 'people')})."
        )
    if (scale := figures["scale_agreement"]) is not None and scale < SAME_SCALE:
        return "other_scale", (
            f"{said}, but grades on another scale (means of {figures['judge_mean']:.2f} and, of people, "
            f"{figures['people_mean']:.2f}): bring the grades to one scale before they are compared."
        )
    code = "usable" if _main(figures) >= USABLE else "weak"
    return code, f"{said}: {code}."


_LEFT_OUT = {
    "people_tied": "on which people are tied",
    "missing_answer": "that the judge did not grade",
    "missing_reference": "that people did not grade",
    "grade_not_a_number": "with a label, where the option level takes numbers alone (level=nominal takes labels)",
}


def _mixed(criteria: Mapping[str, Mapping[str, int]]) -> str:
    """Which criteria have numbers and which labels, if that is so."""
    if any(len(kinds) > 1 for kinds in criteria.values()):
        return ""
    numbers, labels = (
        sorted(name for name, kinds in criteria.items() if kinds.get(kind, 0) >= MIN_OF_KIND)
        for kind in ("numbers", "labels")
    )
    if not numbers or not labels:
        return ""
    return f"Some criteria are graded in numbers ({_some(numbers)}) and others in labels ({_some(labels)})"


def _no_shared_label(n: int, figures: Figures) -> str:
    """What each side says, where they share no label; of few items, both have to have said two things."""
    if figures["n_shared_labels"] != 0:
        return ""
    rates = figures["rates"] or {}
    judge, people = ([label for label, rate in rates.items() if rate[who]] for who in ("judge", "people"))
    if n < MIN_ITEMS and min(len(judge), len(people)) < 2:
        return ""
    return f" (the judge: {_some(judge)}; people: {_some(people)})" if rates else " at all"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:N_NAMED]) + (", …" if len(names) > N_NAMED else "")


def _said(n: int, figures: Figures) -> str:
    if figures["level"] == "nominal":
        value = figures["kappa"]
        return (
            f"The judge agrees with people on {figures['agreement']:.0%} of {many(n, 'item')}, where the best constant "
            f"would on {figures['base_rate']:.0%} (kappa {'not defined' if value is None else format(value, '.2f')})"
        )
    value = figures["spearman"]
    return (
        f"The judge is {figures['mae']:.2f} from people on average over {many(n, 'item')}, {figures['bias']:+.2f} in the "
        f"mean (spearman {'not defined' if value is None else format(value, '.2f')})"
    )


def _main(figures: Figures) -> float:
    return float(figures["spearman" if figures["level"] != "nominal" else "kappa"] or 0.0)


def _unmapped(figures: Figures) -> bool:
    position = figures["position_bias"]
    mapped = position and position["consistency_if_mapped_back"]
    return bool(mapped) and mapped - position["consistency"] >= MAPPING_GAIN


def _is_constant(figures: Figures, intervals: Figures) -> bool:
    name = "spearman" if figures["level"] != "nominal" else "kappa"
    value = figures[name]
    if value is None or (name == "kappa" and figures["agreement"] <= figures["base_rate"]):
        return True
    interval = intervals[name]
    return bool((interval["low"] if interval else value) <= 0)


def _longer(figures: Figures, intervals: Figures) -> str:
    bias = figures["length_bias"]
    if not bias:
        return ""
    name, margin, judge, people = (
        "prefers_longer",
        LONGER_SHARE,
        bias["judge_prefers_longer"],
        bias["people_prefers_longer"],
    )
    key = "length_bias.judge_prefers_longer"
    if bias["of"] == "length":
        margin, judge, people = LONGER_CORRELATION, bias["judge"]["spearman"], bias["people"]["spearman"]
        name, key = "spearman", "length_bias.judge.spearman"
    interval = intervals.get(key)
    if judge is None or people is None or interval is None or judge - people < margin or interval["low"] <= people:
        return ""
    if name == "spearman":
        return f"its grades follow the length of the answer ({judge:.2f}) more than people's do ({people:.2f})"
    return f"it prefers the longer answer in {judge:.0%} of the items where it decides, people in {people:.0%}"


def _is_as_good(figures: Figures) -> bool:
    between = figures["between_people"]
    if between["n_items"] < MIN_ITEMS:
        return False
    if between["people_difference"] is not None:
        return bool(between["judge_difference"] <= between["people_difference"] + ROUNDING)
    return bool(between["judge_agreement"] >= between["people_agreement"] - ROUNDING)


def _shared(between: Figures, who: str) -> str:
    if (difference := between[f"{who}_difference"]) is not None:
        return f"{difference:.2f} apart"
    return f"{between[f'{who}_agreement']:.0%}"

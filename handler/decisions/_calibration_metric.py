"""One metric's threshold, what it does on rows that did not choose it, and whether that is enough to call it calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from handler.counting import many
from handler.decisions._aims import Aim
from handler.decisions._figures import curves, figures_at, ranking, slice_figures
from handler.decisions._labelled import Part, Split, Verdicts, part_of
from handler.decisions._probability import Probability, fit_probability, reliability
from handler.decisions._thresholds import Cut, Rule, best_cut, cut_interval, empirical_cut, value_at

__all__ = ["MINIMA", "calibrate_metric"]

MINIMA = {"frames_of_each_verdict": 50, "groups": 10}
"""What each part, the one that chooses and the one that tests, must have before a threshold is called calibrated."""

# As many times the labels halve an interval: errors shrink with the square root of their number, those of a counted
# maximum with the cube root (J. Kim and D. Pollard, Cube root asymptotics, Annals of Statistics 18, 1990).
TO_HALVE: Mapping[Rule, int] = {"logistic": 4, "empirical": 8}
TO_HALVE_RATES = 4


def calibrate_metric(
    name: str,
    verdicts: Verdicts,
    split: Split,
    sliced: Mapping[str, Sequence[str]],
    *,
    aim: Aim,
    higher_is_better: bool,
    probability: Probability,
) -> dict[str, Any]:
    """The metric's entry of calibration.json. sliced: {field: its value per row}. A figure that nothing supports is None,
    and `reasons` says why the threshold is not called calibrated."""
    chooses = part_of(verdicts, split, name, higher_is_better=higher_is_better, chosen=~split.tested)
    tests = part_of(verdicts, split, name, higher_is_better=higher_is_better, chosen=split.tested)
    entry: dict[str, Any] = {
        "higher_is_better": higher_is_better,
        "calibrated": False,
        "reasons": [],
        "threshold": None,
        "interval": None,
        "flags": "scores below the threshold" if higher_is_better else "scores above the threshold",
        "counts": {"calibration": _counts(chooses), "held_out": _counts(tests)},
    }
    if verdict := _is_a_verdict(chooses, tests):
        return entry | {"reasons": [verdict]}
    cut = best_cut(chooses, aim)
    reasons = list(_too_few(chooses, tests, split))
    if cut is None:
        return entry | {"reasons": [*reasons, _no_cut(chooses, aim)]}
    interval, unknown = cut_interval(chooses, aim, cut.rule)
    sign = -1.0 if higher_is_better else 1.0
    if interval is not None:
        low, high = sorted((sign * interval.low, sign * interval.high))
        interval = interval._replace(low=min(low, sign * cut.at), high=max(high, sign * cut.at))
    held_out = _held_out(tests, cut, aim, sign)
    reasons += _told_apart(held_out)
    return entry | {
        "calibrated": not reasons,
        "reasons": reasons,
        "threshold": sign * cut.at,
        "rule": cut.rule,
        "interval": interval._asdict() if interval is not None else None,
        **({"interval_reason": unknown} if unknown else {}),
        "calibration": figures_at(chooses, cut.at) | {"aim_value": cut.value},
        "held_out": held_out,
        **curves(tests, higher_is_better=higher_is_better),
        "probability": _probability(chooses, tests, higher_is_better, probability),
        "slices": list(_slices(verdicts, split, name, sliced, cut, higher_is_better)),
        "to_halve": _to_halve(chooses, tests, cut.rule),
    }


def _counts(part: Part) -> dict[str, int]:
    n = len(part.danger)
    bad = int(part.different.sum())
    return {"n": n, "n_different": bad, "n_same": n - bad, "n_groups": part.n_groups}


def _is_a_verdict(*parts: Part) -> str | None:
    scores = np.unique(np.concatenate([part.danger for part in parts]))
    if not len(scores):
        return "no frame with a verdict was scored"
    if np.isin(scores, (-1.0, 0.0, 1.0)).all():
        return "its scores are 0 and 1 already: there is no threshold to find"
    return None


def _too_few(chooses: Part, tests: Part, split: Split) -> Iterator[str]:
    for words, part in (("calibration", chooses), ("held-out", tests)):
        counts = _counts(part)
        for verdict in ("different", "same"):
            n, least = counts[f"n_{verdict}"], MINIMA["frames_of_each_verdict"]
            if n < least:
                yield f"the {words} part has {many(n, 'frame')} with the verdict {verdict}, and needs {least}"
        if part.n_groups < MINIMA["groups"]:
            yield f"the {words} part has {many(part.n_groups, 'group')} ({split.by}), and needs {MINIMA['groups']}"
    if split.one_session:
        yield split.notes[0]


def _no_cut(part: Part, aim: Aim) -> str:
    if part.different.all() or not part.different.any():
        return "the calibration part has one verdict only"
    if len(np.unique(part.danger)) < 2:
        return "all scores are equal"
    return f"no threshold reaches {aim} without flagging every frame or none"


def _held_out(tests: Part, cut: Cut, aim: Aim, sign: float) -> dict[str, Any]:
    """Figures at the threshold, and beside them what the best threshold in hindsight would have reached."""
    figures, ordered = figures_at(tests, cut.at), ranking(tests)
    figures["intervals"] |= ordered.pop("intervals")
    best = empirical_cut(tests, aim)
    return {
        **figures,
        **ordered,
        "aim_value": value_at(tests, aim, cut.at),
        "best_possible": {"threshold": sign * best.at, "aim_value": best.value} if best is not None else None,
    }


def _told_apart(held_out: Mapping[str, Any]) -> list[str]:
    interval = held_out["intervals"]["auc"]
    low, high = (interval["low"], interval["high"]) if interval is not None else (held_out["auc"],) * 2
    if low is None:
        return ["the held-out part has one verdict only"]
    if high < 0.5:
        return [
            "the score tells the verdicts apart the wrong way round (AUC below 0.5): do they mean what is taken for it?"
        ]
    return [] if low > 0.5 else ["the score does not tell the verdicts apart: its AUC may be 0.5"]


def _probability(chooses: Part, tests: Part, higher_is_better: bool, method: Probability) -> dict[str, Any] | None:
    curve = fit_probability(chooses, higher_is_better=higher_is_better, method=method)
    if curve is None or not len(tests.danger):
        return None
    return {**curve.document(), "reliability": reliability(tests, curve, higher_is_better=higher_is_better)}


def _slices(
    verdicts: Verdicts,
    split: Split,
    name: str,
    sliced: Mapping[str, Sequence[str]],
    cut: Cut,
    higher_is_better: bool,
) -> Iterator[dict[str, Any]]:
    for by, values in sliced.items():
        for value in dict.fromkeys(values):
            mine = np.array([one == value for one in values]) & split.tested
            part = part_of(verdicts, split, name, higher_is_better=higher_is_better, chosen=mine)
            yield {"by": by, "value": value, **slice_figures(part, cut.at)}


def _to_halve(chooses: Part, tests: Part, rule: Rule) -> dict[str, Any]:
    """More frames with a verdict, and more groups of the same size, that halve the interval of the threshold and those of
    the rates of error."""

    def more(part: Part, factor: int) -> dict[str, int]:
        return {"times": factor, "frames": (factor - 1) * len(part.danger), "groups": (factor - 1) * part.n_groups}

    return {"threshold": more(chooses, TO_HALVE[rule]), "error_rates": more(tests, TO_HALVE_RATES)}

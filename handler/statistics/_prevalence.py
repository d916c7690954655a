"""The true share of a label where people graded only some of the items and a judge graded all."""

from __future__ import annotations

import math
from statistics import NormalDist

from handler.statistics._intervals import Interval

__all__ = ["Corrected", "prediction_powered_rate", "rogan_gladen"]

Corrected = tuple[float, Interval]
"""The corrected share, 0..1, and its interval."""


def rogan_gladen(
    judged: tuple[int, int], positives: tuple[int, int], negatives: tuple[int, int], *, level: float = 0.95
) -> Corrected | None:
    """The share from the judge's rates of error: (share it names + specificity - 1) / (sensitivity + specificity - 1).

    judged: (items it names, items) among those that people did not grade. positives, negatives: (items it gets right,
    items) of those people did. None where one is empty or the judge is no better than a coin. The interval is the delta
    method's. Source: W. J. Rogan and B. Gladen, American Journal of Epidemiology 107 (1978).
    """
    if not judged[1] or not positives[1] or not negatives[1]:
        return None
    named, sensitivity, specificity = (right / n for right, n in (judged, positives, negatives))
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return None
    rate = (named + specificity - 1) / youden
    variance = (
        named * (1 - named) / judged[1]
        + (rate * rate) * sensitivity * (1 - sensitivity) / positives[1]
        + (1 - rate) ** 2 * specificity * (1 - specificity) / negatives[1]
    ) / youden**2
    return _bounded(rate, variance, level, "delta")


def prediction_powered_rate(
    judged: tuple[int, int], confusion: tuple[tuple[int, int], tuple[int, int]], *, level: float = 0.95
) -> Corrected | None:
    """The share the judge names, plus what people say more often than it does where both graded.

    judged: (items it names, items) among those that people did not grade. confusion: ((both name it, people alone),
    (the judge alone, neither)). None where either has no items. Never refuses a weak judge: the interval widens.
    Source: Angelopoulos et al., Prediction-powered inference, Science 382 (2023).
    """
    (both, people), (judge, neither) = confusion
    n = both + people + judge + neither
    if not n or not judged[1]:
        return None
    named, missed = judged[0] / judged[1], (people - judge) / n
    variance = named * (1 - named) / judged[1] + ((people + judge) / n - missed**2) / n
    return _bounded(named + missed, variance, level, "prediction-powered")


def _bounded(rate: float, variance: float, level: float, method: str) -> Corrected:
    half = NormalDist().inv_cdf(0.5 + level / 2) * math.sqrt(max(0.0, variance))
    low, rate, high = (min(1.0, max(0.0, one)) for one in (rate - half, rate, rate + half))
    return rate, Interval(low, high, level, method)

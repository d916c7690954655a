"""From a score to the probability that a person would call the answer a hallucination, and how far that can be relied on."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.decisions._labelled import Part
from handler.statistics import Logistic, Steps, cluster_mean_interval, isotonic, logistic

__all__ = ["Curve", "Probability", "fit_probability", "reliability"]

ISOTONIC_FROM = 1_000  # labels; with fewer a step curve follows chance (Niculescu-Mizil and Caruana, ICML 2005)
BINS = 10

Floats = NDArray[np.float64]
Probability = Literal["auto", "isotonic", "logistic"]


class Curve(NamedTuple):
    """method: isotonic or logistic. of: score -> probability of "different"."""

    method: str
    of: Steps | Logistic

    def document(self) -> dict[str, Any]:
        """Its parameters, for calibration.json."""
        return {"method": self.method, **self.of._asdict()}


def fit_probability(part: Part, *, higher_is_better: bool, method: Probability) -> Curve | None:
    """The curve over the score; None where a class is missing or all scores are equal. auto: isotonic from 1,000 labels."""
    if part.different.all() or not part.different.any() or part.danger.min() == part.danger.max():
        return None
    if method == "isotonic" or (method == "auto" and len(part.danger) >= ISOTONIC_FROM):
        steps = isotonic(part.danger, part.different)
        if higher_is_better:
            lows, highs = [-one for one in reversed(steps.highs)], [-one for one in reversed(steps.lows)]
            steps = Steps(lows, highs, steps.probabilities[::-1])
        return Curve("isotonic", steps)
    line = logistic(part.danger, part.different)
    if line is None:
        return None
    return Curve("logistic", line._replace(slope=-line.slope) if higher_is_better else line)


def reliability(part: Part, curve: Curve, *, higher_is_better: bool) -> dict[str, Any]:
    """How the probabilities fare on these rows: Brier score, calibration error, and the curve in ten equal shares of rows.

    brier: mean squared error, 0 is best; brier_of_base_rate: of always saying the share of hallucinations.
    expected_calibration_error: mean distance of probability and share over the bins, by rows.
    """
    chances = np.asarray(curve.of.at(-part.danger if higher_is_better else part.danger))
    truths = part.different.astype(np.float64)
    order = np.argsort(chances, kind="stable")
    bins = [_bin(part, chances, places) for places in np.array_split(order, BINS) if len(places)]
    n = len(truths)
    error = sum(one["n"] / n * abs(one["probability"] - one["share_different"]) for one in bins)
    return {
        "brier": float(((chances - truths) ** 2).mean()),
        "brier_of_base_rate": float(((truths.mean() - truths) ** 2).mean()),
        "expected_calibration_error": error,
        "bins": bins,
    }


def _bin(part: Part, chances: Floats, places: NDArray[np.int64]) -> dict[str, Any]:
    bad, codes = part.different[places].astype(np.float64), part.codes[places]
    sums, sizes = np.bincount(codes, bad), np.bincount(codes).astype(np.float64)
    interval = cluster_mean_interval(sums.tolist(), sizes, low=0, high=1)
    return {
        "n": len(places),
        "probability": float(chances[places].mean()),
        "share_different": float(bad.mean()),
        "interval": interval._asdict() if interval is not None else None,
    }

"""What a threshold should be best at. The positive class is "different": what people call a hallucination."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.errors import RequestError

__all__ = ["AIMS", "Aim", "Counts", "parse_aim"]

Floats = NDArray[np.float64]

AIMS = {
    "balanced_accuracy": "the mean of the share of hallucinations flagged and the share of good frames let through",
    "f1": "the harmonic mean of precision and recall of what is flagged",
    "cost": "the least cost, where a missed hallucination costs so many false alarms, e.g. cost:5",
    "precision": "the most hallucinations flagged while this share of what is flagged is one, e.g. precision:0.9",
    "recall": "the fewest false alarms while this share of hallucinations is flagged, e.g. recall:0.95",
}


class Counts(NamedTuple):
    """Of hallucinations and of good frames: how many are flagged, and how many there are."""

    hits: Floats
    alarms: Floats
    n_bad: Floats
    n_good: Floats


class Aim(NamedTuple):
    """name: one of AIMS. target: of `precision` and `recall` a share 0..1, of `cost` a ratio, else None."""

    name: str
    target: float | None = None

    def __str__(self) -> str:
        return self.name if self.target is None else f"{self.name}:{self.target:g}"

    def value(self, counts: Counts) -> Floats:
        """How good it is, higher is better; -infinity where the target is missed. Not finite where a class is missing."""
        hits, alarms, n_bad, n_good = counts
        if self.name == "balanced_accuracy":
            return (hits / n_bad + (n_good - alarms) / n_good) / 2
        if self.name == "f1":
            return 2 * hits / (hits + alarms + n_bad)
        target = self.target or 0.0
        if self.name == "cost":
            return -(target * (n_bad - hits) + alarms) / (n_bad + n_good)
        if self.name == "precision":
            reached = hits >= target * (hits + alarms) - 1e-9
            return np.where(reached & (hits > 0), hits / n_bad, -math.inf)
        return np.where(hits >= target * n_bad - 1e-9, 1 - alarms / n_good, -math.inf)


def parse_aim(text: str) -> Aim:
    """`balanced_accuracy`, `f1`, `cost:RATIO`, `precision:SHARE` or `recall:SHARE`; else RequestError."""
    name, _, given = text.partition(":")
    hint = "It has: balanced_accuracy, f1, cost:5, precision:0.9, recall:0.95"
    if name not in AIMS:
        raise RequestError(f"there is no aim {text!r}", field="aim", hint=hint)
    if name in ("balanced_accuracy", "f1"):
        if given:
            raise RequestError(f"the aim {name} takes no number, got {text!r}", field="aim", hint=hint)
        return Aim(name)
    try:
        target = float(given)
    except ValueError:
        raise RequestError(f"the aim {name} needs a number, got {text!r}", field="aim", hint=hint) from None
    inside = target > 0 and (math.isfinite(target) if name == "cost" else target <= 1)
    if not inside:
        wanted = "above 0" if name == "cost" else "above 0 and at most 1"
        raise RequestError(f"the number of the aim {name} must be {wanted}, got {text!r}", field="aim", hint=hint)
    return Aim(name, target)

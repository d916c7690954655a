"""Which of two answers a grade prefers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from handler.metrics.judge._counts import Counts
from handler.samples import Grade

__all__ = ["UNKNOWN_SIDES", "preference"]

UNKNOWN_SIDES = "which grade lets the first answer win is not known: give the options first and second"
_KNOWN = (("a", "b"), ("1", "2"), ("first", "second"), ("left", "right"))
_NOUN = re.compile(r"(?:the\s+)?(?:model|answer|response|assistant|output|candidate)[\s_-]*")


def preference(counts: Counts, grades: Iterable[Grade]) -> Callable[[Grade], float] | None:
    """A function from a grade to its preference: above 0 for the first answer, below 0 for the second, 0 for neither.

    The options first and second say it. Without them, numbers of which some are negative prefer the first where they are
    positive, and labels do where they are A and B, 1 and 2, first and second or left and right, a noun before them or
    not. None where nothing says it.
    """
    first, second = counts.rules.first, counts.rules.second
    if first is not None and second is not None:
        if counts.numeric and counts.rules.is_signed and isinstance(first, float):
            toward = 1.0 if first > 0 else -1.0
            return lambda grade: toward * float(grade)
        named = {counts.grade(first): 1.0, counts.grade(second): -1.0}
        return lambda grade: named.get(grade, 0.0)
    seen = set(grades)
    if counts.numeric:
        return float if any(float(grade) < 0 for grade in seen) else None
    bare = {grade: _NOUN.sub("", str(grade)) for grade in seen}
    pair = next((pair for pair in _KNOWN if set(pair) <= set(bare.values())), None)
    if pair is None:
        return None
    weights = {pair[0]: 1.0, pair[1]: -1.0}
    return lambda grade: weights.get(bare.get(grade, ""), 0.0)

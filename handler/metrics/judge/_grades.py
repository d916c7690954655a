"""What a grade is, and what several people's grades come to."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral

from handler.samples import Grade

__all__ = ["MOST_LETTERS", "fold", "has_decimal_comma", "key_of", "out_of", "read_grade", "shown", "verdict_of"]

MOST_LETTERS = 200  # of a label: what is longer is a text, and would be kept for every distinct pair
_MOST = 1e15  # beyond this a difference of two grades loses its last whole number
_DECIMALS = 12  # of a number: squares of smaller differences would vanish
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_OUT_OF = re.compile(r"([+-]?[\d.,]+)\s*(?:(?:/|out of)\s*(\d+(?:[.,]\d+)?)|%)", re.IGNORECASE)
_REMEMBERED = 8192  # keys: a scale has a few dozen pairs of grades
_FEW = 16  # parts of a key that is remembered
_encode = json.JSONEncoder().encode
_NOTHING = frozenset({"", "nan", "null"})


def read_grade(value: object) -> Grade | None:
    """A grade as a number or a label; None where there is none: null, NaN, an empty text, "nan" or "null".

    Texts lose their outer spaces and square brackets; "4", " 4 " and "[[4]]" are the number 4, and so are "4/5" and "4%".
    "3,5" is 3.5, for grades have no thousands. True and false are labels. Raises ValueError, in words that follow a
    field's name, for what is no grade.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int | float | str) and isinstance(value, Integral):
        value = int(value)  # NumPy's
    if isinstance(value, int | float):
        if not -_MOST <= value <= _MOST:
            raise ValueError(f"is beyond {_MOST:g}, which is no grade")
        return round(float(value), _DECIMALS) + 0.0  # makes -0.0 equal to 0.0 in writing too
    if not isinstance(value, str):
        raise ValueError(f"is a {type(value).__name__}, not a number or a label")
    text = " ".join(value.split())
    text = text.removeprefix("[[").removesuffix("]]").strip() if text.startswith("[[") else text
    if text.casefold() in _NOTHING:
        return None
    if len(text) > MOST_LETTERS:
        raise ValueError(f"has {len(text):,} characters, more than the {MOST_LETTERS} of a label")
    parts = _OUT_OF.fullmatch(text)
    written = parts[1] if parts else text
    return read_grade(float(written.replace(",", "."))) if _NUMBER.fullmatch(written) else text


def out_of(value: object) -> float | None:
    """The 5 of "4/5", the 100 of "80%"; None where a grade does not say what it is out of."""
    parts = _OUT_OF.fullmatch(" ".join(value.split())) if isinstance(value, str) else None
    if not parts or not _NUMBER.fullmatch(parts[1]):
        return None
    return float(parts[2].replace(",", ".")) if parts[2] else 100.0


def has_decimal_comma(value: object) -> bool:
    """Whether a number is written as "3,5"."""
    return isinstance(value, str) and "," in value and isinstance(read_grade(value), float)


def fold(grade: Grade) -> Grade:
    """The grade for comparing: labels that differ in case alone are one."""
    return grade.casefold() if isinstance(grade, str) else grade


def shown(grade: Grade) -> str:
    """The grade in words: 4.0 as 4."""
    if isinstance(grade, str):
        return grade
    return str(int(grade)) if grade.is_integer() else repr(grade)


def key_of(*parts: Grade | None) -> str:
    """Grades as the key of a count, from which `json.loads` gives them back."""
    return _key(*parts) if len(parts) <= _FEW else _encode(parts)


@lru_cache(maxsize=_REMEMBERED, typed=True)  # 1 and 1.0 are two keys
def _key(*parts: Grade | None) -> str:
    return _encode(parts)


def verdict_of(people: Sequence[Grade]) -> Grade | None:
    """What the people who graded an item come to: the mean of numbers, else the label that most gave; None for a tie."""
    numbers = [grade for grade in people if not isinstance(grade, str)]
    if len(numbers) == len(people):
        return math.fsum(numbers) / len(numbers)
    votes = Counter(map(fold, people)).most_common(2)
    if len(votes) > 1 and votes[0][1] == votes[1][1]:
        return None
    return next(grade for grade in people if fold(grade) == votes[0][0])

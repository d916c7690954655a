"""The one number that an answer to a counting question states."""

from __future__ import annotations

import re

__all__ = ["official_number", "one_number"]

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = {"hundred": 100, "thousand": 1000}
_VALUES = {word: n for n, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)} | _SCALES
_WORD = "|".join(_VALUES)
_WORDS = re.compile(rf"\b({_WORD})\b", re.IGNORECASE)
_RUNS = re.compile(rf"\b(?:{_WORD})\b(?:[\s-]+(?:and\s+)?(?:{_WORD})\b)*", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")


def one_number(text: str) -> int | None:
    """The only number in the text, in digits or words; None when there are none or several.

    "2.0" is 2 and "-1" is -1; words count as one number where they stand together ("twenty-one").
    """
    digits = [float(found) for found in _DIGITS.findall(text)]
    words = [_value(_WORDS.findall(run)) for run in _RUNS.findall(text)]
    numbers = [*digits, *words]
    return int(numbers[0]) if len(numbers) == 1 and float(numbers[0]).is_integer() else None


def official_number(text: str) -> int | None:
    """The same as VLM2-Bench's script has it.

    Every run of digits is a number (so "2.0" holds two and "-1" is 1); all number words of the text add up to one more,
    unless they come to 0.
    """
    numbers = [int(found) for found in re.findall(r"\d+", text)]
    words = _value(_WORDS.findall(text))
    if words:
        numbers.append(words)
    return numbers[0] if len(numbers) == 1 else None


def _value(words: list[str]) -> int:
    total = current = 0
    for word in words:
        value = _VALUES[word.lower()]
        if word.lower() in _SCALES:
            total, current = total + max(current, 1) * value, 0
        else:
            current += value
    return total + current

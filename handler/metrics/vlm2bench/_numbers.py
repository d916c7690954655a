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
MOST_DIGITS = 16
LARGEST = 10**15  # nothing larger is a count of anything: no number, whatever its digits
_DIGITS = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")


def one_number(text: str) -> int | None:
    """The only number in the text, in digits or words; None when there are none or several.

    "2.0" is 2 and "-1" is -1; words count as one number where they stand together ("twenty-one").
    """
    digits = [float(found) for found in _DIGITS.findall(text)]
    words = [_value(_WORDS.findall(run)) for run in _RUNS.findall(text)]
    numbers = [*digits, *words]
    if len(numbers) != 1 or abs(numbers[0]) > LARGEST or not float(numbers[0]).is_integer():
        return None
    return int(numbers[0])


def official_number(text: str) -> int | None:
    """The same as VLM2-Bench's script has it.

    Every run of digits is a number (so "2.0" holds two and "-1" is 1); all number words of the text add up to one more,
    unless they come to 0. A lone number beyond all counts is none: on thousands of digits the script itself gives up.
    """
    runs = [run.lstrip("0") or "0" for run in re.findall(r"\d+", text)]
    numbers = [int(run) if len(run) < MOST_DIGITS else LARGEST for run in runs]
    words = _value(_WORDS.findall(text))
    if words:
        numbers.append(words)
    return numbers[0] if len(numbers) == 1 and numbers[0] < LARGEST else None


def _value(words: list[str]) -> int:
    total = current = 0
    for word in words:
        value = _VALUES[word.lower()]
        if word.lower() in _SCALES:
            total, current = total + max(current, 1) * value, 0
        else:
            current += value
    return total + current

"""English words written out one way: contractions, titles, numbers; hesitations dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

__all__ = ["spelled_out"]

_HESITATIONS = frozenset("uh um uhm er erm hm hmm mm".split())
_WHOLE = {
    "won't": "will not", "can't": "can not", "shan't": "shall not", "cannot": "can not", "let's": "let us",
    "i'm": "i am", "y'all": "you all", "gonna": "going to", "wanna": "want to", "gotta": "got to",
    "mr": "mister", "mrs": "missus", "dr": "doctor",
}  # fmt: skip
_ENDINGS = (("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"))
_BEFORE_IS = frozenset("it he she that there here what where who how when why".split())  # after names 's may own
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_HUNDRED = 100
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}

Parsed = tuple[int, int]  # a number, and where the words after it start


def spelled_out(words: Sequence[str]) -> list[str]:
    """Lower-case words with contractions expanded and cardinal numbers as digits.

    "'s" is "is" after pronouns and question words alone, where it may rarely mean "has"; "'d" and "ain't" stay, since
    they have several readings. Digits said one by one stay single: "one two" is 1 2.
    """
    expanded = [part for word in words if word not in _HESITATIONS for part in _expanded(word).split()]
    out: list[str] = []
    place = 0
    while place < len(expanded):
        number = _number(expanded, place)
        if number is None:
            out.append(expanded[place])
            place += 1
        else:
            out.append(str(number[0]))
            place = number[1]
    return out


def _expanded(word: str) -> str:
    if word in _WHOLE:
        return _WHOLE[word]
    if word.endswith("'s") and word[:-2] in _BEFORE_IS:
        return f"{word[:-2]} is"
    if word != "ain't":
        for ending, full in _ENDINGS:
            if word.endswith(ending) and len(word) > len(ending):
                return f"{word.removesuffix(ending)} {full}"
    return word.replace(",", "") if _GROUPED.fullmatch(word) else word


def _number(words: Sequence[str], place: int) -> Parsed | None:
    """The longest number that starts at a place: groups of hundreds with ever smaller scales."""
    total, after, last_scale = 0, None, 10**12
    group = _group(words, place)
    while group is not None:
        value, next_place = group
        scale = _SCALES.get(_at(words, next_place))
        if scale is None:
            return total + value, next_place
        if scale >= last_scale:
            break
        total, after, last_scale = total + value * scale, next_place + 1, scale
        group = _joined(words, after, _group)
    return (total, after) if after is not None else None


def _group(words: Sequence[str], place: int) -> Parsed | None:
    """A number below a thousand, or hundreds up to nineteen; digits where hundred or a scale follows."""
    word, following = _at(words, place), _at(words, place + 1)
    if word.isascii() and word.isdecimal() and len(word) <= 3:
        if following == "hundred":
            return int(word) * _HUNDRED, place + 2
        return (int(word), place + 1) if following in _SCALES else None
    small = _below_hundred(words, place)
    if small is None or following != "hundred" or not 0 < small[0] < 20:
        return small
    rest = _joined(words, place + 2, _below_hundred)
    return (small[0] * _HUNDRED + rest[0], rest[1]) if rest else (small[0] * _HUNDRED, place + 2)


def _below_hundred(words: Sequence[str], place: int) -> Parsed | None:
    word = _at(words, place)
    if word in _UNITS:
        return _UNITS[word], place + 1
    if word not in _TENS:
        return None
    unit = _UNITS.get(_at(words, place + 1), 0)
    return (_TENS[word] + unit, place + 2) if 0 < unit < 10 else (_TENS[word], place + 1)


def _joined(words: Sequence[str], place: int, parse: Callable[[Sequence[str], int], Parsed | None]) -> Parsed | None:
    """What follows a hundred or a scale, with or without "and"; never a zero."""
    found = parse(words, place + 1 if _at(words, place) == "and" else place)
    return found if found and found[0] else None


def _at(words: Sequence[str], place: int) -> str:
    return words[place] if place < len(words) else ""

"""The shape of a text: one plain sign per character, so that the tokeniser's expressions are short and quick.

ASCII stands for itself. What lies beyond is a letter, a mark, a symbol or nothing, or one of the few signs that English
text has a use for. A shape is as long as its text, so that a match in the one is a token of the other.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cache
from importlib.resources import files

__all__ = ["BLANKS", "LETTER", "MARK", "NOTHING", "shape"]

LETTER, MARK, SYMBOL, NOTHING = "é", "\u0301", "§", "\x01"
BLANKS = " \xa0\u2003"
"""The space, the no-break space, and one for all others: tabs, wide spaces, line breaks."""

_SIGNS = {
    "\u2003": "\t\n\v\f\r\x85\u2028\u2029\u2000\u2001\u2002\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u3000",
    "\u2010": "\u2011\u058a",
    "’": "\x92",
    "‘": "\x91‛",
    "“": "\x93\x94”«»",  # two characters in the Treebank
    "‹": "›",
    "—": "\x96\x97–―",
    "€": "\x80¤\u20a0",
    "½": "¼¾⅓⅔",
    "٫": "٬",
    "„": "‚‟",
    "²": "⁰¹³⁴⁵⁶⁷⁸⁹",
    "₂": "₀₁₃₄₅₆₇₈₉",
    "⁺": "⁻₊₋",
    "": "\xa0\xad…£¢⁄",  # for themselves
}


class _Signs(dict[int, int]):
    """Fills itself: a text holds few different characters."""

    def __missing__(self, code: int) -> int:
        self[code] = ord(_sign(code))
        return self[code]


def _sign(code: int) -> str:
    if code < 0x80:
        return chr(code) if 0x20 <= code != 0x7F else NOTHING
    starts, ends, kinds = _ranges()
    place = bisect_right(starts, code) - 1
    if code > ends[place]:
        return NOTHING
    is_digit = kinds[place] == LETTER and unicodedata.category(chr(code)) == "Nd"
    return "0" if is_digit else kinds[place]


@cache
def _ranges() -> tuple[list[int], list[int], list[str]]:
    """First and last code points of all ranges, and what they hold."""
    kinds = {"letters": LETTER, "marks": MARK, "symbols": SYMBOL}
    found: list[tuple[int, int, str]] = []
    kind = ""
    text = files("handler.metrics.captions").joinpath("data/characters.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line in kinds:
            kind = kinds[line]
        elif not line.startswith("#"):
            for first, _, last in (entry.partition("-") for entry in line.split()):
                found.append((int(first, 16), int(last or first, 16), kind))
    found.sort()
    return [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]


_signs = _Signs({ord(one): ord(sign or one) for sign, several in _SIGNS.items() for one in sign + several})


def shape(text: str) -> str:
    """The text with every character replaced by the sign of its kind."""
    return text.translate(_signs)

"""Transcripts as words: the named normalisers.

What counts as a word decides a word error rate as much as the recogniser does, so the normaliser's name is part of every
signature. English spelling variants, diacritics and word stems are left alone by all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from handler.metrics.speech._english import spelled_out
from handler.samples import is_blank

__all__ = ["NORMALISERS", "Text", "basic_word", "lacks_spaces", "text_as_jiwer", "text_of"]

NORMALISERS: Mapping[str, str] = {
    "none": "Unicode NFC; words are what white space separates",
    "basic": "NFKC and case folded; punctuation and symbols become spaces, but for apostrophes in words and decimal marks",
    "english": "basic; contractions and cardinal numbers written out one way, commas in numbers and hesitations dropped",
    "characters": "basic; in scripts without spaces every character is a word, and no space counts as a character",
}
REMEMBERED = 8192  # words
_APOSTROPHES = str.maketrans("’‘ʼ`´′", "''''''")
_STRAY = re.compile(r"(?<!\w)'|'(?!\w)|(?<!\d)[.,]|[.,](?!\d)")
_RUN_OF_SPACES = re.compile(r"\s{2,}")
_ZERO_WIDTH_SPACE = "\u200b"
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_SENTENCE = 3  # characters: segmented Chinese, Japanese and Thai words average less


class Text(NamedTuple):
    """A transcript as its words, and as the characters that are compared."""

    words: list[str]
    characters: str


def text_of(text: str, normaliser: str) -> Text:
    """The text under one of NORMALISERS."""
    words = _SPLIT[normaliser](text)
    return Text(words, ("" if normaliser == "characters" else " ").join(words))


def text_as_jiwer(text: str) -> Text:
    """As jiwer 4 does by default: a lone tab, line break or no-break space is part of a word, and runs of spaces are
    collapsed for words but not for characters."""
    return Text([word for word in _RUN_OF_SPACES.sub(" ", text).strip().split(" ") if word], text.strip())


def lacks_spaces(words: list[str]) -> bool:
    """Whether the words are mostly of scripts without spaces and as long as sentences."""
    text = "".join(words)
    if text.isascii():
        return False
    n = sum(unicodedata.category(c)[0] == "L" for c in _UNSPACED_CHARACTER.findall(text))
    letters = sum(c.isalpha() for c in text)
    return n > letters / 2 and n > _SENTENCE * len(words)


def basic(text: str) -> str:
    """The text as `basic` leaves it, its words separated by single spaces."""
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    kept = unicodedata.normalize("NFKC", folded).translate(_KEPT)
    return " ".join(_STRAY.sub(" ", unicodedata.normalize("NFC", kept)).split())


@lru_cache(maxsize=REMEMBERED)
def basic_word(word: str) -> str:
    """The same of one word: those that are substituted by case or punctuation recur in a file."""
    return basic(word)


class _Kept(dict[int, str | None]):
    """What becomes of each code point, found out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code).translate(_APOSTROPHES)
        category = unicodedata.category(character)
        kept: str | None = character if category[0] in "LMN" or character in "'.," else " "
        selects_variant = unicodedata.name(character, "").startswith("VARIATION SELECTOR")
        if category in ("Cf", "Me") or selects_variant:
            kept = " " if character == _ZERO_WIDTH_SPACE else None
        self[code] = kept
        return kept


_KEPT = _Kept()


def _plain_words(text: str) -> list[str]:
    if text.isascii() and text.isprintable():
        return text.split()
    return [word for word in unicodedata.normalize("NFC", text).split() if not is_blank(word)]


def _character_words(text: str) -> list[str]:
    """Combining marks stay with the character before them."""
    spread: list[str] = []
    for character in basic(text):
        if _UNSPACED_CHARACTER.match(character) and unicodedata.category(character)[0] != "M":
            spread += (" ", character)
        else:
            after = spread and _UNSPACED_CHARACTER.match(spread[-1][0]) and unicodedata.category(character)[0] != "M"
            spread += (" ", character) if after else (character,)
    return "".join(spread).split()


_SPLIT: Mapping[str, Callable[[str], list[str]]] = {
    "none": _plain_words,
    "basic": lambda text: basic(text).split(),
    "english": lambda text: spelled_out(basic(text).split()),
    "characters": _character_words,
}

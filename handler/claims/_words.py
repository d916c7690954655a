"""A text cut into sentences, a sentence into words, every piece with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handler.claims._contract import Span
from handler.claims._word_lists import word_lists
from handler.claims._wordnet import readings

__all__ = ["MAX_WORDS", "Token", "sentence_spans", "words_of"]

MAX_WORDS = 80  # of one sentence; what is longer is no sentence and is cut, so that time stays linear
MAX_LETTERS = 100  # of one word; what is longer is none, and would be remembered at its full length

Token = tuple[str, int, int]
"""A word in lower case, its first character and the one after its last."""

# A run is tried from its first mark only and never given back: time stays linear on a page of dots.
_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]{0,8}(?=\s|\Z)|[。！？]++"
    r"|\n[ \t\r]{0,40}\n++|\n(?=[ \t]{0,40}(?:[-*•#>]|\d{1,3}[.)]|[A-Z]))"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|no|vs|e\.g|i\.e|etc|approx|ca|fig)|(?<![\w'’])[a-z])\.\Z", re.IGNORECASE
)
_ANY_WORD = re.compile(r"\w")
_PIECES = re.compile(
    r"<[^<>\n]{1,80}>|https?://\S+"  # markup and addresses say nothing of the scene
    r"|(?P<number>\d+(?:[.,]\d+)*(?P<ordinal>st|nd|rd|th)?(?![^\W\d_]))"
    r"|(?P<word>(?:[^\W\d_]|\d(?=[^\W\d_]))+(?:['’\-][^\W\d_]+)*)"
    r"|(?P<mark>[.,;:!?()—–])"
)
_CLITICS = {"'s", "'re", "'ve", "'ll", "'d", "'m"}


def sentence_spans(text: str) -> Iterator[Span]:
    """Sentences, trimmed, those without a word left out. A line break ends one where a list item, a heading or a capital
    letter follows."""
    start = 0
    for match in _END.finditer(text):
        if match.group()[0] == "." and _ABBREVIATION.search(text, max(start, match.end() - 12), match.end()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if _ANY_WORD.search(text, start, end):
        yield start, end


def words_of(text: str, span: Span) -> list[Token]:
    """The words of a sentence: contractions taken apart (isn't: is, not), compounds with a hyphen too unless WordNet knows
    them whole, marks that end a clause as words of their own; emoji, markup, addresses and what is over MAX_LETTERS long
    left out."""
    found: list[Token] = []
    for match in _PIECES.finditer(text, *span):
        kind, start, end = match.lastgroup, match.start(), match.end()
        if end - start > MAX_LETTERS:
            continue
        if kind == "word":
            _add_word(_lowered(match.group()).replace("’", "'"), start, end, found)
        elif kind is not None:
            found.append((match.group().lower(), start, end))
    return found


def _lowered(word: str) -> str:
    """In lower case, character by character: as long as it was, so that spans hold (İ has a lower case of two)."""
    lower = word.lower()
    if len(lower) == len(word):
        return lower
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in word)


def _add_word(word: str, start: int, end: int, found: list[Token]) -> None:
    if "-" in word and not _whole(word):
        for part in word.split("-"):
            _add_word(part, start, start + len(part), found)
            start += len(part) + 1
    elif word.endswith("n't") and len(word) > 3:
        found.append((word[:-3], start, end - 3))
        found.append(("not", end - 3, end))
    elif "'" in word and word[(at := word.rindex("'")) :] in _CLITICS:
        found.append((word[:at], start, start + at))
        found.append((word[at:], start + at, end))
    else:
        found.append((word, start, end))


def _whole(word: str) -> bool:
    """Whether a word with a hyphen stays whole: fair-haired does not, its colour has to be seen."""
    lists = word_lists()
    if word in lists.axis_words:
        return True
    if any(part in lists.attributes or part in lists.numbers for part in word.split("-")):
        return False
    return bool(readings(word))

"""Captions as the COCO caption evaluation reads them: Penn Treebank tokens in lower case, punctuation left out.

The evaluation starts the Stanford PTBTokenizer 3.4.1 (`-preserveLines -lowerCase`), a Java program, and drops a list of
punctuation marks. No Python library divides text as that version does (NLTK's and Stanza's follow other rules), so this
is a tokeniser of our own, made from the program's answers and tested against them.
"""

from __future__ import annotations

import re

from handler.metrics.captions._ptb_rules import rules
from handler.metrics.captions._ptb_shape import BLANKS, NOTHING, shape
from handler.metrics.captions._ptb_words import CLOSING, CLOSING_CAPITALISED, CLOSING_UNCAPITALISED, NUMBERING, OPENING

__all__ = ["tokenised"]

_PUNCTUATION = frozenset(("''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";", ""))
_PLAIN = re.compile(r"[A-Za-z]{2,}(?:-[A-Za-z]{2,})*(?=[ \u2003]|[,.][ \u2003])|[Aa](?= )")
_NOT_PLAIN = frozenset(("cannot", "gonna", "wanna", "gotta", "lemme", "gimme"))
_ABBREVIATED = frozenset(
    word.lower() for word in (*CLOSING, *CLOSING_CAPITALISED, *CLOSING_UNCAPITALISED, *OPENING, *NUMBERING)
)
_FOLLOWING = "\u2003A\u2003"
_SKIPPED = frozenset(BLANKS + NOTHING)


def tokenised(caption: str) -> str:
    """The words of a caption, separated by single spaces.

    Equals the evaluation's own string, except where that depends on the caption's neighbours in the file: each is read
    as if a caption that begins with A came next, as most do, and a line separator other than a line feed is a space
    (there it makes two captions of one). Quirks are kept: brackets stay as -lrb-, `???` and `!!!` stay words, £ becomes
    #, emoji vanish, fractions (2 1/2) and telephone numbers are single words held together by no-break spaces.

    >>> tokenised("A dog's bowl (blue), isn't it?")
    "a dog 's bowl -lrb- blue -rrb- is n't it"
    """
    signs = shape(caption) + _FOLLOWING
    words: list[str] = []
    at, end = 0, len(caption)
    while at < end:
        if signs[at] in _SKIPPED or (signs[at] in ".,;" and signs[at + 1] in BLANKS):
            at += 1
            continue
        plain = _PLAIN.match(signs, at)
        if plain is not None:
            word = plain[0].lower()
            at = plain.end()
            if word not in _NOT_PLAIN and not (signs[at] == "." and word in _ABBREVIATED):
                words.append(word)
                continue
            at = plain.start()
        at = _take(caption, signs, at, words)
    return " ".join(words)


def _take(caption: str, signs: str, at: int, words: list[str]) -> int:
    """Add the token at a place, unless it is punctuation; returns where it ends."""
    longest, token_end, mend = -1, at, None
    for pattern, then in rules():
        match = pattern.match(signs, at)
        if match is not None and match.end() > longest:
            longest, mend = match.end(), then
            token_end = match.end("t") if pattern.groups else longest
    token = caption[at:token_end]
    word = (mend(token) if mend else token).lower()
    if word not in _PUNCTUATION:
        words.append(word)
    return token_end

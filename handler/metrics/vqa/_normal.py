"""Answers made comparable: VQA's own rules, and the same without their slips."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["normalised", "official_normalised", "trimmed"]

REMEMBERED = 8192  # answers: people give the same few thousand over and over
_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_DIGIT_COMMA_DIGIT = re.compile(r"\d,\d")
_FULL_STOP = re.compile(r"\.(?!\d)")
_MOST_STOPS = 32  # the official code passes a regex flag, whose value is 32, where the number of replacements goes
_NUMBERS = dict(
    zip(
        "none zero one two three four five six seven eight nine ten".split(),
        "0 0 1 2 3 4 5 6 7 8 9 10".split(),
        strict=True,
    )
)
_ARTICLES = ("a", "an", "the")
_APOSTROPHES = str.maketrans("’‘`´", "''''")

_CONTRACTED = (
    "ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've "
    "he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've "
    "o'clock oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's "
    "someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've "
    "there're there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's "
    "what've when's where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've "
    "wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've you'll you're you've"
).split()


def _lacking_one(word: str) -> list[str]:
    """The word without one of its apostrophes, each in turn."""
    return [word[:place] + word[place + 1 :] for place, letter in enumerate(word) if letter == "'"]


_CONTRACTIONS = {lacking: word for word in _CONTRACTED for lacking in _lacking_one(word)}
_CONTRACTIONS["somebody'd"] = "somebodyd"  # the official table has this one the wrong way round


def trimmed(text: str) -> str:
    """Line breaks and tabs as spaces, the ends stripped: what the official code does to every answer."""
    return text.replace("\n", " ").replace("\t", " ").strip()


@lru_cache(maxsize=REMEMBERED)
def official_normalised(text: str) -> str:
    """VQA's processPunctuation and processDigitArticle, slips included."""
    return _words(_without_punctuation(trimmed(text), most_stops=_MOST_STOPS))


@lru_cache(maxsize=REMEMBERED)
def normalised(text: str) -> str:
    """The same rules after NFKC and with straight apostrophes, and with no limit to the full stops that go.

    What would leave nothing is undone: "the" stays "the" and "?" stays "?", so that neither agrees with silence.
    """
    text = trimmed(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES))
    bare = _without_punctuation(text, most_stops=0)
    return _words(bare) or " ".join(bare.lower().split()) or text.lower()


def _without_punctuation(text: str, *, most_stops: int) -> str:
    """A mark goes when it touches a space anywhere in the text, or when the text has a digit, a comma and a digit in a
    row; else it becomes a space. A full stop goes unless a digit follows."""
    out = text
    grouped = _DIGIT_COMMA_DIGIT.search(text) is not None
    for mark in _PUNCTUATION:
        gone = grouped or f"{mark} " in text or f" {mark}" in text
        out = out.replace(mark, "" if gone else " ")
    return _FULL_STOP.sub("", out, count=most_stops)


def _words(text: str) -> str:
    """Lower case, numbers up to ten as digits, no articles, contractions with their apostrophes."""
    words = [_NUMBERS.get(word, word) for word in text.lower().split()]
    return " ".join(_CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)

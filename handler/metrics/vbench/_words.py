"""Prompts, captions and class words, read word by word."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "COLOR_WORDS",
    "SYNONYMS",
    "Relation",
    "Words",
    "contains",
    "related_things",
    "relation_of",
    "thing",
    "thing_of_color",
    "things",
    "words",
]

REMEMBERED = 65_536  # captions and class words: a detector says the same few thousand over and over
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_ARTICLES = frozenset(("a", "an", "the"))
_ENDS = frozenset(
    "about above across against along and are around as at be before behind below beneath beside between by during for "
    "from has have having in inside into is near next of off on onto or over that through to toward towards under "
    "underneath which while who with within without dancing drinking driving eating flying holding jumping lying moving "
    "parked playing riding running sitting sleeping standing swimming walking wearing".split()
)  # words that no name of a thing goes on with
SYNONYMS = {"grey": "gray", "violet": "purple", "golden": "gold"}
# What VBench counts as a colour, and colours that it does not know although captions name them.
COLOR_WORDS = frozenset(
    "white red pink blue silver purple orange green gray yellow black "
    "brown gold beige tan maroon magenta cyan teal turquoise navy".split()
)
Words = tuple[str, ...]


@lru_cache(maxsize=REMEMBERED)
def words(text: str) -> Words:
    """The words in lower case, synonyms of colours made one: "A dark-grey Car!" is dark, gray, car after its article."""
    return tuple(SYNONYMS.get(word, word) for word in _WORD.findall(text.casefold()) if word not in _ARTICLES)


def contains(text: Words, wanted: Words) -> bool:
    """Whether the wanted words stand in the text, next to each other and in order."""
    n = len(wanted)
    if n == 1:
        return wanted[0] in text
    return any(text[start : start + n] == wanted for start in range(len(text) - n + 1))


def thing(text: str) -> Words:
    """The name of the thing that a prompt begins with: "a traffic light at night" is traffic, light."""
    found: list[str] = []
    for word in words(text.split(",", 1)[0]):
        if word in _ENDS:
            break
        found.append(word)
    return tuple(found)


def thing_of_color(prompt: str, color: Words) -> Words:
    """The thing that a prompt names after its colour: "a blue panda bear" is panda, bear; () when there is none."""
    said = words(prompt.split(",", 1)[0])
    for start in range(len(said) - len(color) + 1):
        if said[start : start + len(color)] == color:
            return thing(" ".join(said[start + len(color) :]))
    return ()


def things(text: str) -> tuple[Words, ...]:
    """The things that a text lists with `and`: "a bird, a cat and a dog, front view" is bird, cat, dog; else just one."""
    *parts, last = re.split(r"\band\b", text.casefold())
    found = map(thing, [*(one for part in parts for one in part.split(",")), last])
    return tuple(one for one in found if one)


class Relation(NamedTuple):
    """axis: 0 for x, 1 for y. sign: of the first thing's centre minus the second's, in image coordinates (y goes down)."""

    axis: int
    sign: int


_SIDES = {
    "left": Relation(0, -1),
    "right": Relation(0, 1),
    "top": Relation(1, -1),
    "above": Relation(1, -1),
    "over": Relation(1, -1),
    "bottom": Relation(1, 1),
    "below": Relation(1, 1),
    "under": Relation(1, 1),
    "underneath": Relation(1, 1),
    "beneath": Relation(1, 1),
}
_AROUND_SIDES = frozenset("on in to at of side directly just".split())
_RELATING = _AROUND_SIDES | _SIDES.keys() | {"front", "behind", "back", "near", "next", "beside"}


def relation_of(text: str) -> Relation | None:
    """What a relation such as "on the left of" or "above" asks of two boxes; None when boxes cannot tell (behind, near)."""
    said = words(text)
    sides = [_SIDES[word] for word in said if word in _SIDES]
    if len(sides) != 1 or any(word not in _SIDES and word not in _AROUND_SIDES for word in said):
        return None
    return sides[0]


def related_things(prompt: str) -> tuple[Words, str, Words] | None:
    """The two things of a prompt and the words between them: "a dog on the left of a car, front view"."""
    said = words(prompt.split(",", 1)[0])
    start = next((place for place, word in enumerate(said) if word in _RELATING), len(said))
    end = next((place for place in range(start, len(said)) if said[place] not in _RELATING), len(said))
    second = thing(" ".join(said[end:]))
    return (said[:start], " ".join(said[start:end]), second) if start and end > start and second else None

"""Directions along listed axes, and phrases of a verb and its particle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handler.claims._slot_types import Direction, Predicate
from handler.claims._slots_roles import phrase_head
from handler.claims._tagging import BE, Class, Tagged
from handler.claims._word_lists import WordLists, word_lists
from handler.claims._wordnet import readings

__all__ = ["directions", "phrases"]

_PRONOUNS = frozenset("him her it them".split())
_SIDES = frozenset("left right top bottom front back rear up down near".split())  # nouns that are places: the left


def directions(tagged: Tagged, verbs: Sequence[Predicate], governed: Mapping[int, str]) -> tuple[Direction, ...]:
    """Every listed direction with the noun that is there and the noun it is measured from."""
    lists = word_lists()
    found: list[Direction] = []
    taken: set[int] = set()
    starts = [
        i for i, word in enumerate(tagged.lower) if word in lists.axis_starts or tagged.lemma[i] in lists.axis_starts
    ]
    for length in (3, 2):
        for i in starts:
            phrase = _listed_phrase(tagged, i, length, lists) if i + length <= len(tagged) else None
            if phrase is not None and not taken & set(range(i, i + length)):
                span = tuple(range(i, i + length))
                taken.update(span)
                found.append(_placed(tagged, span, *phrase, verbs, governed))
    for i, word in enumerate(tagged.lower):
        if i in taken:
            continue
        for axis, sign in lists.axis_words.get(word) or lists.axis_words.get(tagged.lemma[i], ()):
            if _points(tagged, i, axis, lists):
                found.append(_placed(tagged, (i,), axis, sign, verbs, governed))
    return tuple(sorted(found, key=lambda one: one.words))


def _listed_phrase(tagged: Tagged, i: int, length: int, lists: WordLists) -> tuple[str, int] | None:
    rest = tuple(tagged.lower[i + 1 : i + length])
    return lists.axis_phrases.get((tagged.lower[i], *rest)) or lists.axis_phrases.get((tagged.lemma[i], *rest))


def _points(tagged: Tagged, i: int, axis: str, lists: WordLists) -> bool:
    """Whether a listed word is meant as a direction here."""
    word, pos = tagged.lower[i], tagged.pos[i]
    before = tagged.lemma[i - 1] if i else ""
    after = tagged.lower[i + 1] if i + 1 < len(tagged) else ""
    if (word == "left" and pos == "v") or (pos == "n" and word not in _SIDES and _can_be_verb(word)):
        return False
    if word in ("left", "right"):
        return after not in ("now", "away", "behind", "there", "here")
    if word in ("up", "down"):
        verb = next((j for j in range(i - 1, max(-1, i - 5), -1) if tagged.pos[j] == "v"), None)
        return not (verb is not None and tagged.lemma[verb] in lists.particle_of) and before not in ("close", "grow")
    if word == "over":
        return after not in ("to", "there") and tagged.lemma[i - 1] not in ("bend", "lean", "pull", "hand", "knock")
    if word in ("after", "before"):
        return not any(
            tagged.lemma[j] in ("run", "go", "look", "chase", "name", "stand") for j in range(max(0, i - 1), i)
        )
    if word in ("top", "bottom"):
        return after == "of" or (i + 1 < len(tagged) and tagged.pos[i + 1] == "n") or before == "the"
    if axis == "near-far" and word in ("close", "closer") and pos == "v":
        return False
    if axis == "up-down" and word == "lower" and pos == "v":
        return True
    if word in ("rear", "reverse") and pos == "v":
        return word == "reverse"
    return not (word == "arrive" and after == "from")


def _can_be_verb(word: str) -> bool:
    """an exit, a lift: things, where the verb would be a direction."""
    return any(one.pos == "v" for one in readings(word))


def _placed(
    tagged: Tagged,
    span: tuple[int, ...],
    axis: str,
    sign: int,
    verbs: Sequence[Predicate],
    governed: Mapping[int, str],
) -> Direction:
    following = span[-1] + 1
    if following < len(tagged) and tagged.lower[following] in ("side", "of", "from", "to"):
        following += 1
        if following < len(tagged) and tagged.lower[following] == "of":
            following += 1
    if following < len(tagged) and tagged.lower[following] in _PRONOUNS:
        before = [
            j for j in range(span[0]) if tagged.pos[j] == "n" and not (j + 1 < span[0] and tagged.pos[j + 1] == "n")
        ]
        if len(before) > 1:  # a sink with a cabinet under it
            return Direction(span, axis, sign, before[-1], before[0])
    relational = all(tagged.pos[i] != "v" for i in span)
    anchor = phrase_head(tagged, following) if relational and following < len(tagged) else None
    if anchor is not None and tagged.clause[anchor] != tagged.clause[span[0]]:
        anchor = None
    return Direction(span, axis, sign, _located(tagged, span[0], anchor, verbs, governed), anchor)


def _located(
    tagged: Tagged, i: int, anchor: int | None, verbs: Sequence[Predicate], governed: Mapping[int, str]
) -> int | None:
    """The noun that is at or goes to the place: the one before; of a fronted phrase the one after it."""
    clause = tagged.clause[i]
    before = [j for j in range(i) if tagged.pos[j] == "n" and tagged.clause[j] == clause and j not in governed]
    if before:
        joined = [j for j in before if j + 1 not in before]
        return joined[-1] if joined and joined[-1] not in _objects_of(verbs) else before[-1]
    after = range((anchor if anchor is not None else i) + 1, len(tagged))
    heads = (j for j in after if tagged.pos[j] == "n" and tagged.clause[j] == clause and j not in governed)
    first = next(heads, None)
    return None if first is None else phrase_head(tagged, first)


def _objects_of(verbs: Sequence[Predicate]) -> set[int]:
    return {one.patient for one in verbs if one.patient is not None}


def phrases(tagged: Tagged) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Verbs with a particle that may have an opposite: "turn off", also where the object stands between."""
    listed = word_lists().opposite_phrases
    found: list[tuple[str, tuple[int, ...]]] = []
    for i, pos in enumerate(tagged.pos):
        if pos != "v":
            continue
        lemma = tagged.lemma[i]
        if lemma in listed:
            found.append((lemma, (i,)))
        for j in range(i + 1, min(len(tagged), i + 6)):
            if tagged.kind[j] in (Class.MARK, Class.CONJUNCTION) or tagged.pos[j] == "v" or tagged.lower[j] in BE:
                break
            if f"{lemma} {tagged.lower[j]}" in listed:
                found.append((f"{lemma} {tagged.lower[j]}", (i, j)))
    return tuple(found)

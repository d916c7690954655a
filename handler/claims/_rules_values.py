"""Disagreements of numbers and of attributes bound to their nouns."""

from __future__ import annotations

from collections.abc import Iterator

from handler.claims._compared import Compared, claim
from handler.claims._contract import Claim, Kind
from handler.claims._slot_types import Analysis, Attribute, Quantity

__all__ = ["attribute_claims", "moved_modifiers", "number_claims"]

_BOUND, _IMPLIED, _LOOSE, _MOVED, _MOVED_NOUN = 0.95, 0.75, 0.6, 0.85, 0.75
_OF_THE_SCENE = frozenset({"daytime"})  # families that belong to no noun
_JOINING = frozenset({"of", "'s", "the", "a", "an"})


def number_claims(both: Compared) -> Iterator[Claim]:
    """A count that no count of the other side allows, on nouns that may be one thing; with less confidence where only the
    article counts, or where the numbers stand on nouns that do not match."""
    answer, reference = both.answer.quantities, both.reference.quantities
    agreed = {
        (q.word, p.word)
        for q in answer
        for p in reference
        if bool(q.share) == bool(p.share) and not differ(q, p) and _one_thing(both, q, p)
    }
    settled, settled_reference = {q for q, _ in agreed}, {p for _, p in agreed}
    bound = False
    for q in answer:
        for p in reference:
            if q.word in settled or p.word in settled_reference or (q.implied and p.implied):
                continue
            if _one_thing(both, q, p) and differ(q, p):
                if (q.implied or p.implied) and not _sole(both, q, p):
                    continue
                bound = True
                kind = Kind.NEGATION if 0 in (q.high, p.high) else Kind.NUMBER
                yield claim(both, kind, _cite(q), _cite(p), _IMPLIED if q.implied or p.implied else _BOUND)
    if not bound:
        yield from _loose_numbers(both)


def _loose_numbers(both: Compared) -> Iterator[Claim]:
    explicit = [q for q in both.answer.quantities if not q.implied]
    others = [p for p in both.reference.quantities if not p.implied]
    if explicit and others and all(differ(q, p) for q in explicit for p in others):
        yield claim(both, Kind.NUMBER, _cite(explicit[0]), _cite(others[0]), _LOOSE)


def differ(q: Quantity, p: Quantity) -> bool:
    """Whether no count satisfies both."""
    if q.share and p.share:
        return q.share != p.share
    if "all" in (q.share, p.share) and max(q.low, p.low) == float("inf"):
        return False
    return q.high < p.low or p.high < q.low


def _one_thing(both: Compared, q: Quantity, p: Quantity) -> bool:
    return both.match(q.head, p.head)


def _sole(both: Compared, q: Quantity, p: Quantity) -> bool:
    """An article counts only where its noun is the only one of its kind, and against two and more."""
    heads = [one.head for one in both.answer.quantities if one.implied and one.head is not None]
    others = [one.head for one in both.reference.quantities if one.implied and one.head is not None]
    lemma = both.answer.words[q.head].lemma if q.head is not None else ""
    other = both.reference.words[p.head].lemma if p.head is not None else ""
    alone = sum(both.answer.words[i].lemma == lemma for i in heads) <= 1
    some_or_none = min(q.high, p.high) == 0 or max(q.low, p.low) >= 2
    return alone and some_or_none and sum(both.reference.words[i].lemma == other for i in others) <= 1


def _cite(one: Quantity | Attribute) -> tuple[int, ...]:
    return (one.word,) if one.head is None else (one.word, one.head)


def attribute_claims(both: Compared) -> Iterator[Claim]:
    """A colour, size, age, … of a noun where the other side gives the noun another one."""
    answer, reference = both.answer, both.reference
    bound = False
    for one in answer.attributes:
        rivals = [p for p in reference.attributes if p.family == one.family and _same_owner(both, one, p)]
        if not rivals or any(one.values & p.values for p in rivals):
            continue
        rival = rivals[0]
        mine = [q for q in answer.attributes if q.family == one.family and _same_owner(both, q, rival)]
        if any(q.values & rival.values for q in mine) or answer.words[one.word].negated != (
            reference.words[rival.word].negated
        ):
            continue
        bound = bound or one.family == "colour"
        yield claim(both, Kind.ATTRIBUTE, _cite(one), _cite(rival), _BOUND)
    if not bound:
        yield from _loose_colours(both)


def _same_owner(both: Compared, one: Attribute, other: Attribute) -> bool:
    return one.family in _OF_THE_SCENE or both.match(one.head, other.head)


def _loose_colours(both: Compared) -> Iterator[Claim]:
    """Colours that each side has alone, on nouns that could not be matched."""
    mine = [one for one in both.answer.attributes if one.family == "colour"]
    theirs = [one for one in both.reference.attributes if one.family == "colour"]
    new = [one for one in mine if not any(one.values & p.values for p in theirs)]
    missing = [p for p in theirs if not any(one.values & p.values for one in mine)]
    if new and missing:
        yield claim(both, Kind.ATTRIBUTE, _cite(new[0]), _cite(missing[0]), 0.7)


def moved_modifiers(both: Compared) -> Iterator[Claim]:
    """One modifier on another noun, though both nouns are in both sentences: the big dog and the cat, the dog and the big
    cat."""
    answer, reference = both.answer, both.reference
    for word, head in answer.modifiers:
        lemma = answer.words[word].lemma
        if sum(one.lemma == lemma for one in answer.words) != sum(one.lemma == lemma for one in reference.words):
            continue
        mine = [h for w, h in answer.modifiers if answer.words[w].lemma == lemma]
        used = [(w, h) for w, h in reference.modifiers if reference.words[w].lemma == lemma]
        used = [(w, h) for w, h in used if not any(both.match(i, h) for i in mine)]
        if not used:
            continue
        w, h = used[0]
        other_home = next((i for i in _nouns(answer) if both.same(i, h)), None)
        home_there = next((j for j in _nouns(reference) if both.same(head, j)), None)
        if other_home is None or home_there is None:
            continue
        if not _one_phrase(answer, head, other_home) and not _one_phrase(reference, h, home_there):
            sure = _MOVED if answer.words[word].pos == "a" else _MOVED_NOUN
            yield claim(both, Kind.ATTRIBUTE, (word, head), (w, h), sure)


def _one_phrase(side: Analysis, i: int, j: int) -> bool:
    """Two nouns of one noun phrase: a glass of wine, a wine glass, a doctor's office, a pizza style."""
    low, high = min(i, j), max(i, j)
    return high - low <= 4 and all(
        word.pos in ("n", "a") or word.lower in _JOINING for word in side.words[low : high + 1]
    )


def _nouns(side: Analysis) -> Iterator[int]:
    return (i for i in side.content if side.words[i].pos == "n")

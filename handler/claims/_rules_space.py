"""Disagreements of direction: two signs of one axis, told apart from one scene seen from its other end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handler.claims._compared import Compared, claim
from handler.claims._contract import Claim, Kind
from handler.claims._slot_types import Analysis, Direction
from handler.claims._word_lists import word_lists

__all__ = ["converse_axes", "direction_claims", "preposition_claims"]

_BOUND, _ORDER, _MIXED, _LOOSE, _PREPOSITION = 0.9, 0.8, 0.65, 0.6, 0.85


def direction_claims(both: Compared) -> Iterator[Claim]:
    """Per axis: signs that differ; the same sign with subject and anchor exchanged; both signs on either side, exchanged."""
    for axis in dict.fromkeys(one.axis for one in both.answer.directions):
        mine, theirs = _on(both.answer, axis), _on(both.reference, axis)
        if not theirs:
            continue
        signs, other_signs = {one.sign for one in mine}, {one.sign for one in theirs}
        words = [i for one in mine for i in one.words]
        if not signs & other_signs:
            if _turned(both, mine, theirs) is None:
                others = [j for one in theirs for j in one.words]
                yield claim(both, Kind.DIRECTION, words, others, _BOUND)
        elif len(signs) == len(other_signs) == 1 and axis not in word_lists().symmetric_axes:
            turned = _turned(both, mine, theirs, strictly=True)
            if turned is not None:
                sure = _LOOSE if axis in word_lists().loose_axes else _ORDER
                yield claim(both, Kind.DIRECTION, _whole(turned[0]), _whole(turned[1]), sure)
        elif len(signs) == 2 and len(other_signs) == 2:
            yield from _exchanged(both, mine, theirs)


def _whole(one: Direction) -> list[int]:
    return [*one.words, *(i for i in (one.subject, one.anchor) if i is not None)]


def preposition_claims(both: Compared) -> Iterator[Claim]:
    """Prepositions that exclude each other before one noun: on the table, under the table."""
    listed = word_lists().opposed_prepositions
    for i, mine in both.answer.roles.items():
        for j, theirs in both.reference.roles.items():
            if (
                theirs in listed.get(mine, ())
                and both.same(i, j)
                and _once(both.answer, i)
                and _once(both.reference, j)
            ):
                words, others = _preposition(both.answer, i, mine), _preposition(both.reference, j, theirs)
                located, there = _before(both.answer, words), _before(both.reference, others)
                if located is not None and there is not None and not both.match(located, there):
                    continue  # the net is above the bed, the boy on it
                yield claim(both, Kind.PLACE, (*words, i), (*others, j), _PREPOSITION)


def _before(side: Analysis, words: tuple[int, ...]) -> int | None:
    """The first noun of the clause, before the preposition: what is there."""
    if not words:
        return None
    clause = side.clauses[words[0]]
    nouns = [k for k in range(words[0]) if side.words[k].pos == "n" and side.clauses[k] == clause]
    heads = (k for k in nouns if k + 1 not in nouns)
    return next(heads, None)


def _once(side: Analysis, i: int) -> bool:
    return sum(word.lemma == side.words[i].lemma for word in side.words) == 1


def _preposition(side: Analysis, i: int, name: str) -> tuple[int, ...]:
    return next(((k,) for k in range(i - 1, max(-1, i - 8), -1) if side.words[k].lower == name), ())


def _on(side: Analysis, axis: str) -> list[Direction]:
    return [one for one in side.directions if one.axis == axis]


def _turned(
    both: Compared, mine: Sequence[Direction], theirs: Sequence[Direction], *, strictly: bool = False
) -> tuple[Direction, Direction] | None:
    """Directions told from each other's ends: the bin behind the box, the box in front of the bin. Each anchor is a noun
    of the other side that is not the anchor there; strictly: it is the subject there."""
    for one in mine:
        for other in theirs:
            if one.anchor is None or other.anchor is None or _same_phrase(both, one.anchor, other.anchor):
                continue
            if strictly:
                crossed = _same(both, one.subject, other.anchor) and _same(both, one.anchor, other.subject)
            else:
                crossed = any(_same_phrase(both, one.anchor, j) for j in _nouns(both.reference, other.anchor)) and any(
                    _same_phrase(both, i, other.anchor) for i in _nouns(both.answer, one.anchor)
                )
            if crossed:
                return one, other
    return None


def _nouns(side: Analysis, without: int) -> Iterator[int]:
    return (i for i, word in enumerate(side.words) if word.pos == "n" and i != without)


def _same_phrase(both: Compared, i: int, j: int) -> bool:
    """Two noun phrases name one thing, by their heads or by what those are of: a set of toys, the toys."""
    return any(_same(both, a, b) for a in _heads(both.answer, i) for b in _heads(both.reference, j))


def _heads(side: Analysis, i: int) -> tuple[int, ...]:
    words = side.words
    if i + 1 >= len(words) or words[i + 1].lower != "of":
        return (i,)
    inner = next((j for j in range(i + 2, min(len(words), i + 6)) if words[j].pos == "n"), None)
    while inner is not None and inner + 1 < len(words) and words[inner + 1].pos == "n":
        inner += 1
    return (i,) if inner is None else (i, inner)


def _same(both: Compared, i: int | None, j: int | None) -> bool:
    """One thing, and not of another colour, size or kind (street sign, stop sign)."""
    if i is None or j is None or not both.match(i, j):
        return False
    mine = [word for word, head in both.answer.modifiers if head == i]
    theirs = [word for word, head in both.reference.modifiers if head == j]
    if mine and theirs and not any(both.match(a, b) for a in mine for b in theirs):
        return False
    for one in both.answer.attributes:
        for other in both.reference.attributes:
            if one.head == i and other.head == j and one.family == other.family and not one.values & other.values:
                return False
    return True


def converse_axes(both: Compared) -> bool:
    """Whether some axis is told from its other end, so that exchanged nouns do not contradict each other."""
    free = word_lists().symmetric_axes | word_lists().loose_axes
    for axis in {one.axis for one in both.answer.directions}:
        mine, theirs = _on(both.answer, axis), _on(both.reference, axis)
        differ = not {one.sign for one in mine} & {one.sign for one in theirs}
        if theirs and (differ or axis in free) and _turned(both, mine, theirs):
            return True
    return False


def _exchanged(both: Compared, mine: Sequence[Direction], theirs: Sequence[Direction]) -> Iterator[Claim]:
    """Both ends of an axis on both sides (the upper shelf is full, the lower empty): is what is said of the ends swapped?"""
    start, other_start = _start(both.answer, mine), _start(both.reference, theirs)
    if start is not None and other_start is not None:
        if start.sign != other_start.sign:
            ends = [i for one in mine for i in one.words], [j for one in theirs for j in one.words]
            yield claim(both, Kind.DIRECTION, *ends, _BOUND)
        return
    for one in mine:
        same = [other for other in theirs if other.sign == one.sign]
        opposite = [other for other in theirs if other.sign != one.sign]
        here = max(_company(both, one, other) for other in same)
        there = max(_company(both, one, other) for other in opposite)
        if there > here:
            others = [j for other in same for j in other.words]
            yield claim(both, Kind.DIRECTION, one.words, others, _MIXED)
            return


def _start(side: Analysis, ends: Sequence[Direction]) -> Direction | None:
    """Where a movement starts: from left to right."""
    for one in ends:
        before = [word.lower for word in side.words[max(0, one.words[0] - 2) : one.words[0]]]
        if before[-1:] == ["from"] or before == ["from", "the"]:
            return one
    return None


def _company(both: Compared, one: Direction, other: Direction) -> int:
    """How many words of the clauses around two directions say the same."""
    answer, reference = both.answer, both.reference
    near = [i for i in answer.content if answer.clauses[i] == answer.clauses[one.words[0]] and i not in one.words]
    far = [
        j
        for j in reference.content
        if reference.clauses[j] == reference.clauses[other.words[0]] and j not in other.words
    ]
    return sum(any(both.match(i, j) for j in far) for i in near)

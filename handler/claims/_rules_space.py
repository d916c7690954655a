"""Disagreements of direction: two signs of one axis, told apart from one scene seen from its other end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handler.claims._compared import Compared, claim
from handler.claims._contract import Claim, Kind
from handler.claims._slot_types import Analysis, Direction

__all__ = ["converse_axes", "direction_claims"]

_BOUND, _ORDER, _MIXED = 0.9, 0.75, 0.6


def direction_claims(both: Compared) -> Iterator[Claim]:
    """Per axis: signs that differ; the same sign with subject and anchor exchanged; both signs on either side, exchanged."""
    for axis in dict.fromkeys(one.axis for one in both.answer.directions):
        mine, theirs = _on(both.answer, axis), _on(both.reference, axis)
        if not theirs:
            continue
        signs, other_signs = {one.sign for one in mine}, {one.sign for one in theirs}
        turned = _turned(both, mine, theirs)
        words = [i for one in mine for i in one.words]
        if not signs & other_signs:
            if turned is None:
                others = [j for one in theirs for j in one.words]
                yield claim(both, Kind.DIRECTION, words, others, _BOUND)
        elif turned is not None and len(signs) == len(other_signs) == 1:
            one, other = turned
            yield claim(both, Kind.DIRECTION, _whole(one), _whole(other), _ORDER)
        elif len(signs) == 2 and len(other_signs) == 2:
            yield from _exchanged(both, mine, theirs)


def _whole(one: Direction) -> list[int]:
    return [*one.words, *(i for i in (one.subject, one.anchor) if i is not None)]


def _on(side: Analysis, axis: str) -> list[Direction]:
    return [one for one in side.directions if one.axis == axis]


def _turned(
    both: Compared, mine: Sequence[Direction], theirs: Sequence[Direction]
) -> tuple[Direction, Direction] | None:
    """Directions whose subject and anchor are exchanged: the bin behind the box, the box in front of the bin."""
    for one in mine:
        for other in theirs:
            crossed = _same(both, one.subject, other.anchor) and _same(both, one.anchor, other.subject)
            straight = _same(both, one.subject, other.subject) and _same(both, one.anchor, other.anchor)
            if crossed and not straight:
                return one, other
    return None


def _same(both: Compared, i: int | None, j: int | None) -> bool:
    """One thing, and not of another colour or size."""
    if i is None or j is None or not both.match(i, j):
        return False
    for one in both.answer.attributes:
        for other in both.reference.attributes:
            if one.head == i and other.head == j and one.family == other.family and not one.values & other.values:
                return False
    return True


def converse_axes(both: Compared) -> bool:
    """Whether some axis is told from its other end, so that exchanged nouns do not contradict each other."""
    for axis in {one.axis for one in both.answer.directions}:
        mine, theirs = _on(both.answer, axis), _on(both.reference, axis)
        if theirs and not {one.sign for one in mine} & {one.sign for one in theirs} and _turned(both, mine, theirs):
            return True
    return False


def _exchanged(both: Compared, mine: Sequence[Direction], theirs: Sequence[Direction]) -> Iterator[Claim]:
    """Both ends of an axis on both sides (the upper shelf is full, the lower empty): is what is said of the ends swapped?"""
    for one in mine:
        same = [other for other in theirs if other.sign == one.sign]
        opposite = [other for other in theirs if other.sign != one.sign]
        here = max(_company(both, one, other) for other in same)
        there = max(_company(both, one, other) for other in opposite)
        if there > here:
            others = [j for other in same for j in other.words]
            yield claim(both, Kind.DIRECTION, one.words, others, _MIXED)
            return


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

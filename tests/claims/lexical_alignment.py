"""An alignment without word vectors, for tests of the rules alone: nearest by relation, then by place."""

from __future__ import annotations

from handler.claims._analysis import analyse
from handler.claims._contract import Claim
from handler.claims._lexicon import RELATION_WORTH, relation
from handler.claims._rules import find_claims, find_substitutions
from handler.claims._slot_types import Alignment, Analysis, Pairing, Relation


def sentence(text: str) -> Analysis:
    (only,) = analyse(text)
    return only


def align(answer: Analysis, reference: Analysis) -> Alignment:
    return Alignment(_nearest(answer, reference), _nearest(reference, answer))


def claims_of(answer: str, reference: str) -> tuple[Claim, ...]:
    left, right = sentence(answer), sentence(reference)
    return find_claims(left, right, align(left, right))


def substitutions_of(answer: str, reference: str) -> tuple[Claim, ...]:
    left, right = sentence(answer), sentence(reference)
    return find_substitutions(left, right, align(left, right))


def _nearest(side: Analysis, other: Analysis) -> tuple[Pairing, ...]:
    return tuple(_pairing(side, other, i) for i in side.content)


def _pairing(side: Analysis, other: Analysis, i: int) -> Pairing:
    rated = [
        (RELATION_WORTH[found], found in (Relation.SIBLING, Relation.OPPOSITE), -abs(i - j), j, found)
        for j in other.content
        for found in (relation(side.words[i], other.words[j]),)
    ]
    if not rated:
        return Pairing(i, None, Relation.NONE, 0.0)
    worth, _, _, j, found = max(rated)
    return Pairing(i, j, found, worth)

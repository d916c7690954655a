"""Another thing, action or place in the stead of the reference's."""

from __future__ import annotations

from collections.abc import Iterator

from handler.claims._compared import Compared, claim
from handler.claims._contract import Claim, Kind
from handler.claims._lexicon import field_of
from handler.claims._slot_types import MATCHING, Analysis, Relation
from handler.claims._word_lists import word_lists

__all__ = ["substitutions"]

_SIBLING, _OTHER = 0.45, 0.3


def substitutions(both: Compared) -> Iterator[Claim]:
    """Unsupported words of the answer, each with the unsupported word of the reference that stands in its place: of the
    same part of speech, related or in the same role."""
    answer, reference = both.answer, both.reference
    free = [i for i in answer.content if both.forward[i].relation not in MATCHING]
    left = [j for j in reference.content if both.backward[j].relation not in MATCHING]
    for i in free:
        rated = [(score, j) for j in left if (score := _stands_for(both, i, j)) > 0]
        support = both.forward[i].similarity
        if rated:
            score, j = max(rated)
            sibling = both.relation(i, j) is Relation.SIBLING
            sure = (_SIBLING if sibling else _OTHER) + 0.2 * score - 0.2 * support
            yield claim(both, _kind(answer, i), (i,), (j,), min(0.6, max(0.05, sure)))
        elif support < 0.6:
            yield claim(both, _kind(answer, i), (i,), (), max(0.05, 0.3 - 0.3 * support))


def _stands_for(both: Compared, i: int, j: int) -> float:
    """How likely word j stands where word i stands, 0..1: 0 for other parts of speech."""
    answer, reference = both.answer, both.reference
    if answer.words[i].pos != reference.words[j].pos:
        return 0.0
    score = 0.2
    role, other = answer.roles.get(i), reference.roles.get(j)
    if role is not None and role == other:
        score += 0.4
    if both.relation(i, j) in (Relation.SIBLING, Relation.OPPOSITE):
        score += 0.2
    similarities = both.alignment.similarities
    return score + (0.2 * max(0.0, similarities[i][j]) if similarities else 0.0)


def _kind(side: Analysis, i: int) -> Kind:
    word = side.words[i]
    if word.pos == "v":
        return Kind.ACTION
    if word.pos in ("a", "r"):
        return Kind.ATTRIBUTE
    located = i in side.places or any(head == i for head in side.places)
    return Kind.PLACE if located and field_of(word) in word_lists().place_fields else Kind.OBJECT

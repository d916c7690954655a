"""Disagreements of negation and of opposites."""

from __future__ import annotations

from collections.abc import Iterator

from handler.claims._compared import Compared, claim
from handler.claims._contract import Claim, Kind
from handler.claims._lexicon import field_of
from handler.claims._slot_types import MATCHING, Analysis, Relation
from handler.claims._word_lists import word_lists

__all__ = ["negation_claims", "opposite_claims", "opposite_pairs"]

_BOUND, _BOTH_NEGATE = 0.9, 0.55
_NEAR = 0.75  # cosine from which a word without a known relation can be the one that is negated
_INSTEAD = {"without": ("with",), "none": ("all", "some"), "no": ("a", "an", "some"), "never": ("always",)}
_THINGS = frozenset({6, 13, 15, 17, 20, 25, 27})  # artefact, food, location, object, plant, shape, substance


def negation_claims(both: Compared) -> Iterator[Claim]:
    """A word that one side negates and the other does not; of one negator's words only the first."""
    opposed = {i for i, _ in opposite_pairs(both, negated=True)}
    seen: set[tuple[int, int]] = set()
    for pairing in both.alignment.forward:
        i, j = pairing.word, pairing.other
        if j is None or i in opposed or not (pairing.relation in MATCHING or pairing.similarity >= _NEAR):
            continue
        if pairing.relation is Relation.OPPOSITE or both.answer.words[i].negated == both.reference.words[j].negated:
            continue
        negator, other = _negator(both.answer, i), _negator(both.reference, j)
        key = (negator if negator is not None else -1, other if other is not None else -1)
        if key in seen or _said_otherwise(both, i, j) or _both_deny(both, i, j):
            continue
        seen.add(key)
        words = _cite(both.answer, i, negator, both.reference, other)
        others = _cite(both.reference, j, other, both.answer, negator)
        sure = _BOUND if not (both.answer.negators and both.reference.negators) else _BOTH_NEGATE
        yield claim(both, Kind.NEGATION, words, others, sure * (1.0 if pairing.relation in MATCHING else 0.8))


def _both_deny(both: Compared, i: int, j: int) -> bool:
    """Both words stand in clauses that deny something: no boxes are moving, the boxes do not move."""
    return _denies(both.answer, i) and _denies(both.reference, j)


def _denies(side: Analysis, i: int) -> bool:
    return any(side.clauses[negator] == side.clauses[i] for negator in side.negators)


def _cite(
    side: Analysis, i: int, negator: int | None, opposite: Analysis, their_negator: int | None
) -> tuple[int, ...]:
    """The word with its negator; without one, with the "with" or "all" that stands in the negator's place."""
    if negator is not None:
        return negator, i
    instead = _INSTEAD.get(opposite.words[their_negator].lower, ()) if their_negator is not None else ()
    return (*(k for k in range(max(0, i - 3), i) if side.words[k].lower in instead), i)


def _negator(side: Analysis, i: int) -> int | None:
    return next((negator for negator, scope in zip(side.negators, side.scopes, strict=True) if i in scope), None)


def _said_otherwise(both: Compared, i: int, j: int) -> bool:
    """The word stands a second time on the other side with the polarity that fits: nothing disagrees."""
    answer, reference = both.answer, both.reference
    mine, theirs = answer.words[i], reference.words[j]
    again = any(
        reference.words[k].lemma == theirs.lemma and reference.words[k].negated == mine.negated
        for k in reference.content
    )
    once_more = any(
        answer.words[k].lemma == mine.lemma and answer.words[k].negated == theirs.negated for k in answer.content
    )
    return again or once_more


def opposite_pairs(both: Compared, *, negated: bool = False) -> Iterator[tuple[int, int]]:
    """Opposite words of the two sides that neither side has both of, and that nothing else accounts for. negated: those of
    which just one is negated, so that they agree (not open, closed)."""
    answer, reference = both.answer, both.reference
    free = [i for i in answer.content if both.forward[i].relation not in MATCHING]
    free_reference = [j for j in reference.content if both.backward[j].relation not in MATCHING]
    for i in free:
        for j in free_reference:
            if both.relation(i, j) is Relation.OPPOSITE and not (_weak(answer, i) or _weak(reference, j)):
                differs = answer.words[i].negated != reference.words[j].negated
                if differs == negated:
                    yield i, j


def _weak(side: Analysis, i: int) -> bool:
    """dimly lit is no opposite of dark, and a vase may stand or sit."""
    word = side.words[i]
    if i and side.words[i - 1].lower in word_lists().negation["weakened"]:
        return True
    if word.lemma not in word_lists().posture:
        return False
    agents = (one.agent for one in side.predicates if one.verb == i)
    return any(agent is not None and field_of(side.words[agent]) in _THINGS for agent in agents)


def opposite_claims(both: Compared) -> Iterator[Claim]:
    """Opposite words and opposite phrases (turns off, switches on)."""
    for i, j in opposite_pairs(both):
        mine, theirs = both.answer.words[i], both.reference.words[j]
        if _one_axis(mine.lemma, theirs.lemma) or _handed_over(both, i, j):
            continue
        kind = Kind.ACTION if mine.pos == theirs.pos == "v" and not _state(both, i, j) else Kind.OPPOSITE
        yield claim(both, kind if mine.pos != "n" else Kind.OBJECT, (i,), (j,), _BOUND)
    yield from _opposite_phrases(both)


def _one_axis(lemma: str, other: str) -> bool:
    """Two directions of one axis are compared there."""
    axes = word_lists().axis_words
    return bool({axis for axis, _ in axes.get(lemma, ())} & {axis for axis, _ in axes.get(other, ())})


def _handed_over(both: Compared, i: int, j: int) -> bool:
    """throws the ball to the girl, catches it from the boy: told from either end."""
    mine = any(one.verb == i and one.giver is not None for one in both.answer.predicates)
    return mine and any(one.verb == j and one.giver is not None for one in both.reference.predicates)


def _state(both: Compared, i: int, j: int) -> bool:
    return both.answer.words[i].lower.endswith("ed") and both.reference.words[j].lower.endswith("ed")


def _opposite_phrases(both: Compared) -> Iterator[Claim]:
    listed = word_lists().opposite_phrases
    mine, theirs = dict(both.answer.phrases), dict(both.reference.phrases)
    for phrase, words in mine.items():
        for other in sorted(listed[phrase] & theirs.keys()):
            if phrase in theirs or other in mine:
                continue
            others = theirs[other]
            if both.answer.words[words[0]].negated == both.reference.words[others[0]].negated:
                yield claim(both, Kind.ACTION, words, others, _BOUND)
                return

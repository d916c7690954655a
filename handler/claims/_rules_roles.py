"""Disagreements of who did what to whom."""

from __future__ import annotations

from collections.abc import Iterator

from handler.claims._compared import Compared, claim
from handler.claims._contract import Claim, Kind
from handler.claims._rules_space import converse_axes
from handler.claims._slot_types import Analysis, Predicate, Relation
from handler.claims._word_lists import word_lists

__all__ = ["role_claims"]

_VERB, _PLACES = 0.9, 0.7


def role_claims(both: Compared) -> Iterator[Claim]:
    """Two participants exchanged: agent and patient of one verb, giver and receiver, or the nouns of two prepositions."""
    for mine in both.answer.predicates:
        for theirs in both.reference.predicates:
            found = _exchanged(both, mine, theirs)
            if found is not None:
                yield found
                return
    if not converse_axes(both):
        yield from _exchanged_places(both)


def _exchanged(both: Compared, mine: Predicate, theirs: Predicate) -> Claim | None:
    answer, reference = both.answer.words, both.reference.words
    verb, other = answer[mine.verb].lemma, reference[theirs.verb].lemma
    lists = word_lists()
    if verb in lists.mutual or other in lists.mutual:
        return None
    if mine.giver is not None and theirs.giver is not None:
        if mine.recipient is None or theirs.recipient is None:
            return None
        if _crossed(both, (mine.giver, mine.recipient), (theirs.giver, theirs.recipient)):
            words = (mine.giver, mine.verb, mine.recipient)
            return claim(both, Kind.ROLE, words, (theirs.giver, theirs.verb, theirs.recipient), _VERB)
        return None
    if mine.agent is None or mine.patient is None or theirs.agent is None or theirs.patient is None:
        return None
    converse = other in lists.converse.get(verb, ())
    ends = (theirs.patient, theirs.agent) if converse else (theirs.agent, theirs.patient)
    if not _crossed(both, (mine.agent, mine.patient), ends):
        return None
    found = both.relation(mine.verb, theirs.verb)
    if found is Relation.OPPOSITE:
        return None
    if not converse and not both.match(mine.verb, theirs.verb):
        return None
    words = (mine.agent, mine.verb, mine.patient)
    return claim(both, Kind.ROLE, words, (theirs.agent, theirs.verb, theirs.patient), _VERB)


def _crossed(both: Compared, mine: tuple[int, int], theirs: tuple[int, int]) -> bool:
    """Each end matches the other's other end, and better than its own."""
    (a, b), (c, d) = mine, theirs
    return _nearer(both, a, d, c) and _nearer(both, b, c, d)


def _nearer(both: Compared, i: int, j: int, instead: int) -> bool:
    """Word i names what word j names, and not what `instead` names. Of one noun twice (a man in a suit, a man in a
    uniform) what goes with it decides."""
    if both.same(i, instead):
        return both.same(i, j) and _company(both, i, j) > _company(both, i, instead)
    return both.match(i, j)


def _company(both: Compared, i: int, j: int) -> int:
    """How many words tied to two nouns match: their adjectives and the nouns of the phrases right after them."""
    mine, theirs = (
        _tied(both.answer.modifiers, both.answer.roles, i),
        _tied(both.reference.modifiers, both.reference.roles, j),
    )
    return sum(any(both.match(a, b) for b in theirs) for a in mine)


def _tied(modifiers: tuple[tuple[int, int], ...], roles: object, noun: int) -> list[int]:
    found = [word for word, head in modifiers if head == noun]
    if isinstance(roles, dict):
        found += [other for other in roles if noun < other <= noun + 3 and roles[other] in ("in", "with", "on")]
    return found


def _joined(side: Analysis, i: int, k: int) -> bool:
    """A shirt and black shorts: two of one list."""
    between = range(min(i, k) + 1, max(i, k))
    return len(between) <= 4 and any(side.words[at].lower in ("and", "or") for at in between)


def _exchanged_places(both: Compared) -> Iterator[Claim]:
    """Two nouns that stand in each other's place: the cat sits on its legs and swats at the plant, and the other way."""
    mine, theirs = both.answer.roles, both.reference.roles
    symmetric = word_lists().symmetric_prepositions
    shared = [
        (i, j) for i in mine for j in theirs if i in both.forward and both.forward[i].other == j and both.same(i, j)
    ]
    for at, (i, j) in enumerate(shared):
        for k, m in shared[at + 1 :]:
            if j == m or i == k or mine[i] == mine[k] or both.answer.words[i].lemma == both.answer.words[k].lemma:
                continue
            subjects = {mine[i], mine[k]} == {"agent", "patient"} or {mine[i], mine[k]} & symmetric
            if subjects or (_joined(both.answer, i, k) and _joined(both.reference, j, m)):
                continue
            if mine[i] == theirs[m] and mine[k] == theirs[j]:
                yield claim(both, Kind.ROLE, (i, k), (j, m), _PLACES)
                return

"""How two words stand to each other, by the pruned WordNet lexicon and the project's own word lists."""

from __future__ import annotations

from functools import lru_cache

from handler.claims._slot_types import Relation, Word
from handler.claims._word_lists import word_lists
from handler.claims._wordnet import Reading, lexicon, readings

__all__ = ["RELATION_WORTH", "field_of", "relation", "relation_of_forms"]

RELATION_WORTH = {
    Relation.SAME: 1.0,
    Relation.SYNONYM: 0.95,
    Relation.BROADER: 0.9,
    Relation.NARROWER: 0.85,
    Relation.DERIVED: 0.85,
    Relation.OPPOSITE: 0.0,
    Relation.SIBLING: 0.0,
    Relation.NONE: 0.0,
}
"""What a relation counts for as similarity, 0..1."""

_CLIMB = 6  # hypernym steps looked at
_BROADER_STEPS = 4  # further up everything is a thing
_SIBLING_STEPS = 4  # up and down together
_APART = ({"n", "v"}, {"n", "r"}, {"v", "r"})
_MAIN_SENSES = 2  # siblings by a rare sense are siblings by chance
_CLIMBED_SENSES = 3


def relation(word: Word, other: Word) -> Relation:
    """How `other` stands to `word`: BROADER means that `other` is the more general one. The order of the two matters for
    BROADER and NARROWER alone."""
    return relation_of_forms(word.form, other.form, word.pos, other.pos)


@lru_cache(maxsize=32768)
def relation_of_forms(form: str, other: str, pos: str = "", other_pos: str = "") -> Relation:
    """`relation` of two forms in lower case, as parts of speech; "" for any. A noun and a verb share no senses: drinking
    does not support coffee."""
    if form == other:
        return Relation.SAME
    left, right = readings(form), readings(other)
    lemmas, others = {one.lemma for one in left} | {form}, {one.lemma for one in right} | {other}
    if lemmas & others:
        return Relation.SAME
    lists = word_lists()
    together = not pos or not other_pos or {pos, other_pos} not in _APART
    if together and any(a in lists.synonyms and lists.synonyms[a] & others for a in lemmas):
        return Relation.SYNONYM
    if any(b in lists.opposites.get(a, ()) for a in lemmas for b in others):
        return Relation.OPPOSITE
    same_pos = [(a, b) for a in left for b in right if a.pos == b.pos and _may_be(a, b, pos, other_pos)]
    if any(_opposed(a, b) or _opposed(b, a) for a, b in same_pos):
        return Relation.OPPOSITE
    found = [one for a, b in same_pos if (one := _by_senses(a, b)) is not Relation.NONE]
    if not found:
        return Relation.DERIVED if any(_derived(a, b) for a in left for b in right) else Relation.NONE
    return max(found, key=lambda one: RELATION_WORTH[one])


def _may_be(word: Reading, other: Reading, pos: str, other_pos: str) -> bool:
    if not pos or not other_pos:
        return True
    return word.pos in (pos, other_pos) if pos == other_pos else {pos, other_pos} not in _APART


def field_of(word: Word) -> int:
    """Number of the lexicographer's file of the first sense (18: person, 15: place, 8: body, …); -1 when unknown."""
    for one in readings(word.form):
        if one.pos == word.pos:
            senses = lexicon().senses[one.entry]
            return int(lexicon().field[senses[0]])
    return -1


def _by_senses(word: Reading, other: Reading) -> Relation:
    senses, others = lexicon().senses[word.entry], lexicon().senses[other.entry]
    if set(senses) & set(others):
        return Relation.SYNONYM
    if word.pos == "a":
        around = {near for sense in senses for near in lexicon().similar[sense]}
        return Relation.SYNONYM if around & set(others) else Relation.NONE
    if word.pos == "r":
        return Relation.NONE
    best, best_steps = Relation.NONE, _BROADER_STEPS + 1
    sibling = False
    for i, sense in enumerate(senses[:_CLIMBED_SENSES]):
        above = _above(sense)
        for j, sense_of_other in enumerate(others[:_CLIMBED_SENSES]):
            above_other = _above(sense_of_other)
            for relation_, steps in (
                (Relation.BROADER, above.get(sense_of_other, 99)),
                (Relation.NARROWER, above_other.get(sense, 99)),
            ):
                if steps < best_steps:
                    best, best_steps = relation_, steps
            if i < _MAIN_SENSES and j < _MAIN_SENSES and not sibling:
                shared = min((above[key] + above_other[key] for key in above.keys() & above_other.keys()), default=99)
                sibling = shared <= _SIBLING_STEPS
    if best is Relation.NONE and sibling:
        return Relation.SIBLING
    return best


@lru_cache(maxsize=8192)
def _above(synset: int) -> dict[int, int]:
    """Hypernyms with their distance in steps, the synset itself at 0."""
    found, edge = {synset: 0}, [synset]
    for distance in range(1, _CLIMB + 1):
        edge = [up for key in edge for up in lexicon().hypernyms[key] if up not in found]
        found.update(dict.fromkeys(edge, distance))
    return found


def _opposed(word: Reading, other: Reading) -> bool:
    """An antonym; of an adjective also what resembles its antonym: wet and arid, by dry."""
    antonyms = lexicon().antonyms[word.entry]
    if other.entry in antonyms:
        return True
    if word.pos != "a" or not antonyms:
        return False
    senses = set(lexicon().senses[other.entry][:_MAIN_SENSES])
    return any(
        near in senses
        for antonym in antonyms
        for sense in lexicon().senses[antonym][:1]
        for near in lexicon().similar[sense]
    )


def _derived(word: Reading, other: Reading) -> bool:
    if word.pos == other.pos:
        return False
    return other.entry in lexicon().derived[word.entry] or word.entry in lexicon().derived[other.entry]

"""Two analysed sentences with their alignment, indexed for the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from handler.claims._contract import Claim, Kind, Span
from handler.claims._lexicon import field_of, relation
from handler.claims._slot_types import MATCHING, Alignment, Analysis, Pairing, Relation, Word

__all__ = ["SIMILAR", "Compared", "claim", "compared"]

_ANYONE = frozenset("nobody somebody someone anybody anyone everybody everyone".split())
_PERSON = 18  # number of the lexicographer's file noun.person
_ANY = frozenset({"one", "ones"})  # the blue one: any noun may be meant
SIMILAR = 0.62  # cosine of layer-8 word vectors above which two words are taken for one thing


@dataclass(frozen=True, slots=True)
class Compared:
    """forward, backward: pairings by word of the answer and by word of the reference."""

    answer: Analysis
    reference: Analysis
    alignment: Alignment
    forward: Mapping[int, Pairing]
    backward: Mapping[int, Pairing]

    def relation(self, i: int, j: int) -> Relation:
        """How word j of the reference stands to word i of the answer."""
        return relation(self.answer.words[i], self.reference.words[j])

    def match(self, i: int | None, j: int | None) -> bool:
        """Whether word i of the answer and word j of the reference may name one thing."""
        if i is None or j is None:
            return False
        word, other = self.answer.words[i], self.reference.words[j]
        if word.lower in _ANYONE or other.lower in _ANYONE:
            return _person(word) and _person(other)
        if word.lower in _ANY or other.lower in _ANY:
            return True
        found = self.relation(i, j)
        if found in MATCHING:
            return True
        if found is Relation.OPPOSITE:
            return False
        similarities = self.alignment.similarities
        return bool(similarities) and similarities[i][j] > SIMILAR

    def same(self, i: int | None, j: int | None) -> bool:
        """Whether two words are one lemma or synonyms."""
        return i is not None and j is not None and self.relation(i, j) in (Relation.SAME, Relation.SYNONYM)


def _person(word: Word) -> bool:
    return word.lower in _ANYONE or word.lower in ("one", "people") or field_of(word) == _PERSON


def compared(answer: Analysis, reference: Analysis, alignment: Alignment) -> Compared:
    """Both sentences with their pairings indexed."""
    return Compared(
        answer,
        reference,
        alignment,
        {one.word: one for one in alignment.forward},
        {one.word: one for one in alignment.backward},
    )


def claim(both: Compared, kind: Kind, words: Iterable[int], others: Iterable[int], confidence: float) -> Claim:
    """A claim about words of the answer and words of the reference."""
    answer, answer_spans = _cited(both.answer, words)
    reference, reference_spans = _cited(both.reference, others)
    return Claim(kind, answer, reference, answer_spans, reference_spans, confidence)


def _cited(side: Analysis, words: Iterable[int]) -> tuple[str, tuple[Span, ...]]:
    """The words in their order and their spans; neighbours share one."""
    spans: list[Span] = []
    cited = sorted(set(words))
    for at, i in enumerate(cited):
        start, end = side.words[i].span
        if at and cited[at - 1] == i - 1:
            start = spans.pop()[0]
        spans.append((start, end))
    return " ".join(side.words[i].lower for i in cited), tuple(spans)

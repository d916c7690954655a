"""What the analysis of one sentence holds, and what an alignment of two sentences says.

`analyse(text)` (handler.claims._analysis) gives one `Analysis` per sentence; word indices everywhere are positions in
its `words`, character spans are positions in the text as it was given. An `Alignment` of an answer's sentence with a
reference's sentence is made from token vectors and `relation` (handler.claims._lexicon); `find_claims` and
`find_substitutions` (handler.claims._rules) read both analyses and the alignment, `rule_features` turns their claims
and the slots into numbers of fixed names and order (`RULE_FEATURES`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from handler.claims._contract import Span

__all__ = [
    "MATCHING",
    "Alignment",
    "Analysis",
    "Attribute",
    "Direction",
    "Pairing",
    "Quantity",
    "Relation",
    "Role",
    "Word",
]


class Relation(StrEnum):
    """How the word of one text stands to the word of the other, by WordNet's first senses."""

    SAME = "same"  # one lemma
    SYNONYM = "synonym"
    BROADER = "broader"  # the other text's word is more general
    NARROWER = "narrower"  # the other text's word is more special
    DERIVED = "derived"  # arrival and arrive
    OPPOSITE = "opposite"
    SIBLING = "sibling"  # two kinds of one thing: guitar and violin
    NONE = "none"


MATCHING = frozenset({Relation.SAME, Relation.SYNONYM, Relation.BROADER, Relation.NARROWER, Relation.DERIVED})
"""Relations of words that may name one thing."""


class Role(StrEnum):
    """Who did what to whom, of the noun phrases around a verb; prepositional phrases carry their preposition instead."""

    AGENT = "agent"
    PATIENT = "patient"
    RECIPIENT = "recipient"
    GIVER = "giver"


@dataclass(frozen=True, slots=True)
class Word:
    """One word. lower: in lower case, "not" for n't; lemma: its base form, with un- taken off where that negates;
    pos: n, v, a, r (noun, verb, adjective, adverb) or "" for function words, digits and marks; content: whether it carries
    meaning of its own; negated: within the scope of an odd number of negators (un- counts)."""

    lower: str
    lemma: str
    pos: str
    span: Span
    content: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or quantifier. word: where it stands; low, high: the counts it allows (several: 3 to infinity);
    head: the word that is counted, None where nothing is; part: it counts out of a given set (one of the two)."""

    word: int
    low: float
    high: float
    head: int | None
    part: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """A value of a listed attribute on its noun: family "colour", value "grey"."""

    word: int
    family: str
    value: str
    head: int | None


@dataclass(frozen=True, slots=True)
class Direction:
    """A word or phrase that points one way along an axis: "left-right", sign -1 or 1. anchor: the noun it is measured
    from ("left of the machine"), None where there is none."""

    words: tuple[int, ...]
    axis: str
    sign: int
    anchor: int | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """One sentence. span: of the sentence in the text; content: indices of content words; negators: of words that negate;
    roles: word index to a Role's value or to a preposition; places: indices of nouns that say where."""

    span: Span
    words: tuple[Word, ...]
    content: tuple[int, ...]
    negators: tuple[int, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    directions: tuple[Direction, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    places: frozenset[int] = frozenset()
    passive: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """A content word and its nearest content word on the other side (None: the other side has none). similarity: 0..1,
    the larger of the word vectors' cosine and what the relation is worth."""

    word: int
    other: int | None
    relation: Relation
    similarity: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two sentences word by word. forward: one pairing per content word of the answer, in order; backward: one per content
    word of the reference, `other` then being the answer's word. similarities: cosines of the contextual word vectors, one
    row per word of the answer (all words, function words too), one column per word of the reference; empty when unknown."""

    forward: tuple[Pairing, ...]
    backward: tuple[Pairing, ...]
    similarities: Sequence[Sequence[float]] = ()

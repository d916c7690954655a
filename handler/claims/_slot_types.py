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
from typing import NamedTuple

from handler.claims._contract import Span

__all__ = [
    "MATCHING",
    "Alignment",
    "Analysis",
    "Attribute",
    "Direction",
    "Pairing",
    "Predicate",
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


class Word(NamedTuple):
    """One word. lower: in lower case, "not" for n't; form: lower without an un- that negates, what the lexicon is asked
    for; lemma: the base form of that; pos: n, v, a, r (noun, verb, adjective, adverb) or "" for function words, digits and
    marks; content: whether it carries meaning of its own; negated: within the scope of an odd number of negators (un-
    counts)."""

    lower: str
    form: str
    lemma: str
    pos: str
    span: Span
    content: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or quantifier. word: where it stands; low, high: the counts it allows (several: 3 to infinity);
    head: the word that is counted, None where nothing is; share: "all", "some" or "none" of a given set, else "";
    implied: by the article alone (a dog)."""

    word: int
    low: float
    high: float
    head: int | None
    share: str = ""
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """A listed attribute on its noun: family "colour", values {"grey"}. Two of one family differ when they share no
    value: teal is both green and blue."""

    word: int
    family: str
    values: frozenset[str]
    head: int | None


@dataclass(frozen=True, slots=True)
class Direction:
    """A word or phrase that points one way along an axis: "left-right", sign 1 (left) or -1. subject: the noun that is
    there or goes there; anchor: the noun it is measured from ("left of the machine"); None where there is none."""

    words: tuple[int, ...]
    axis: str
    sign: int
    subject: int | None = None
    anchor: int | None = None


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb with the heads of the noun phrases around it; of "hands the keys to the guard" the keys are the patient."""

    verb: int
    agent: int | None = None
    patient: int | None = None
    recipient: int | None = None
    giver: int | None = None
    passive: bool = False


@dataclass(frozen=True, slots=True)
class Analysis:
    """One sentence. span: of the sentence in the text; content: indices of content words; negators: of words that negate;
    scopes: per negator the words it negates; roles: word index to a Role's value or to a preposition; places: indices of
    nouns that say where; clauses: per word the number of its clause; modifiers: word and the noun it qualifies; phrases:
    a listed verb with its particle ("turn off") and where it stands."""

    span: Span
    words: tuple[Word, ...]
    content: tuple[int, ...]
    negators: tuple[int, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    directions: tuple[Direction, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    places: frozenset[int] = frozenset()
    passive: bool = False
    scopes: tuple[tuple[int, ...], ...] = ()
    clauses: tuple[int, ...] = ()
    modifiers: tuple[tuple[int, int], ...] = ()
    phrases: tuple[tuple[str, tuple[int, ...]], ...] = ()


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

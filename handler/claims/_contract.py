"""What a comparison of two descriptions says: claims, each with the words it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Claim", "Judgement", "Kind", "Note", "Span", "Verdict"]

Span = tuple[int, int]
"""First character and the one after the last, in the text as it was given."""


class Kind(StrEnum):
    """What two descriptions disagree about."""

    NEGATION = "negation"
    NUMBER = "number"
    ATTRIBUTE = "attribute"  # a colour, size, age or material bound to its noun
    DIRECTION = "direction"  # left and right, up and down, towards and away, compass
    PLACE = "place"
    ACTION = "action"
    ROLE = "role"  # who did what to whom
    OBJECT = "object"
    OPPOSITE = "opposite"  # open and closed, full and empty


class Verdict(StrEnum):
    """What a frame's contradiction score means at a threshold."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Claim:
    """One disagreement. answer, reference: the words of either side, "" where a side says nothing of it; *_spans: where
    they stand in the two texts. confidence: 0..1."""

    kind: Kind
    answer: str
    reference: str
    answer_spans: tuple[Span, ...]
    reference_spans: tuple[Span, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Note:
    """Words of one side that the other neither says nor denies: no evidence of an error. spans: in that side's text."""

    words: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """An answer against one reference.

    contradiction: 0..1, of the answer's worst sentence; it says how surely the two disagree, not how much, and is no
    similarity. claims: of contradiction, the surest first. omissions: what the reference says and the answer leaves out.
    notes: what the answer says and the reference leaves open. worst: the answer's sentence that the score rests on. apart:
    no word of the answer has a counterpart in the reference, so that it is neither supported nor contradicted.
    """

    contradiction: float
    claims: tuple[Claim, ...] = ()
    omissions: tuple[Note, ...] = ()
    notes: tuple[Note, ...] = ()
    worst: Span | None = None
    apart: bool = False
    features: dict[str, float] = field(default_factory=dict, compare=False)

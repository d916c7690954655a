"""The pruned WordNet lexicon: base forms, parts of speech, and how two words stand to each other."""

from __future__ import annotations

from handler.claims._slot_types import Relation, Word

__all__ = ["relation"]


def relation(word: Word, other: Word) -> Relation:
    """How two words of the same kind stand to each other; colours and numbers are left to their slots."""
    raise NotImplementedError

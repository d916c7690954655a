"""From a text and its token vectors to what `judge` compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handler.claims._analysis import analyse
from handler.claims._tables import load_tables
from handler.claims._vectors import Sentence, read_sentences
from handler.models import TokenVectors

__all__ = ["Reading", "read_text"]


@dataclass(frozen=True)
class Reading:
    """What is kept of one text, some 2 KB a word. sentences: those with words, in order, without what lies beyond the
    model's longest input. truncated: whether there is such a rest."""

    sentences: tuple[Sentence, ...]
    truncated: bool = False


def read_text(text: str, tokens: TokenVectors, *, means: Mapping[int, NDArray[np.float32]] | None = None) -> Reading:
    """A text as claims see it, from the one pass over it (`TextEncoder.read`, layers `LAYERS`).

    Of a text that the model saw in part, only whole sentences are kept (all that was seen, if not even one is whole): half
    a sentence says something else. means: other mean word vectors than those that ship, for training.
    """
    seen = max((last for _, last in tokens.spans), default=0)
    truncated = any(character.isalnum() for character in text[seen:])
    analyses = analyse(text[:seen] if truncated else text)
    if truncated and len(analyses) > 1:
        analyses = analyses[:-1]
    return Reading(read_sentences(analyses, tokens, load_tables().means if means is None else means), truncated)

"""From a text to the slots of its sentences."""

from __future__ import annotations

from handler.claims._slot_types import Analysis

__all__ = ["analyse"]


def analyse(text: str) -> tuple[Analysis, ...]:
    """One analysis per sentence, in order; a text without words gives none. Sentences over 80 words are cut."""
    raise NotImplementedError

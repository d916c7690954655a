"""Ids of queries and documents as text."""

from __future__ import annotations

import re

__all__ = ["plain_id"]

_POINT_ZERO = re.compile(r"-?[0-9]+\.0")


def plain_id(text: str) -> str:
    """The id, a whole number without the .0 that pandas adds to a column of numbers with a gap: "7.0" is "7"."""
    return text[:-2] if text.endswith(".0") and _POINT_ZERO.fullmatch(text) else text

"""Counts as a person reads them."""

from __future__ import annotations

__all__ = ["many"]


def many(n: int, noun: str) -> str:
    """A count with its noun, in the singular where it is one: "1 query", "2 queries", "1,000 boxes"."""
    if n == 1:
        return f"1 {noun}"
    stem, ending = (noun[:-1], "ies") if noun.endswith("ry") else (noun, "es" if noun.endswith("x") else "s")
    return f"{n:,} {stem}{ending}"

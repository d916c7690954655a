"""Cells of tables that people open in a spreadsheet."""

from __future__ import annotations

__all__ = ["guarded"]

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guarded(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would take for a formula (OWASP, CSV injection)."""
    return f"'{text}" if text.lstrip(" ").startswith(_STARTS_FORMULA) else text

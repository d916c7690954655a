"""How `scenescore detect` shows what it found: a row per picture or video with its best box, then what was counted."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from handler.counting import many
from handler.errors import one_line
from handler.samples import Detection

__all__ = ["CAPTION_WIDTH", "MAX_ROWS", "NAME_WIDTH", "box_cells", "counts_line", "short_name"]

MAX_ROWS = 20
NAME_WIDTH = 40  # columns
CAPTION_WIDTH = 48


def short_name(location: str) -> str:
    """The end of a location that is too long."""
    name = one_line(location)
    return name if len(name) <= NAME_WIDTH else f"…{name[1 - NAME_WIDTH :]}"


def box_cells(best: Detection | None) -> str:
    """Score, object and caption of the best box."""
    if best is None:
        return ""
    thing = textwrap.shorten(best.object or "(none)", 16, placeholder="…")
    caption = textwrap.shorten(best.caption or "(none)", CAPTION_WIDTH, placeholder=" …")
    return f"{best.box_score:.3f}  {thing:<16}  {caption}"


def counts_line(noun: str, states: Sequence[str], n_boxes: int) -> str:
    """What became of all of them."""
    parts = [f"{many(states.count('detected'), noun)} looked at"]
    if n_present := states.count("present"):
        parts.append(f"{n_present:,} already there and skipped")
    if n_unreadable := states.count("unreadable"):
        parts.append(f"{n_unreadable:,} unreadable")
    return f"\n{', '.join(parts)}; {many(n_boxes, 'box')}"

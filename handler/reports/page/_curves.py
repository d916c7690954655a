"""Curves of a calibration, drawn by hand: small squares with one line and one point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handler.reports.page._text import escaped

__all__ = ["curve", "reliability"]

SIDE, LEFT, BELOW = 220, 42, 34  # pixels of the square, and of the margins that hold its words

Points = Sequence[Sequence[Any]]


def curve(
    points: Points, *, title: str, across: str, up: str, at: tuple[float | None, float | None], chance: bool
) -> str:
    """A curve in the unit square. points: [x, y, …]. at: the point in use. chance: whether to draw the diagonal."""
    line = " ".join(f"{_x(one[0])},{_y(one[1])}" for one in points if one[0] is not None and one[1] is not None)
    parts = [_diagonal()] if chance else []
    parts.append(f'<polyline class="curve" points="{line}"/>')
    if at[0] is not None and at[1] is not None:
        parts.append(f'<circle class="dot" cx="{_x(at[0])}" cy="{_y(at[1])}" r="5"/>')
        title = f"{title}. In use: {across.lower()} {at[0]:.1%}, {up.lower()} {at[1]:.1%}"
    return _square("".join(parts), title, across, up)


def reliability(bins: Sequence[Mapping[str, Any]], *, title: str, across: str, up: str) -> str:
    """Shares that came true over the chances that were stated, with intervals."""
    parts = [_diagonal()]
    for one in bins:
        x, y, interval = one.get("probability"), one.get("share_different"), one.get("interval")
        if x is None or y is None:
            continue
        if interval:
            parts.append(
                f'<line class="whisker" x1="{_x(x)}" x2="{_x(x)}" y1="{_y(interval["low"])}" y2="{_y(interval["high"])}"/>'
            )
        parts.append(f'<circle class="dot" cx="{_x(x)}" cy="{_y(y)}" r="4"/>')
    return _square("".join(parts), title, across, up)


def _diagonal() -> str:
    return f'<line class="chance" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>'


def _square(content: str, title: str, across: str, up: str) -> str:
    ticks = "".join(
        f'<text class="tick" x="{_x(one)}" y="{_y(0) + 15}">{one:.0%}</text>'
        f'<text class="tick up" x="{LEFT - 5}" y="{_y(one) + 4}">{one:.0%}</text>'
        for one in (0, 0.5, 1)
    )
    frame = f'<rect class="frame" x="{LEFT}" y="8" width="{SIDE}" height="{SIDE}"/>'
    size = f"0 0 {LEFT + SIDE + 18} {SIDE + BELOW}"
    return (
        f'<figure class="square"><figcaption>{escaped(up)}</figcaption>'
        f'<svg viewBox="{size}" role="img" aria-label="{escaped(title)}">{frame}{ticks}{content}</svg>'
        f'<p class="note">{escaped(across)}</p></figure>'
    )


def _x(share: float) -> float:
    return round(LEFT + share * SIDE, 1)


def _y(share: float) -> float:
    return round(8 + (1 - share) * SIDE, 1)

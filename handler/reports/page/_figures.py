"""Figures and intervals in words and as small drawings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.reports.page._description import Figure
from handler.reports.page._text import escaped

__all__ = ["ABSENT", "axis_of", "difference_bar", "interval_bar", "interval_words", "method_name", "shown"]

ABSENT = "–"
_WIDTH, _HEIGHT, _MARGIN = 280, 18, 6  # pixels
_METHODS = {
    "wilson": "Wilson's score interval",
    "student-t": "Student's t",
    "delta-method": "delta method with Student's t",
    "fisher-z": "Fisher's z",
    "large-sample": "large-sample normal",
    "cluster-t": "Student's t over sessions",
    "cluster-t-logit": "Student's t over sessions, on the logit",
    "cluster-jackknife-t": "sessions left out in turn, Student's t",
    "cluster-bootstrap": "sessions resampled",
    "cluster-wilson": "Wilson's score interval, widened for sessions",
}


def shown(value: Any, form: str) -> str:
    """A figure as it is read; an en dash for one that nothing supports."""
    if value is None:
        return ABSENT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if form == "percent":
        return f"{value:.1%}"
    if form == "count":
        return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
    if form == "signed":
        return f"{value:+.2f}"
    return f"{value:.3f}"


def method_name(method: str, unit: str = "session") -> str:
    """An interval's method in words. unit: what it takes as independent."""
    return _METHODS.get(method, method).replace("sessions", f"{unit}s")


def interval_words(interval: Mapping[str, Any] | None, form: str) -> str:
    """`31.7% to 37.0%`, or an en dash."""
    if not interval:
        return ABSENT
    return f"{shown(interval['low'], form)} to {shown(interval['high'], form)}"


def axis_of(least: tuple[float, float], *values: float | None) -> tuple[float, float]:
    """The least span, widened to hold every value."""
    known = [value for value in values if value is not None]
    return min([least[0], *known]), max([least[1], *known])


def interval_bar(figure: Figure, value: float, interval: Mapping[str, Any], least: tuple[float, float]) -> str:
    """The value as a dot on its interval, on an axis whose ends are named."""
    low, high = axis_of(least, value, interval["low"], interval["high"])

    def place(one: float) -> float:
        return round(_MARGIN + (one - low) / (high - low or 1) * (_WIDTH - 2 * _MARGIN), 1)

    start, end, middle = place(interval["low"]), place(interval["high"]), _HEIGHT / 2
    label = f"{figure.label} {shown(value, figure.form)}, interval {interval_words(interval, figure.form)}"
    ends = [f"{one:.0%}" if figure.form == "percent" else f"{one:g}" for one in (round(low, 2), round(high, 2))]
    return (
        f'<span class="bar"><span aria-hidden="true">{ends[0]}</span>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escaped(label)}">'
        f'<line class="axis" x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="{middle}" y2="{middle}"/>'
        f'<rect class="range" x="{start}" width="{max(2, round(end - start, 1))}" y="{middle - 5}" height="10" rx="3"/>'
        f'<rect class="dot" x="{place(value) - 1.5}" width="3" y="{middle - 8}" height="16" rx="1"/></svg>'
        f'<span aria-hidden="true">{ends[1]}</span></span>'
    )


def difference_bar(value: float, interval: Mapping[str, Any], span: float) -> str:
    """A difference on an axis from -span to span whose middle, zero, is marked."""

    def place(one: float) -> float:
        return round(50 + max(-1.0, min(1.0, one / (span or 1))) * 46, 1)

    start, end = place(interval["low"]), place(interval["high"])
    return (
        '<svg viewBox="0 0 100 12" class="mini" aria-hidden="true">'
        '<line class="axis" x1="4" x2="96" y1="6" y2="6"/><line class="axis" x1="50" x2="50" y1="0" y2="12"/>'
        f'<rect class="range" x="{start}" width="{max(1, round(end - start, 1))}" y="3" height="6" rx="2"/>'
        f'<rect class="dot" x="{place(value) - 1}" width="2" y="1" height="10"/></svg>'
    )

"""Any small JSON document as nested lists and tables: how what other rooms add to a report is shown without knowing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handler.reports.page._text import isolated, tag

__all__ = ["nested"]

MAX_ROWS = 100
MAX_DEPTH = 6


def nested(value: Any, *, depth: int = 0) -> str:
    """Mappings as lists of terms, sequences of mappings as tables, everything else as text."""
    if depth > MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        rows = "".join(
            f"<div><dt>{isolated(_words(key))}</dt><dd>{nested(one, depth=depth + 1)}</dd></div>"
            for key, one in list(value.items())[:MAX_ROWS]
        )
        return tag("dl", rows, class_="nested") if rows else "–"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _sequence(value, depth)
    return isolated(_scalar(value))


def _sequence(value: Sequence[Any], depth: int) -> str:
    maps = [one for one in value if isinstance(one, Mapping)]
    if maps and len(maps) == len(value):
        keys = list(dict.fromkeys(key for one in maps[:MAX_ROWS] for key in one))
        names = "".join(f'<th scope="col">{isolated(_words(key))}</th>' for key in keys)
        rows = "".join(
            f"<tr>{''.join(f'<td>{nested(one.get(key), depth=depth + 1)}</td>' for key in keys)}</tr>"
            for one in maps[:MAX_ROWS]
        )
        table = f'<table class="plain"><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>'
        return tag("div", table + _more(len(value)), class_="wide", tabindex="0", role="region", aria_label="Table")
    return ", ".join(nested(one, depth=depth + 1) for one in value[:MAX_ROWS]) + _more(len(value)) or "–"


def _more(n: int) -> str:
    return f" … {n - MAX_ROWS:,} more" if n > MAX_ROWS else ""


def _words(key: Any) -> str:
    return str(key).replace("_", " ")


def _scalar(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

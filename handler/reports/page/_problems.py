"""What was skipped, what could not be read, and what was noticed on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from handler.reports._reasons import unscored, warning_words
from handler.reports.page._figures import ABSENT
from handler.reports.page._text import escaped, isolated, tag

__all__ = ["ERROR_LIMIT", "problems"]

ERROR_LIMIT = 200  # rows of errors.jsonl on the page


def problems(report: Mapping[str, Any], errors: Iterable[Mapping[str, Any]]) -> str:
    """Three parts, each of which says so when it has nothing to show."""
    return _skipped(report["metrics"]) + _unreadable(report["counts"]["n_unreadable"], errors) + _warnings(report)


def _skipped(metrics: Mapping[str, Any]) -> str:
    rows: list[str] = []
    for name, metric in metrics.items():
        rows += [
            f'<tr><th scope="row"><code>{escaped(name)}</code></th><td>{isolated(reason)}</td>'
            f'<td class="n">{n:,}</td></tr>'
            for reason, n in unscored(metric["overall"])
        ]
    if not rows:
        return "<h3>Skipped</h3><p>Nothing was skipped: every sample has a score.</p>"
    button = '<p><button type="button" id="show-unscored" hidden>Show them among all samples</button></p>'
    return f"<h3>Skipped or undecided</h3>{_table('Skipped samples', ('Metric', 'Reason', 'Samples'), rows)}{button}"


def _unreadable(n: int, errors: Iterable[Mapping[str, Any]]) -> str:
    if not n:
        return "<h3>Unreadable</h3><p>Every item of the input could be read.</p>"
    rows: list[str] = []
    for one in errors:
        if len(rows) == ERROR_LIMIT:
            break
        place = "".join(
            tag("td", ABSENT if one.get(key) is None else f"{one[key]:,}", class_="n") for key in ("line", "column")
        )
        field = "" if one.get("field") is None else f"<code>{isolated(str(one['field']))}</code>"
        rows.append(f"<tr>{place}<td>{field}</td><td>{isolated(str(one['reason']))}</td></tr>")
    more = f"<p>{n - len(rows):,} more in <code>errors.jsonl</code>.</p>" if n > len(rows) else ""
    return f"<h3>Unreadable</h3>{_table('Unreadable items', ('Line', 'Column', 'Field', 'Reason'), rows)}{more}"


def _warnings(report: Mapping[str, Any]) -> str:
    rows = [
        f'<tr><td>{isolated(warning_words(one["code"]))}</td><td class="n">{one["count"]:,}</td>'
        f"<td>{', '.join(isolated(str(example)) for example in one['examples'])}</td></tr>"
        for one in report["warnings"]
    ]
    if not rows:
        return "<h3>Warnings</h3><p>None.</p>"
    return f"<h3>Warnings</h3>{_table('Warnings', ('What', 'Times', 'For example'), rows)}"


def _table(label: str, heads: tuple[str, ...], rows: list[str]) -> str:
    numeric = {"Line", "Column", "Samples", "Times"}
    names = "".join(f'<th scope="col"{" class=n" if one in numeric else ""}>{one}</th>' for one in heads)
    body = f"<thead><tr>{names}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table class="plain">{body}</table></div>'
    )

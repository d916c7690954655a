"""A report as GitHub-flavoured Markdown: for a pull request, a job summary, an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.counting import many
from handler.reports._reasons import count_decided, unscored, warning_words
from handler.reports._terminal import noun_of
from handler.reports.page._claims import CLAIMS
from handler.reports.page._figures import ABSENT, interval_words, method_name, shown
from handler.reports.page._metrics import describe
from handler.reports.page._text import clean

__all__ = ["markdown", "plain"]

JUDGE = "judge.agreement"
MAX_SESSIONS = 20
MAX_WORST = 5
MAX_CLAIMS = 3  # of one sample
MAX_TEXT = 200  # characters of a text
_ACTS = re.compile(r"[\\`*_{}\[\]()<>#!|~&@:$^]|(?<=www)\.", re.IGNORECASE)
_APART = (
    "&#8203;"  # a zero-width space, without which GitHub would notify `@name` and link `#1` however they are escaped
)


def plain(text: str) -> str:
    """Text on one line in which nothing acts as Markdown, HTML, a mention or a reference.

    Each character that could act is written as a numeric entity, which Markdown shows as the character itself.
    """
    line = " ".join(clean(text).split())
    return _ACTS.sub(lambda found: f"&#{ord(found[0])};{_APART if found[0] in '@#' else ''}", line)


def markdown(report: Mapping[str, Any]) -> str:
    """Figures with intervals, sessions, the worst samples with both texts, what was skipped, warnings."""
    metrics, counts = report["metrics"], report["counts"]
    size = f"{many(counts['n_samples'], noun_of(metrics))} in {many(counts['n_sessions'], 'session')}"
    lost = f", {many(counts['n_unreadable'], 'item')} unreadable" if counts["n_unreadable"] else ""
    parts = [f"## scenescore: {plain(report['input']['name'])}", f"{size}{lost}.", _figures(metrics)]
    parts.append(_judge(metrics))
    parts += [_sessions(metrics), _worst(metrics), _skipped(metrics), _warnings(report["warnings"])]
    signatures = "\n".join(f"- {plain(one)}" for one in report.get("signature", {}).values())
    if signatures:
        parts.append(f"<details><summary>Signatures</summary>\n\n{signatures}\n\n</details>")
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(heads: list[str], rows: list[list[str]], numeric: set[int]) -> str:
    rule = ["---:" if place in numeric else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, rule, *rows])


def _figures(metrics: Mapping[str, Any]) -> str:
    rows = []
    for name, metric in metrics.items():
        overall = metric["overall"]
        main = describe(name, overall).main
        interval = (overall.get("intervals") or {}).get(main.key)
        method = plain(f"{interval['level']:.0%}, {method_name(interval['method'])}") if interval else ""
        figures = [f"**{shown(overall.get(main.key), main.form)}**", interval_words(interval, main.form)]
        scored = f"{count_decided(overall):,} of {overall['n_samples']:,}"
        rows.append([plain(name), plain(main.label), *figures, method, scored])
    return _table(["Metric", "Figure", "Value", "Interval", "Method", "Scored"], rows, {2, 3, 5})


def _judge(metrics: Mapping[str, Any]) -> str:
    """What an agreement means: what the best constant judge would get, kappa, and the verdict in a sentence."""
    if JUDGE not in metrics:
        return ""
    overall = metrics[JUDGE]["overall"]
    intervals, undefined = overall.get("intervals") or {}, overall.get("undefined") or {}
    rows = [
        [
            plain(one.label),
            shown(overall.get(one.key), one.form),
            interval_words(intervals.get(one.key), one.form),
            plain(str(undefined.get(one.key, ""))) if overall.get(one.key) is None else "",
        ]
        for one in describe(JUDGE, overall).figures
        if one.key in ("base_rate", "kappa")
    ]
    return f"{plain(str(overall.get('summary', '')))}\n\n" + _table(
        ["Beside it", "Value", "Interval", "Not given"], rows, {1, 2}
    )


def _sessions(metrics: Mapping[str, Any]) -> str:
    parts = []
    for name, metric in metrics.items():
        main, sessions = describe(name, metric["overall"]).main, metric["sessions"]
        if len(sessions) < 2:
            continue
        rows = [
            [
                plain(one["session_id"]),
                plain(one["assistant_id"]),
                shown(one.get(main.key), main.form),
                interval_words((one.get("intervals") or {}).get(main.key), main.form),
                f"{count_decided(one):,}",
            ]
            for one in sessions[:MAX_SESSIONS]
        ]
        heads = ["Session", "Assistant", plain(main.label), "Interval", "Scored"]
        more = f"\n\n{len(sessions) - MAX_SESSIONS:,} more in report.json." if len(sessions) > MAX_SESSIONS else ""
        title = f"<details><summary>Sessions: {plain(main.label)}</summary>"
        parts.append(f"{title}\n\n{_table(heads, rows, {2, 3, 4})}{more}\n\n</details>")
    return "\n\n".join(parts)


def _worst(metrics: Mapping[str, Any]) -> str:
    names = sorted((name for name, metric in metrics.items() if metric["worst"]), key=lambda name: name != CLAIMS)
    if not names:
        return ""
    name = names[0]
    model, person = describe(name, metrics[name]["overall"]).sides
    heads = ["Sample", "Score", model, person] + (["Claims"] if name == CLAIMS else [])
    rows = [
        [
            f"{plain(one['session_id'])} / {plain(str(one['sample_id']))}",
            shown(one["score"] if name == CLAIMS else one.get("similarity_score"), "score"),
            plain(_cut(one["answer"])),
            plain(_cut(one["references"][0] if one["references"] else "")),
            *([_claims(one.get("claims", ()))] if name == CLAIMS else []),
        ]
        for one in metrics[name]["worst"][:MAX_WORST]
    ]
    return "### Look at these first\n\n" + _table(heads, rows, {1})


def _claims(claims: Sequence[Mapping[str, Any]]) -> str:
    """`number: Three / Two`, one a line; an en dash for a side that says nothing of it."""
    return "<br>".join(
        plain(f"{one['kind']}: {_cut(one['answer']) or ABSENT} / {_cut(one['reference']) or ABSENT}")
        for one in claims[:MAX_CLAIMS]
    )


def _skipped(metrics: Mapping[str, Any]) -> str:
    lines = list(_reasons(metrics))
    return "### Skipped\n\n" + "\n".join(lines) if lines else ""


def _reasons(metrics: Mapping[str, Any]) -> Iterator[str]:
    for name, metric in metrics.items():
        for reason, n in unscored(metric["overall"]):
            yield f"- {plain(name)}: {n:,} × {plain(reason)}"


def _warnings(warnings: list[Mapping[str, Any]]) -> str:
    lines = [f"- {plain(warning_words(one['code']))}: {one['count']:,}" for one in warnings]
    return "### Warnings\n\n" + "\n".join(lines) if lines else ""


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"

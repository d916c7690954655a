"""A report as a person reads it in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from handler.counting import many
from handler.metrics import metric_class
from handler.reports._columns import COLUMNS, FIGURES, GENERAL, NOUNS, SIDES, Column
from handler.reports._reasons import reason_words, unscored, warning_words

__all__ = ["noun_of", "render"]

MAX_SESSIONS = 20
MAX_WORST = 5
MAX_CLAIMS = 3  # of one sample
WIDTH = 100  # columns
LABEL = 48  # columns of a row's name


def render(report: Mapping[str, Any]) -> str:
    """The table of sessions, the groups, the worst samples and the warnings, as plain text."""
    parts = [_head(report)]
    for name, metric in report["metrics"].items():
        parts.append(_metric(name, metric))
    parts += [part for part in (_worst(report["metrics"]), _warnings(report["warnings"])) if part]
    return "\n\n".join(parts)


def _head(report: Mapping[str, Any]) -> str:
    counts = report["counts"]
    noun = noun_of(report["metrics"])
    size = f"{many(counts['n_samples'], noun)} in {many(counts['n_sessions'], 'session')}"
    text = f"{_printable(report['input']['name'])}: {size}"
    if counts["n_unreadable"]:
        text += f", {many(counts['n_unreadable'], 'item')} unreadable (errors.jsonl)"
    if limit := report["request"].get("limit"):
        text += f" (the first {limit:,} at most)"
    if calibration := report.get("calibration"):
        of = f" of {', '.join(calibration['metrics'])}" if "metrics" in calibration else ""
        text += f", threshold{of} by calibration {calibration['fingerprint']} ({calibration['aim']})"
    if not counts["n_samples"]:
        return f"{text}. There is nothing to score."
    overall = [metric["overall"] for metric in report["metrics"].values()]
    if not any(one["n_scored"] for one in overall):
        reasons = ", ".join(f"{n:,} × {reason}" for reason, n in unscored(overall[0]) if reason != "error")
        text += f"\nNOTHING WAS SCORED: {reasons or f'every {noun} ended in an error'}."
    return text


def noun_of(metrics: Mapping[str, Any]) -> str:
    """What the input's samples are called: descriptions are of frames."""
    nouns = {NOUNS.get(name.split(".")[0], "answer") for name in metrics}
    return nouns.pop() if len(nouns) == 1 else "answer"


def _metric(name: str, metric: Mapping[str, Any]) -> str:
    columns = COLUMNS.get(name, GENERAL)
    sessions = metric["sessions"]
    rows = [{"label": _label(f"{one['session_id']} / {one['assistant_id']}"), **one} for one in sessions[:MAX_SESSIONS]]
    if len(sessions) > MAX_SESSIONS:
        rows.append({"label": f"… {len(sessions) - MAX_SESSIONS} more in report.json"})
    groups = metric["groups"]
    rows += [{"label": _label(f"{one['by']} = {one['value'] or '(none)'}"), **one} for one in groups[:MAX_SESSIONS]]
    if len(sessions) != 1 or groups:
        rows.append({"label": "all", **metric["overall"]})
    table = _table(name, [[row["label"], *_cells(row, columns)] for row in rows], [title for title, _ in columns])
    if undecided := metric["overall"].get("undecided"):
        left = ", ".join(f"{n:,} × {reason_words(reason)}" for reason, n in undecided.items())
        table = "\n".join([table, *textwrap.wrap(f"Undecided: {_printable(left)}", WIDTH)])
    if name != "judge.agreement":
        return table
    return "\n".join([table, "", *textwrap.wrap(metric["overall"]["summary"], WIDTH)])


def _label(text: str) -> str:
    text = _printable(text)
    return text if len(text) <= LABEL else f"{text[: LABEL - 1]}…"


def _cells(row: Mapping[str, Any], columns: Sequence[Column]) -> list[str]:
    return [get(row) if "n_samples" in row else "" for _, get in columns]


def _table(title: str, rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    lines = [[title, *headers], *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers) + 1)]
    out = []
    for line in lines:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        out.append("  ".join(cells).rstrip())
    out.insert(1, "-" * max(map(len, out)))
    return "\n".join(out)


def _worst(metrics: Mapping[str, Any]) -> str:
    names = [name for name, metric in metrics.items() if metric["worst"]]
    if not names:
        return ""
    name = next((name for name in names if any("claims" in one for one in metrics[name]["worst"])), names[0])
    entries = metrics[name]["worst"][:MAX_WORST]
    several = len({one["assistant_id"] for one in entries}) > 1
    shown = metric_class(name).threshold_of or name  # the score behind a verdict
    direction = "Lowest" if metric_class(shown).higher_is_better else "Highest"
    said, known = SIDES.get(name.split(".")[0], ("model", "person"))
    lines = [f"{direction} {FIGURES.get(shown, 'scores')}"]
    for one in entries:
        by = f" by {one['assistant_id']}" if several else ""
        place = _printable(f"{one['session_id']} / {one['sample_id']}{by}")
        score = one["score"] if "claims" in one else one["similarity_score"]
        lines.append(f"  {score:.3f}  {place}")
        if "question" in one:
            lines += _quoted("asked", one["question"])
        if "alignment" in one:
            lines += [f"         {_printable(line)[: WIDTH - 9]}" for line in one["alignment"]]
            continue
        if name.startswith("vbench."):
            continue
        lines += _quoted(said, one["answer"])
        lines += _quoted(known, one["references"][0] if one["references"] else "")
        lines += [_claim(claim, said, known) for claim in one.get("claims", ())[:MAX_CLAIMS]]
    return "\n".join(lines)


def _quoted(who: str, text: str) -> Iterable[str]:
    text = " ".join(_printable(text).split()) or "(empty)"
    return [f"         {who:<6}: {textwrap.shorten(text, WIDTH - 17, placeholder=' …')}"]


def _claim(claim: Mapping[str, Any], said: str, known: str) -> str:
    """`number: model "three", person "two"`; a side that says nothing of it is passed over."""
    sides = (
        f'{who} "{textwrap.shorten(_printable(words), LABEL // 2, placeholder="…")}"'
        for who, words in ((said, claim["answer"]), (known, claim["reference"]))
        if words
    )
    return f"         {claim['kind']:<6}: {', '.join(sides)}"


def _printable(text: str) -> str:
    """Text from a file, safe to print: no escape sequences, no line breaks."""
    return "".join(c if c.isprintable() else " " for c in text)


def _warnings(warnings: Sequence[Mapping[str, Any]]) -> str:
    lines = ["Warnings"] if warnings else []
    for one in warnings:
        examples = _printable(", ".join(one["examples"]))
        lines.append(f"  {_printable(warning_words(one['code']))}: {one['count']:,}, e.g. {examples}")
    return "\n".join(lines)

"""An examination as a person reads it in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.counting import many

__all__ = ["render_examination"]

WIDTH = 100  # columns


def render_examination(document: Mapping[str, Any]) -> str:
    """The table of kinds, examples of what was missed, and what the figures do not show, as plain text."""
    parts = [_head(document), _table(document), *_examples(document), _limits(document)]
    return "\n\n".join(part for part in parts if part)


def _head(document: Mapping[str, Any]) -> str:
    drawn = f"{many(document['n_examined'], 'reference')} of {many(document['n_read'], 'picture')}"
    lines = [f"{_printable(document['input'])}: {drawn} (seed {document['seed']}), {many(document['n_pairs'], 'pair')}"]
    if n := document["n_unreadable"]:
        lines.append(f"{many(n, 'item')} could not be read.")
    if n := document["n_unedited"]:
        lines.append(f"In {many(n, 'reference')} no rule found anything to change.")
    if n := document["n_without_true"]:
        lines.append(f"For {many(n, 'reference')} there is no true version, by another person or by rule: no pair.")
    n_by_rule = document["n_pairs"] - document["n_by_another"]
    lines.append(f"True versions: {document['n_by_another']:,} by another person, {n_by_rule:,} by rule.")
    lines.append("How often a metric prefers the true version to the false one; 50 % is a coin's toss.")
    return "\n".join(lines)


def _table(document: Mapping[str, Any]) -> str:
    names = list(document["signature"])
    rows = [["kind", "references", "pairs", *names]]
    for kind in document["kinds"]:
        counts = [f"{kind['n_references']:,}", f"{kind['n_pairs']:,}"]
        rows.append([_printable(kind["kind"]), *counts, *(_cell(kind["metrics"][name]) for name in names)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], *_missing(document)])


def _cell(found: Mapping[str, Any]) -> str:
    if found["preference"] is None:
        return "-"
    low, high = found["interval"]["low"], found["interval"]["high"]
    ties = f", {many(found['ties'], 'tie')}" if found["ties"] else ""
    return f"{found['preference']:.1%} ({low:.1%} to {high:.1%}{ties})"


def _missing(document: Mapping[str, Any]) -> Iterator[str]:
    yield "In brackets Wilson's 95 % interval; a tie counts as half."
    for kind in document["kinds"]:
        for name, found in kind["metrics"].items():
            if found["not_scored"]:
                reasons = ", ".join(f"{n:,} {reason.replace('_', ' ')}" for reason, n in found["not_scored"].items())
                yield f"{_printable(kind['kind'])}, not scored by {name}: {reasons}"


def _examples(document: Mapping[str, Any]) -> Iterator[str]:
    """One of each kind: what most metrics got wrong."""
    lines = []
    for kind in document["kinds"]:
        for one in kind["examples"][:1]:
            said = ", ".join(f"{name} {_outcome(one, name)}" for name in one["scores"])
            lines += [f"  {_printable(kind['kind'])}: {said}", *_quoted("person", one["reference"])]
            lines += [*_quoted("true", one["true"]), *_quoted("false", one["false"])]
    if lines:
        yield "\n".join(["Examples: of each kind the pair that most metrics got wrong, else the first", *lines])


def _outcome(example: Mapping[str, Any], name: str) -> str:
    scores = example["scores"][name]
    if scores["gain"] is None:
        return f"not scored ({scores['reason']})"
    word = {"win": "right", "tie": "tie", "loss": "wrong"}[example["preferred"][name]]
    return f"{word} ({scores['true']:.3f} true, {scores['false']:.3f} false)"


def _quoted(who: str, text: str) -> Sequence[str]:
    text = " ".join(_printable(text).split())
    shown = textwrap.shorten(text, WIDTH - 12, placeholder=" …")
    return [f"    {who:<6}: {shown if shown != '…' else f'{text[: WIDTH - 14]} …'}"]


def _limits(document: Mapping[str, Any]) -> str:
    wrapped = (textwrap.fill(one, WIDTH, initial_indent="  - ", subsequent_indent="    ") for one in document["limits"])
    return "\n".join(["What this cannot know", *wrapped])


def _printable(text: str) -> str:
    """Text from a file, safe to print: no escape sequences, no line breaks."""
    return "".join(c if c.isprintable() else " " for c in text)

"""Which form the text of a task's file has: JSON, TREC's lines, or a table."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["WANTED", "Form", "form_of", "trec_row"]

Form = Literal["json", "run", "qrels", "table"]

_RUN = re.compile(r"\S+\s+Q\d\s+\S+\s+\d+\s+[-+]?[\d.]\S*\s+\S+\s*")
_QRELS = re.compile(r"\S+\s+(?:\d+|Q0)\s+\S+\s+-?\d+\s*")
_FIELDS = {
    "run": ("query_id", "iteration", "doc_id", "rank", "score", "run"),
    "qrels": ("query_id", "iteration", "doc_id", "relevance"),
}
WANTED = {
    "run": "run has 6, query Q0 document rank score tag",
    "qrels": "qrels file has 4, query 0 document relevance",
}
_LOOKED_AT = 20  # lines


def form_of(head: str) -> Form:
    """The form by the first part of the text. Lines of which one begins with a brace are JSON Lines, one maybe broken."""
    start = head.lstrip()
    lines = [line for line in start.split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    if start.startswith(("{", "[")) or any(line.lstrip().startswith("{") for line in lines):
        return "json"
    if lines and _RUN.fullmatch(lines[0]):
        return "run"
    if lines and _QRELS.fullmatch(lines[0]):
        return "qrels"
    return "table"


def trec_row(line: str, form: Literal["run", "qrels"]) -> dict[str, str] | None:
    """A line of TREC's by field, all of them text; None when it has other than its 6 or 4 fields."""
    fields = line.split()
    names = _FIELDS[form]
    return dict(zip(names, fields, strict=True)) if len(fields) == len(names) else None

"""Which form the text of a task's file has: JSON, TREC's lines, or a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

__all__ = ["WANTED", "Form", "form_of", "trec_row"]

Form = Literal["json", "run", "qrels", "table"]

_RUN = re.compile(r"\S+\s+Q\d\s+\S+\s+\d+\s+[-+]?[\d.]\S*\s+\S+\s*")
_QRELS = re.compile(r"\S+\s+(?:\d+|Q0)\s+\S+\s+[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*")
_RUN_FIELDS = re.compile(r"\S+\s+Q\d(?:\s+\S+){4}\s*")
_QRELS_FIELDS = re.compile(r"\S+\s+(?:\d+|Q0)(?:\s+\S+){2}\s*")
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
    if _is_trec(lines, _RUN, _RUN_FIELDS):
        return "run"
    if _is_trec(lines, _QRELS, _QRELS_FIELDS):
        return "qrels"
    return "table"


def _is_trec(lines: Sequence[str], whole: re.Pattern[str], fields: re.Pattern[str]) -> bool:
    """Whether the first line is a whole one, or has the number of fields and most of the lines are whole."""
    if not lines or not fields.fullmatch(lines[0]):
        return False
    return bool(whole.fullmatch(lines[0])) or 2 * sum(bool(whole.fullmatch(line)) for line in lines) > len(lines)


def trec_row(line: str, form: Literal["run", "qrels"]) -> dict[str, str] | None:
    """A line of TREC's by field, all of them text; None when it has other than its 6 or 4 fields."""
    fields = line.split()
    names = _FIELDS[form]
    return dict(zip(names, fields, strict=True)) if len(fields) == len(names) else None

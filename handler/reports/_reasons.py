"""Why something has no score or no verdict, in the words of a person; the codes stay in the JSON files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handler.reports._columns import WORDS

__all__ = ["count_decided", "reason_words", "unscored", "warning_words", "why_undecided"]

_REASONS = {
    "missing_answer": "the model gave no answer",
    "missing_reference": "no reference to compare with",
    "empty_reference": "the reference is empty",
    "no_relevant": "nothing is relevant to the query",
    "unparsed": "the answer is neither yes nor no",
    "too_long": "the text is too long to align",
    "empty_answer": "the model said nothing",
    "no_words": "a text has no words",
    "nothing_shared": "the description shares no word with the reference",
    "truncated": "the text is longer than the model reads, and nothing is wrong in what it read",
    "language": "not English, which is all that is read here",
    "non_finite": "the model gave no finite number",
}


def reason_words(reason: str) -> str:
    """A reason in words; of `language:german` the language as well."""
    return _in_words(reason, _REASONS)


def warning_words(code: str) -> str:
    """A warning in words; of `language:german` the language as well."""
    return _in_words(code, WORDS)


def _in_words(code: str, known: Mapping[str, str]) -> str:
    name, _, more = code.partition(":")
    words = known.get(name, name.replace("_", " "))
    return f"{words} ({more})" if more else words


def why_undecided(details: Mapping[str, Any]) -> str | None:
    """Why a row of samples.jsonl has a score and yet no verdict; None where it has one, or no score."""
    if details.get("state") != "scored" or details.get("verdict") != "undecided":
        return None
    return _undecided(str(details.get("undecided", "")))


def _undecided(reason: str) -> str:
    """The verdict with its reason, as far as there is one."""
    return f"undecided: {reason_words(reason)}" if reason else "undecided"


def count_decided(overall: Mapping[str, Any]) -> int:
    """Scored samples that have a verdict as well, where the metric gives verdicts and may leave one open."""
    return int(overall["n_scored"] - (overall.get("n_undecided") or 0))


def unscored(overall: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """What a summary leaves out of its figures: the reason in words and how many, the undecided last."""
    yield from ((reason_words(reason), n) for reason, n in overall["skipped"].items())
    if overall["n_error"]:
        yield "error", overall["n_error"]
    yield from ((_undecided(reason), n) for reason, n in overall.get("undecided", {}).items())

"""A person's verdict, in whatever word it was given: does the answer say the same as what was seen?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from handler.errors import RequestError

__all__ = ["VerdictReader", "find_column", "normal"]

Verdict = Literal["same", "different"]

DEFAULT_COLUMNS = ("human_verdict", "verdict", "human_label", "human")
SAME = frozenset(
    "same ok okay true yes y 1 correct right supported support supports accurate faithful good pass passed match matches "
    "equal equivalent entailed entailment entails agree grounded consistent clean fine".split()
)
DIFFERENT = frozenset(
    "different hallucination hallucinated hallucinating false no n 0 incorrect wrong contradicted contradiction contradicts "
    "unsupported notsupported inaccurate unfaithful bad fail failed mismatch unequal notok notthesame notsame disagree "
    "ungrounded inconsistent fabricated".split()
)
OPEN = frozenset("unsure unclear skip skipped unknown na none null nan cannottell canttell undecided".split())
_SWITCHES = {"true": True, "yes": True, "y": True, "1": True, "false": False, "no": False, "n": False, "0": False}
_ABOUT_ERRORS = re.compile(
    r"^(is|has|human)?(hallucinat|error|wrong|incorrect|mismatch|contradict|different|unsupported)"
)


def normal(name: str) -> str:
    """A name or word without case, spaces, hyphens, underscores, dots and apostrophes."""
    return re.sub(r"[\s_\-.'’/]+", "", name).casefold()


def find_column(rows: Iterable[Mapping[str, Any]], wanted: str | None) -> str | None:
    """The column or tag that holds verdicts, as the rows spell it; None when none has one of the usual names.

    Raises RequestError for a wanted one that is not there.
    """
    seen: dict[str, str] = {}
    for row in rows:
        for name in (*row.get("columns", ()), *row.get("tags", ())):
            seen.setdefault(normal(name), name)
    for name in DEFAULT_COLUMNS if wanted is None else (wanted,):
        if normal(name) in seen:
            return seen[normal(name)]
    if wanted is None:
        return None
    known = ", ".join(repr(name[:60]) for name in list(seen.values())[:20]) or "none"
    raise RequestError(f"there is no column {wanted!r}", field="verdict", hint=f"Columns and tags: {known}")


class VerdictReader:
    """Reads one column's verdicts.

    column: where a column is named for the mistake (is_hallucination, wrong), true, yes and 1 mean different. words:
    further words, {word: "same" | "different"}. same_from: verdicts are grades, and this grade or more means same.
    """

    def __init__(self, column: str, *, words: Mapping[str, str] | None = None, same_from: float | None = None) -> None:
        self._column = column
        self._same_from = same_from
        self._flipped = _ABOUT_ERRORS.match(normal(column)) is not None
        self._own: dict[str, bool] = {}
        for word, meaning in (words or {}).items():
            if meaning not in ("same", "different"):
                raise RequestError(f"{word!r} must mean same or different, got {meaning!r}", field="words")
            self._own[normal(word)] = meaning == "same"

    @property
    def rule(self) -> str:
        """How the column was read, in words."""
        if self._same_from is not None:
            return f"a grade of {self._same_from:g} or more means same"
        return "true, yes and 1 mean different" if self._flipped else "true, yes and 1 mean same"

    def read(self, value: Any, place: str) -> bool | None:
        """Whether it means same; None for an empty or undecided one. Raises RequestError for a word it does not know."""
        word = normal(_word(value))
        if word in self._own:
            return self._own[word]
        if not word or word in OPEN:
            return None
        if self._same_from is not None:
            return self._grade(value, place) >= self._same_from
        if word in _SWITCHES:
            return _SWITCHES[word] != self._flipped
        if word in SAME or word in DIFFERENT:
            return word in SAME
        raise RequestError(
            f"{self._column} of {place} is {str(value)[:40]!r}, which is no verdict",
            field="verdict",
            hint="Write same or different (ok/hallucination, true/false, 1/0, correct/incorrect, supported/contradicted), "
            f"or say what it means: --word '{str(value)[:40]}=same'; for grades --same-from NUMBER",
        )

    def _grade(self, value: Any, place: str) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise RequestError(
                f"{self._column} of {place} is {str(value)[:40]!r}, not a grade",
                field="verdict",
                hint="With --same-from every verdict is a number; leave it empty where there is none",
            ) from None


def _word(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)

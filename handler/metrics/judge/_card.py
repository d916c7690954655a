"""What a judge is known by, and how its grades are to be read: the options of `judge.agreement`."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import date
from typing import Any, NamedTuple, get_args

from handler.errors import RequestError
from handler.metrics.judge._grades import fold, read_grade
from handler.samples import Grade
from handler.statistics import Level

__all__ = ["OPTIONS", "Card", "Rules", "made_card", "made_rules"]

OPTIONS = {
    "judge": "the judge's name and version, for the report's card",
    "rubric": "the text it judged by, at the terminal also a file with it; its sha256 stands in card and signature",
    "date": "when it judged, as YYYY-MM-DD",
    "level": "auto (numbers are interval, the rest nominal), nominal, ordinal or interval",
    "tolerance": "how far a number may be from people's and still agree (0)",
    "first": "the grade by which the first of two answers wins",
    "second": "the grade by which the second wins",
    "swapped": "mapped_back, or as_shown where grades of the other order still name the answer as it was shown",
}
_LEVELS = ("auto", *get_args(Level))
_MOST_NAMED = 3  # judges
_SWAPPED = ("mapped_back", "as_shown")


class Card(NamedTuple):
    """Who judged, by what rubric (sha256 of its text), and when."""

    judge: str | None
    rubric_hash: str | None
    date: str | None

    @property
    def is_complete(self) -> bool:
        """Whether a reader of the report can tell what was judged with."""
        return None not in self

    def of(self, judges: Collection[str]) -> Card:
        """The card where the files name the judges; the option, where it is given, says better."""
        several = f"{len(judges)} judges" if len(judges) > _MOST_NAMED else ", ".join(sorted(judges))
        return self._replace(judge=self.judge or several or None)


class Rules(NamedTuple):
    """How grades are read. level None: as the grades are. first, second: folded. as_shown: the judge's grades of the other
    order have to be mapped back."""

    level: Level | None = None
    tolerance: float = 0.0
    first: Grade | None = None
    second: Grade | None = None
    as_shown: bool = False

    @property
    def is_signed(self) -> bool:
        """Whether the sides are signed numbers, which order items as numbers do: 1 and -1 rather than the codes 0 and 1."""
        return isinstance(self.first, float) and isinstance(self.second, float) and self.first == -self.second

    def takes_numbers(self, *grades: Grade) -> bool:
        """Whether grades count as numbers: all are, and no option says that they are labels."""
        return self.level != "nominal" and not any(isinstance(grade, str) for grade in grades)

    def agree(self, people: Grade, judge: Grade) -> bool:
        """Whether the judge says what people say: labels are equal, numbers within the tolerance (and rounding)."""
        if isinstance(people, str) or isinstance(judge, str):
            return fold(people) == fold(judge)
        return abs(people - judge) <= self.tolerance + 1e-9

    def mapped_back(self, grade: Grade) -> Grade:
        """A grade given in the other order, in terms of the first one."""
        if not self.as_shown or self.first is None or self.second is None:
            return grade
        return {self.first: self.second, self.second: self.first}.get(fold(grade), grade)


def made_card(judge: Any, rubric: Any, day: Any) -> Card:
    """Raises RequestError for an option that is no text, or a date that is none."""
    for name, value in (("judge", judge), ("rubric", rubric), ("date", day)):
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise _refused(name, f"is {value!r}, not text")
    if day is not None:
        try:
            date.fromisoformat(day)
        except ValueError:
            raise _refused("date", f"is {day!r}: write it as 2026-01-31") from None
    return Card(judge, hashlib.sha256(rubric.encode()).hexdigest() if rubric else None, day)


def made_rules(level: Any, tolerance: Any, first: Any, second: Any, swapped: Any) -> Rules:
    """Raises RequestError for a value that an option does not have."""
    if level not in _LEVELS:
        raise _refused("level", f"is {level!r}: use one of {', '.join(_LEVELS)}")
    if swapped not in _SWAPPED:
        raise _refused("swapped", f"is {swapped!r}: use one of {', '.join(_SWAPPED)}")
    try:
        limit = float(tolerance)
    except (TypeError, ValueError):
        raise _refused("tolerance", f"is {tolerance!r}, not a number") from None
    if not 0 <= limit < float("inf"):
        raise _refused("tolerance", f"is {limit}; it must be a number >= 0")
    one, other = _side("first", first), _side("second", second)
    if (one is None) != (other is None) or (one is not None and one == other):
        raise _refused("first", "and second go together, and differ")
    if swapped == "as_shown" and one is None:
        raise _refused("swapped", "as_shown needs the options first and second")
    rules = Rules(None if level == "auto" else level, limit, one, other, swapped == "as_shown")
    return rules._replace(level="nominal") if level == "auto" and one is not None and not rules.is_signed else rules


def _side(name: str, value: Any) -> Grade | None:
    try:
        grade = read_grade(value)
    except ValueError as error:
        raise _refused(name, str(error)) from None
    return None if grade is None else fold(grade)


def _refused(name: str, reason: str) -> RequestError:
    return RequestError(f"{name} {reason}", field=f"options.judge.agreement.{name}")

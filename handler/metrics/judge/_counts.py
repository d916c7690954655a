"""The counts of a tally as figures read them, and what a set of figures gives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from handler.metrics.judge._card import Rules
from handler.metrics.judge._grades import shown
from handler.samples import Grade
from handler.statistics import Interval

__all__ = ["Counts", "Given", "Part", "Spellings"]

Given = tuple[tuple[Grade, int], ...]
"""What people gave an item: each grade with how many gave it."""


class Spellings:
    """How a label was written most often; of as frequent spellings the first by alphabet."""

    def __init__(self, spellings: Mapping[str, Mapping[str, int]]) -> None:
        self._usual = {label: _usual(written) for label, written in spellings.items()}

    def of(self, grade: Grade) -> str:
        """The grade as a person wrote it."""
        return self._usual.get(shown(grade), shown(grade))


def _usual(written: Mapping[str, int]) -> str:
    return min(written, key=lambda one: (-written[one], one))


@dataclass(frozen=True, slots=True)
class Counts:
    """level: nominal, ordinal or interval. n: items compared; n_agreed of them agree."""

    level: str
    rules: Rules
    n: int
    n_agreed: int
    spellings: Spellings

    @property
    def numeric(self) -> bool:
        """Whether grades are numbers rather than labels."""
        return self.level != "nominal"

    def grade(self, value: Grade) -> Grade:
        """The grade as the level has it: among labels, numbers are words."""
        return value if self.numeric else shown(value)

    def read(self, counted: Mapping[str, int]) -> Counter[tuple[Any, ...]]:
        """The counts with their keys read."""
        found: Counter[tuple[Any, ...]] = Counter()
        for key, times in counted.items():
            found[tuple(json.loads(key))] += times
        return found

    def grades(self, counted: Mapping[tuple[Any, ...], int], *places: int) -> Counter[tuple[Any, ...]]:
        """How often the grades at some places of the keys came together."""
        found: Counter[tuple[Any, ...]] = Counter()
        for key, times in counted.items():
            found[tuple(self.grade(key[place]) for place in places)] += times
        return found

    def rated(self, counted: Mapping[str, int]) -> dict[tuple[Grade | None, Given], int]:
        """{(the judge's grade or None, people's grades): items}, from keys as `JudgeTally.rated` has them."""
        found: Counter[tuple[Grade | None, Given]] = Counter()
        for key, times in counted.items():
            judge, *parts = json.loads(key)
            people: Counter[Grade] = Counter()
            for grade, count in zip(parts[::2], parts[1::2], strict=True):
                people[self.grade(grade)] += int(count)
            found[None if judge is None else self.grade(judge), tuple(people.items())] += times
        return found

    def sorted(self, grades: Iterable[Grade]) -> list[Grade]:
        """Numbers by size, labels by alphabet."""
        return sorted(set(grades), key=lambda one: (0.0, one) if isinstance(one, str) else (one, ""))


@dataclass(slots=True)
class Part:
    """A part of the summary: figures, why some are None, and intervals by the figure's name."""

    figures: dict[str, Any] = field(default_factory=dict)
    undefined: dict[str, str] = field(default_factory=dict)
    intervals: dict[str, Any] = field(default_factory=dict)

    def put(self, name: str, value: Any, reason: str) -> None:
        """A figure, or why there is none."""
        self.figures[name] = value
        if value is None:
            self.undefined[name] = reason

    def put_interval(self, name: str, interval: Interval | None, reason: str | None = None) -> None:
        """An interval, or why there is none."""
        self.intervals[name] = interval._asdict() if interval else None
        if interval is None and reason:
            self.undefined[f"intervals.{name}"] = reason

"""The rows of samples.jsonl as columns, small enough for one page."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from handler.counting import many
from handler.errors import InputError
from handler.reports._folder import SAMPLES, load_sample
from handler.reports._reasons import reason_words, why_undecided
from handler.reports.page._claims import CLAIMS, ClaimColumn
from handler.reports.page._description import Description
from handler.reports.page._text import clean

__all__ = ["LIMIT", "MAX_TAGS", "SEED", "Frames", "as_text"]

LIMIT = 50_000  # rows a page holds: about 4 MB of it
SEED = 0
MAX_TAGS = 8  # tags with a column of their own
MAX_LABEL = 160  # characters of a name or of a piece of evidence

Codes = dict[str, Any]


class _Coded:
    """A column of texts: each distinct one once, and its place per row; -1 where the row has none."""

    def __init__(self, n_before: int = 0) -> None:
        self._places: dict[str, int] = {}
        self.codes = [-1] * n_before

    def add(self, text: str | None) -> None:
        self.codes.append(-1 if text is None else self._places.setdefault(text, len(self._places)))

    def document(self) -> Codes:
        return {"names": list(self._places), "codes": self.codes}


class _Scores:
    """A metric's column: the figure per row, and why where there is none."""

    def __init__(self, name: str, description: Description) -> None:
        self._name = name
        self._key = description.score.key
        self._wanted = description.evidence or {}
        self.scores: list[float | None] = []
        self._why: dict[int, int] = {}
        self._reasons: dict[str, int] = {}
        self._evidence = {key: _Coded() for key in self._wanted}

    def add(self, row: Mapping[str, Any]) -> None:
        details = row["metrics"].get(self._name, {})
        is_decided = details.get("state", "skipped") == "scored" and why_undecided(details) is None
        if not is_decided:
            reason = clean(_why(details))[:MAX_LABEL]
            self._why[len(self.scores)] = self._reasons.setdefault(reason, len(self._reasons))
        self.scores.append(details.get(self._key) if is_decided else None)
        for key, column in self._evidence.items():
            column.add(as_text(details[key]) if details.get(key) is not None else None)

    def document(self) -> dict[str, Any]:
        evidence = [
            {"label": self._wanted[key], **column.document()}
            for key, column in self._evidence.items()
            if any(code >= 0 for code in column.codes)
        ]
        why = [list(self._why), list(self._why.values())]
        return {"scores": self.scores, "why": why, "reasons": list(self._reasons), "evidence": evidence}


def _why(details: Mapping[str, Any]) -> str:
    if "error" in details:
        return f"error: {details['error']}"
    return why_undecided(details) or reason_words(str(details.get("skipped", "not measured")))


class Frames:
    """Columns of at most LIMIT rows, drawn at random where there are more, and whole rows of those asked for by index."""

    def __init__(self, lines: Iterable[bytes], *, n: int, metrics: Mapping[str, Description], keep: set[int]) -> None:
        self.n_total = n
        self.kept: dict[int, dict[str, Any]] = {}
        self._index: list[int] = []
        self._ids: list[str] = []
        self._session, self._assistant = _Coded(), _Coded()
        self._tags: dict[str, _Coded] = {}
        self._scores = {name: _Scores(name, description) for name, description in metrics.items()}
        self._claims = ClaimColumn() if CLAIMS in metrics else None
        drawn = None if n <= LIMIT else set(random.Random(SEED).sample(range(n), LIMIT))  # noqa: S311 - no secret
        for place, line in enumerate(lines):
            is_drawn = drawn is None or place in drawn
            if is_drawn or place in keep:
                row = load_sample(line, place + 1)
                if place in keep:
                    self.kept[place] = row
                if is_drawn:
                    self._add(row)
        if len(self) != min(n, LIMIT):
            raise InputError(
                f"{many(len(self), 'row')} found where the report counts {min(n, LIMIT):,}",
                file=SAMPLES,
                hint="The result is damaged: evaluate again with --force",
            )

    def __len__(self) -> int:
        return len(self._index)

    @property
    def is_sampled(self) -> bool:
        """Whether rows were left out."""
        return self.n_total > LIMIT

    def document(self) -> dict[str, Any]:
        """The columns as plain JSON. A metric whose scores are those of an earlier one has their position in `as`."""
        metrics: list[dict[str, Any]] = []
        known: list[list[float | None]] = []
        for column in self._scores.values():
            found = column.document()
            if column.scores in known:
                found |= {"scores": None, "as": known.index(column.scores)}
            known.append(column.scores)
            metrics.append(found)
        return {
            "n": len(self),
            "total": self.n_total,
            "index": self._index if self.is_sampled else None,
            "ids": self._ids,
            "session": self._session.document(),
            "assistant": self._assistant.document(),
            "tags": [{"name": clean(name)[:MAX_LABEL], **column.document()} for name, column in self._tags.items()],
            "metrics": metrics,
            "claims": self._claims.document() if self._claims else None,
        }

    def _add(self, row: Mapping[str, Any]) -> None:
        for name in row["tags"]:
            if name not in self._tags and len(self._tags) < MAX_TAGS:
                self._tags[name] = _Coded(len(self))
        for name, column in self._tags.items():
            column.add(as_text(row["tags"][name]) if row["tags"].get(name) is not None else None)
        if self._claims:
            self._claims.add(len(self), row)
        self._index.append(row["index"])
        self._ids.append(clean(row["sample_id"])[:MAX_LABEL])
        self._session.add(clean(row["session_id"]))
        self._assistant.add(clean(row["assistant_id"]))
        for scores in self._scores.values():
            scores.add(row)


def as_text(value: Any) -> str:
    """A value of a row in a few words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return clean(", ".join([as_text(one) for one in value]))[:MAX_LABEL]
    if isinstance(value, dict):
        return clean("; ".join(f"{key}: {as_text(one)}" for key, one in value.items()))[:MAX_LABEL]
    return clean(value if isinstance(value, str) else str(value))[:MAX_LABEL]

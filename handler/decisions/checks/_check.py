"""One thing that was checked."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["Check", "Outcome"]

Outcome = Literal["passed", "open", "failed"]


class Check(NamedTuple):
    """group: what it belongs to, e.g. the metric. outcome: `open` passes, but nothing is settled. reason: one line."""

    group: str
    name: str
    outcome: Outcome
    reason: str

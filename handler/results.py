"""The records that flow out of a metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["MetricResult", "State"]

State = Literal["scored", "skipped", "error"]


@dataclass(slots=True)
class MetricResult:
    """The result of one metric on one sample or on a whole set.

    score: a finite number in the metric's range; None when skipped or in error. Never NaN, never a default.
    details: what the score rests on. `details["skipped"]` or `details["error"]` holds the reason when score is None.
    """

    name: str
    score: float | None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> State:
        """`scored`, `skipped` or `error`, derived from score and details."""
        if self.score is not None:
            return "scored"
        return "error" if "error" in self.details else "skipped"

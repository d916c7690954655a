"""What the VBench metrics remember of many videos: exact sums, whatever the order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

from handler.counting import many
from handler.metrics._base import Tally
from handler.statistics import mean_interval

__all__ = ["UNSEEN", "VideoTally"]

UNSEEN = ("no_detections", "object_not_seen", "no_color_named")  # why a video may have nothing to score
Sum = list[float]  # floats whose exact sum is the sum: Shewchuk's non-overlapping partials


class VideoTally(Tally):
    """Scores of videos, and counts of frames.

    by_frames: the dimension's score is that of all frames together, as VBench has it for all but colour; else it is the
    mean of the videos' scores. counted: names of the counts in a result's details.
    """

    fields = ("total", "weight", "scores", "squares", "sums")

    def __init__(self, *, counted: Sequence[str] = (), by_frames: bool = False) -> None:
        super().__init__()
        self._counted = (*counted, "n_unseen")
        self._by_frames = by_frames
        self.total: Sum = []
        self.weight = 0
        self.scores: Sum = []
        self.squares: Sum = []
        self.sums: dict[str, int] = {}

    def summary(self) -> dict[str, Any]:
        """score (of the dimension, with an interval), score_unseen_as_zero (videos in which there was nothing to score
        count as 0), n_unseen (how many those are), and the sums of the frame counts."""
        n_left_out = sum(self.skipped[reason] for reason in UNSEEN)
        total = math.fsum(self.total)
        score = total / self.weight if self.weight else None
        weight = self.weight + n_left_out * (self.weight / self.n_scored if self._by_frames and self.n_scored else 1)
        return {
            "score": score,
            "score_unseen_as_zero": total / weight if weight else None,
            **{name: self.sums.get(name, 0) for name in self._counted},
            "n_unseen": self.sums.get("n_unseen", 0) + n_left_out,
            "summary": f"The score is {score:.1%} over {many(self.n_scored, 'video')}."
            if score is not None
            else "There is nothing to average: no video was scored.",
            **self.counts(),
            "intervals": {"score": self._interval(score)},
        }

    def _interval(self, score: float | None) -> dict[str, Any] | None:
        n = self.n_scored
        if score is None or n < 2:
            return None
        mean = math.fsum(self.scores) / n
        squares = max(0.0, math.fsum([*self.squares, *(-mean * part for part in self.scores)]))
        found = mean_interval(score, math.sqrt(squares / (n - 1)), n)
        return (
            found._replace(low=max(0.0, found.low), high=max(score, min(1.0, found.high)))._asdict() if found else None
        )

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        self.weight += details["n_frames"] if self._by_frames else 1
        _add(self.total, _right_frames(details) if self._by_frames else score)
        _add(self.scores, score)
        _add(self.squares, score * score)
        self._count({**details, "n_unseen": int("unseen" in details)})

    def _count(self, details: Mapping[str, Any]) -> None:
        for name in self._counted:
            self.sums[name] = self.sums.get(name, 0) + details.get(name, 0)

    def _merge_scores(self, other: Self) -> None:
        self.weight += other.weight
        for mine, theirs in ((self.total, other.total), (self.scores, other.scores), (self.squares, other.squares)):
            for part in theirs:
                _add(mine, part)
        self.sums = dict(Counter(self.sums) + Counter(other.sums))


def _right_frames(details: Mapping[str, Any]) -> float:
    return math.fsum(details["frame_scores"]) if "frame_scores" in details else details["n_frames_right"]


def _add(parts: Sum, number: float) -> None:
    """Grow the partials by a number without rounding (J. R. Shewchuk, Adaptive Precision Floating-Point, 1997)."""
    kept = 0
    for part in parts:
        high, low = (number, part) if abs(number) >= abs(part) else (part, number)
        number = high + low
        lost = low - (number - high)
        if lost:
            parts[kept] = lost
            kept += 1
    parts[kept:] = [number]

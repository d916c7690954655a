"""How often a metric prefers the true version of a pair, with its interval."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from handler.statistics import wilson_interval

__all__ = ["TIE", "Preference"]

TIE = 1e-6  # scores closer than this are equal, as in a comparison of results


@dataclass
class Preference:
    """Pairs of one kind under one metric. not_scored: {reason: n} of pairs of which either version has no score."""

    wins: int = 0
    ties: int = 0
    losses: int = 0
    not_scored: Counter[str] = field(default_factory=Counter)

    def add(self, gain: float) -> str:
        """Count a pair. gain: how much better the true version scores. Returns win, tie or loss."""
        if abs(gain) <= TIE:
            self.ties += 1
            return "tie"
        if gain > 0:
            self.wins += 1
            return "win"
        self.losses += 1
        return "loss"

    def document(self) -> dict[str, Any]:
        """n (pairs scored), wins, ties, losses, preference 0..1 (a tie is half a win), its interval, not_scored.

        interval: Wilson's at 95 %; where halves leave no whole number of wins, from the low end of the number below to the
        high end of the one above. preference and interval are None where no pair was scored.
        """
        n = self.wins + self.ties + self.losses
        won = self.wins + self.ties / 2
        low, high = wilson_interval(math.floor(won), n), wilson_interval(math.ceil(won), n)
        interval = low._replace(high=high.high)._asdict() if low and high else None
        return {
            "n": n,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "preference": won / n if n else None,
            "interval": interval,
            "not_scored": dict(sorted(self.not_scored.items())),
        }

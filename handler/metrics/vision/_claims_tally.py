"""How many frames of a slice are contradicted, by which kinds of claims, and how many cannot be decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

from handler.claims import Kind
from handler.counting import many
from handler.metrics._base import Tally
from handler.statistics import wilson_interval

__all__ = ["ClaimsTally"]

MOST_NAMED = 3  # kinds that the sentence names


class ClaimsTally(Tally):
    """The share of frames contradicted, among those that can be decided."""

    fields = ("n_contradicted", "n_unnamed", "undecided", "kinds")

    def __init__(self, threshold: float, *, source: str | None = None) -> None:
        super().__init__()
        self._threshold = threshold
        self._source = source
        self.n_contradicted = 0
        self.n_unnamed = 0
        self.undecided: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def summary(self) -> dict[str, Any]:
        """The figures of the slice.

        rate: contradicted frames among the decided ones, with its Wilson interval. n_decided, n_contradicted, n_undecided;
        undecided: {reason: n}. kinds: contradicted frames with a claim of each kind (a frame may have several);
        kind_rates: their share of the decided frames. n_unnamed: contradicted frames of which no claim names the words.
        """
        n_undecided = self.undecided.total()
        n = self.n_scored - n_undecided
        rates = {kind.value: self.kinds[kind.value] / n if n else None for kind in Kind}
        intervals = {"rate": wilson_interval(self.n_contradicted, n)}
        intervals |= {
            f"kind_rates.{kind}": wilson_interval(self.kinds[kind], n) for kind, rate in rates.items() if rate
        }
        return {
            "rate": self.n_contradicted / n if n else None,
            "n_contradicted": self.n_contradicted,
            "n_decided": n,
            "n_undecided": n_undecided,
            "undecided": dict(sorted(self.undecided.items())),
            "kinds": {kind.value: self.kinds[kind.value] for kind in Kind},
            "kind_rates": rates,
            "n_unnamed": self.n_unnamed,
            "threshold": self._threshold,
            **({"threshold_source": self._source} if self._source else {}),
            "summary": self._sentence(n, n_undecided),
            **self.counts(),
            "intervals": {name: one._asdict() if one else None for name, one in intervals.items()},
        }

    def state(self) -> dict[str, Any]:
        """Plain JSON from which `restore` makes an equal tally."""
        return {**super().state(), "undecided": dict(self.undecided), "kinds": dict(self.kinds)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a saved state."""
        super().restore(state)
        self.undecided, self.kinds = Counter(state["undecided"]), Counter(state["kinds"])

    def _sentence(self, n: int, n_undecided: int) -> str:
        if not self.n_scored:
            return "There is nothing to count: no frame was scored."
        if not n:
            return f"0 of {many(n_undecided, 'frame')} can be decided."
        said = f"The descriptions contradict what people saw in {self.n_contradicted} of {many(n, 'frame')} "
        said += f"({self.n_contradicted / n:.0%})"
        most = sorted(self.kinds.items(), key=lambda one: (-one[1], one[0]))[:MOST_NAMED]
        said += f", most often in: {', '.join(f'{kind} ({times})' for kind, times in most)}." if most else "."
        return f"{said} {n_undecided} more cannot be decided." if n_undecided else said

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        if "undecided" in details:
            self.undecided[details["undecided"]] += 1
        elif details["is_contradicted"]:
            kinds = {claim["kind"] for claim in details["claims"]}
            self.n_contradicted += 1
            self.n_unnamed += not kinds
            self.kinds.update(kinds)

    def _merge_scores(self, other: Self) -> None:
        self.n_contradicted += other.n_contradicted
        self.n_unnamed += other.n_unnamed
        self.undecided.update(other.undecided)
        self.kinds.update(other.kinds)

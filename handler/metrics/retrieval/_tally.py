"""Sums over queries that no order of queries can change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

from handler.counting import many
from handler.metrics._base import Tally
from handler.statistics import mean_interval, wilson_interval

__all__ = ["RankingTally", "figure_names"]

_UNIT = 1 << 128
"""A figure is counted in these parts of 1, exactly from 2**-75 on: integers add up the same in any order."""


def figure_names(cutoffs: Sequence[int]) -> list[str]:
    """The names of the figures of one query; the reciprocal rank is its score."""
    families = ("recall", "hit_rate", "precision", "ndcg")
    return ["average_precision", *(f"{family}@{k}" for family in families for k in cutoffs)]


class RankingTally(Tally):
    """Per figure the sum and the sum of squares, as whole numbers, which a state holds as text."""

    fields = ("n_unanswered", "n_tied_queries")

    def __init__(self, cutoffs: Sequence[int]) -> None:
        super().__init__()
        self._cutoffs = cutoffs
        self._sums = dict.fromkeys(("mrr", *figure_names(cutoffs)), (0, 0))
        self.n_unanswered = self.n_tied_queries = 0

    def summary(self) -> dict[str, Any]:
        """mrr, map, and recall@k, hit_rate@k, precision@k, ndcg@k per cut-off, with intervals; n_unanswered: queries
        that were not run and count 0; n_tied_queries: those whose figures hang on the rule for ties."""
        names = {name: "map" if name == "average_precision" else name for name in self._sums}
        figures = {shown: self._mean(name) for name, shown in names.items()}
        return {
            **figures,
            "cutoffs": list(self._cutoffs),
            "n_unanswered": self.n_unanswered,
            "n_tied_queries": self.n_tied_queries,
            "summary": self._in_words(figures),
            **self.counts(),
            "intervals": {shown: self._interval(name) for name, shown in names.items()},
        }

    def state(self) -> dict[str, Any]:
        """Plain JSON; the sums as text, since they outgrow 64 bits."""
        return {**super().state(), "sums": {name: [str(one) for one in sums] for name, sums in self._sums.items()}}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a saved state."""
        super().restore(state)
        self._sums = {name: (int(total), int(squares)) for name, (total, squares) in state["sums"].items()}

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        for name, (total, squares) in self._sums.items():
            parts = round((score if name == "mrr" else details[name]) * _UNIT)
            self._sums[name] = (total + parts, squares + parts * parts)
        warnings = details.get("warnings", ())
        self.n_unanswered += "query_not_run" in warnings
        self.n_tied_queries += "ties" in warnings

    def _merge_scores(self, other: Self) -> None:
        for name, (total, squares) in other._sums.items():
            mine = self._sums[name]
            self._sums[name] = (mine[0] + total, mine[1] + squares)
        self.n_unanswered += other.n_unanswered
        self.n_tied_queries += other.n_tied_queries

    def _mean(self, name: str) -> float | None:
        return self._sums[name][0] / (_UNIT * self.n_scored) if self.n_scored else None

    def _interval(self, name: str) -> dict[str, Any] | None:
        n, (total, squares) = self.n_scored, self._sums[name]
        if n < 2:
            return None
        if name.startswith("hit_rate"):
            found = wilson_interval(total // _UNIT, n)
        else:
            variance = Fraction(squares * n - total * total, n * (n - 1) * _UNIT * _UNIT)
            found = mean_interval(total / (_UNIT * n), math.sqrt(variance), n)
        return found._replace(low=max(0.0, found.low), high=min(1.0, found.high))._asdict() if found else None

    def _in_words(self, figures: Mapping[str, float | None]) -> str:
        k = self._cutoffs[-1]
        found, share = figures[f"hit_rate@{k}"], figures[f"recall@{k}"]
        if found is None or share is None:
            return "There is nothing to average: no query has something relevant."
        return (
            f"{found:.0%} of {many(self.n_scored, 'query')} find something relevant among the first {k}, and on average "
            f"{share:.0%} of all that is relevant."
        )

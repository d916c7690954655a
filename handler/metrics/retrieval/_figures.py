"""The figures of one ranking, on the grades of its documents in order: 0 for what is not relevant or not judged."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handler.errors import RequestError

__all__ = ["checked_cutoff", "dcg", "hit", "ndcg", "precision", "precision_average", "recall", "reciprocal"]

Grades = Sequence[int]


def checked_cutoff(k: object) -> int:
    """A cut-off is a whole number from 1 on. Raises RequestError for anything else."""
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise RequestError(
            f"k is {k!r}",
            field="k",
            hint="A cut-off is a whole number from 1 on: how many of the first documents count",
        )
    return k


def recall(grades: Grades, n_relevant: int, k: int) -> float:
    """The share of all relevant documents that is among the first k."""
    return _n_hits(grades, k) / n_relevant


def hit(grades: Grades, k: int) -> float:
    """1 when a relevant document is among the first k, else 0."""
    return float(_n_hits(grades, k) > 0)


def precision(grades: Grades, k: int) -> float:
    """The share of the first k that is relevant; places beyond a shorter ranking count as not relevant."""
    return _n_hits(grades, k) / k


def reciprocal(grades: Grades) -> float:
    """1 / the rank of the first relevant document; 0 when there is none."""
    return next((1 / rank for rank, grade in enumerate(grades, 1) if grade > 0), 0.0)


def precision_average(grades: Grades, n_relevant: int) -> float:
    """Average precision: the precision at the rank of each relevant document, 0 for those not retrieved, averaged."""
    ranks = (rank for rank, grade in enumerate(grades, 1) if grade > 0)
    return math.fsum(n / rank for n, rank in enumerate(ranks, 1)) / n_relevant


def ndcg(grades: Grades, ideal: Grades, k: int) -> float:
    """DCG at k over that of the ideal ranking. ideal: the grades of all relevant documents, the highest first."""
    return dcg(grades, k) / dcg(ideal, k)


def dcg(grades: Grades, k: int) -> float:
    """Grades divided by log2(rank + 1), summed over the first k: linear gains (Järvelin and Kekäläinen 2002)."""
    return math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades[:k], 1) if grade > 0)


def _n_hits(grades: Grades, k: int) -> int:
    return sum(grade > 0 for grade in grades[:k])

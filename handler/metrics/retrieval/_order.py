"""The order of what a query retrieved: by score, ties by a stated rule, each document once."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

__all__ = ["UNSTABLE", "Order", "TieRule", "put_in_order"]

TieRule = Literal["file", "descending_id"]
UNSTABLE = 16  # documents from which on the sort that ranx uses no longer keeps tied documents in their order

Scored = tuple[str, float]


class Order(NamedTuple):
    """documents: each once, the best first. n_tied: those that share their score with another. open_tie: whether
    documents of different grades are tied, so that the figures hang on the rule. n_dropped: repeated documents."""

    documents: tuple[str, ...]
    n_tied: int
    open_tie: bool
    n_dropped: int


def put_in_order(
    ranked: Sequence[str], scores: Sequence[float], grades: Mapping[str, int], *, ties: TieRule = "file"
) -> Order:
    """By score, the highest first; without scores as given, which leaves nothing tied.

    ties: "file" keeps the given order. "descending_id" is that of trec_eval 9 and of what is built on it: scores are
    single-precision numbers, and of equal ones the greater document id comes first. A document that comes again counts
    where it stands first; the documents after it move up.
    """
    if not scores:
        documents = tuple(dict.fromkeys(ranked))
        return Order(documents, 0, open_tie=False, n_dropped=len(ranked) - len(documents))
    if ties == "descending_id":
        pairs = sorted(zip(ranked, array("f", scores), strict=True), reverse=True)
    else:
        pairs = list(zip(ranked, scores, strict=True))
    pairs.sort(key=_score, reverse=True)  # stable, in reverse too
    first: dict[str, float] = {}
    for document, score in pairs:
        first.setdefault(document, score)
    groups = [[document for document, _ in tied] for _, tied in itertools.groupby(first.items(), key=_score)]
    return Order(
        documents=tuple(first),
        n_tied=sum(len(tied) for tied in groups if len(tied) > 1),
        open_tie=any(len({max(grades.get(one, 0), 0) for one in tied}) > 1 for tied in groups if len(tied) > 1),
        n_dropped=len(ranked) - len(first),
    )


def _score(pair: Scored) -> float:
    return pair[1]

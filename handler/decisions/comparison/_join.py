"""Which row of one result is about the same sample as which row of another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matched", "match"]

Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class Matched(NamedTuple):
    """Row numbers. baseline, candidate: (pairs,), in the baseline's order. only_baseline, only_candidate: rows whose key
    the other side does not have. n_ambiguous: rows of both sides whose key comes unequally often on them.
    n_repeated: pairs whose key comes several times, joined in order."""

    baseline: Integers
    candidate: Integers
    only_baseline: Integers
    only_candidate: Integers
    n_ambiguous: int
    n_repeated: int


def match(baseline: Hashes, candidate: Hashes) -> Matched:
    """Join by key. A key that comes equally often on both sides is joined in order of rows, the first with the first; one
    that comes unequally often is left out, for nothing says which row belongs to which."""
    one, other = _grouped(baseline), _grouped(candidate)
    _, at_one, at_other = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
    equal = one.counts[at_one] == other.counts[at_other]
    counts = one.counts[at_one][equal]
    rank = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    rows_one = one.order[np.repeat(one.starts[at_one][equal], counts) + rank]
    rows_other = other.order[np.repeat(other.starts[at_other][equal], counts) + rank]
    in_order = np.argsort(rows_one)
    n_ambiguous = int(one.counts[at_one][~equal].sum() + other.counts[at_other][~equal].sum())
    return Matched(
        rows_one[in_order],
        rows_other[in_order],
        _alone(one, at_one),
        _alone(other, at_other),
        n_ambiguous,
        int(counts[counts > 1].sum()),
    )


class _Grouped(NamedTuple):
    keys: Hashes
    starts: Integers
    counts: Integers
    order: Integers


def _grouped(keys: Hashes) -> _Grouped:
    order = np.argsort(keys, kind="stable")
    distinct, starts, counts = np.unique(keys[order], return_index=True, return_counts=True)
    return _Grouped(distinct, starts, counts, order)


def _alone(side: _Grouped, common: Integers) -> Integers:
    alone = np.ones(len(side.keys), np.bool_)
    alone[common] = False
    rows: Integers = np.sort(side.order[np.repeat(alone, side.counts)])
    return rows

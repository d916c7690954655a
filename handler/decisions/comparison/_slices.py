"""Where a difference lies: the same test for every camera, assistant or other slice of the joined samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.decisions.comparison._paired import Tested, paired, tested
from handler.decisions.comparison._rows import FIELDS, MAX_NAMES, Columns
from handler.errors import RequestError

__all__ = ["FEWEST_SAMPLES", "Slice", "slice_fields", "slices_of", "within_one_cluster"]

FEWEST_SAMPLES = 10  # in a slice; smaller ones are not tested, for they would cost the others power and show nothing
MOST_VALUES = 50  # of a field that is sliced unasked

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Slice(NamedTuple):
    """The samples of one value of a field, tested. n_samples: pairs scored on both sides."""

    by: str
    value: str
    n_samples: int
    values: tuple[float | None, float | None]
    tested: Tested


def slice_fields(columns: Columns, rows: Integers, wanted: Sequence[str], clusters: Integers) -> list[str]:
    """The fields to slice by: those asked for, else every tag, the session and the assistant, where they part the joined
    rows into 2 to 50. Two fields that part them alike count once, and one that parts them as clusters do is left out:
    nothing within one independent unit tells a difference of the sides from what happened in that unit.

    clusters: (pairs,) numbers of the independent units. Raises RequestError for a field that no row has."""
    for name in wanted:
        if not columns.known(name, "group_by").is_complete:
            raise RequestError(f"{name!r} has more than {MAX_NAMES} values", field="group_by", hint="Use a coarser one")
    tags = [name for name in columns.fields if name not in FIELDS]
    kept: list[str] = []
    partitions = {_codes(clusters).tobytes()}
    for name in wanted or [*tags, "session_id", "assistant_id"]:
        values = columns.fields[name]
        if not values.is_complete:
            continue
        codes = _codes(values.array()[rows])
        n_values = int(codes.max(initial=-1)) + 1
        if not wanted and (not 2 <= n_values <= MOST_VALUES or codes.tobytes() in partitions):
            continue
        partitions.add(codes.tobytes())
        kept.append(name)
    return kept


def slices_of(
    columns: Columns,
    rows: Integers,
    fields: Sequence[str],
    baseline: Floats,
    candidate: Floats,
    clusters: Integers,
    *,
    n_tests: int,
    of_one_cluster: bool,
) -> Iterator[Slice]:
    """Each slice with enough samples, tested. rows: the baseline's, of the pairs; baseline, candidate: (pairs, 2).
    of_one_cluster: also those within one independent unit, whose samples are then taken as independent."""
    for by in fields:
        values = columns.fields[by]
        hashes = values.array()[rows]
        for hashed, word in sorted(values.names.items(), key=lambda one: one[1]):
            chosen = hashes == hashed
            n = int(chosen.sum())
            if n >= FEWEST_SAMPLES and (of_one_cluster or np.ptp(clusters[chosen])):
                one = paired(baseline[chosen], candidate[chosen], clusters[chosen])
                yield Slice(by, word, n, one.values, tested(one, n_tests=n_tests))


def within_one_cluster(
    columns: Columns, rows: Integers, fields: Sequence[str], clusters: Integers
) -> list[tuple[str, str]]:
    """The slices, (field, value), with enough samples that are all of one independent unit."""
    found = []
    for by in fields:
        values = columns.fields[by]
        hashes = values.array()[rows]
        for hashed, word in values.names.items():
            within = clusters[hashes == hashed]
            if len(within) >= FEWEST_SAMPLES and not np.ptp(within):
                found.append((by, word))
    return sorted(found)


def _codes(hashes: NDArray[Any]) -> NDArray[np.int32]:
    """Numbers by first appearance, so that equal partitions have equal codes."""
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[inverse]

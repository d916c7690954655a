"""A candidate's rows beside the baseline's, and what could not be put beside anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.decisions.comparison._figures import Figure
from handler.decisions.comparison._join import Matched, match
from handler.decisions.comparison._rows import Columns, read_columns, rows_at
from handler.errors import InputError

__all__ = ["N_SHOWN", "Pairing", "Scored", "pair_up"]

N_SHOWN = 10  # samples named in a list

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Scored(NamedTuple):
    """The pairs that a figure has on both sides. places: their numbers among the pairs. baseline, candidate: (n, 2).
    n_baseline_only, n_candidate_only: pairs with a value on one side alone."""

    places: Integers
    baseline: Floats
    candidate: Floats
    n_baseline_only: int
    n_candidate_only: int


class Pairing(NamedTuple):
    """names: of baseline and candidate. clusters: (pairs,) numbers of sessions."""

    names: tuple[str, str]
    baseline: Columns
    candidate: Columns
    matched: Matched
    clusters: Integers

    def scored(self, figure: Figure) -> Scored:
        """The values of a figure."""
        one = self.baseline.scores(figure)[self.matched.baseline]
        other = self.candidate.scores(figure)[self.matched.candidate]
        there = np.isfinite(one[:, 0]), np.isfinite(other[:, 0])
        places = np.flatnonzero(there[0] & there[1])
        only = int((there[0] & ~there[1]).sum()), int((~there[0] & there[1]).sum())
        return Scored(places, one[places], other[places], *only)

    def document(self) -> dict[str, Any]:
        """What was joined, and the first of what was not."""
        matched = self.matched
        return {
            "candidate": self.names[1],
            "n_matched": len(matched.baseline),
            "n_repeated": matched.n_repeated,
            "n_ambiguous": matched.n_ambiguous,
            "n_only_baseline": len(matched.only_baseline),
            "n_only_candidate": len(matched.only_candidate),
            "only_baseline": _named(self.baseline, matched.only_baseline),
            "only_candidate": _named(self.candidate, matched.only_candidate),
        }


def pair_up(
    baseline: Columns, candidate: Columns, *, names: tuple[str, str], on: Sequence[str], cluster_by: str
) -> Pairing:
    """Join two sides. Raises InputError where no sample is on both, RequestError for a field that no row has."""
    for name in on:
        for side in (baseline, candidate):
            side.known(name, "on")
    matched = match(baseline.keys(), candidate.keys())
    if not len(matched.baseline):
        raise _nothing_in_common(baseline, candidate, names, on)
    clusters = baseline.known(cluster_by, "cluster_by").array()[matched.baseline]
    return Pairing(names, baseline, candidate, matched, np.unique(clusters, return_inverse=True)[1].astype(np.int64))


def _nothing_in_common(baseline: Columns, candidate: Columns, names: tuple[str, str], on: Sequence[str]) -> InputError:
    text = f"{names[0]} and {names[1]} have no sample in common by {', '.join(on)}"
    by_id = [read_columns(side.run, [], on=["sample_id"], group_by=[])[""] for side in (baseline, candidate)]
    n_by_id = len(match(by_id[0].keys(), by_id[1].keys()).baseline)
    if list(on) != ["sample_id"] and baseline.run is not candidate.run and n_by_id:
        hint = f"By sample_id alone {n_by_id:,} would be joined: --on sample_id"
    else:
        first = [_named(side, np.arange(min(1, len(side)))) for side in (baseline, candidate)]
        shown = " and ".join(f"{one[0]['session_id']}/{one[0]['sample_id']}" if one else "nothing" for one in first)
        hint = f"They begin with {shown}; --on FIELD[,FIELD] names what the same samples have in common"
    return InputError(text, field="on", hint=hint)


def _named(side: Columns, rows: Integers) -> list[dict[str, str]]:
    return [{name: row[name] for name in ("session_id", "sample_id")} for row in rows_at(side, rows[:N_SHOWN].tolist())]

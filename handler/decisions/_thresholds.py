"""The threshold that serves an aim best, and how far another sample of groups (sessions) would move it.

Everything here is in terms of danger: the score turned so that more speaks for "different". A frame is flagged when its
danger is above the cut.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.decisions._aims import Aim, Counts
from handler.decisions._labelled import Part
from handler.statistics import (
    FEW_CLUSTERS,
    Interval,
    Logistic,
    cluster_function_interval,
    expanded_percentiles,
    logistic,
    logistic_of_counts,
    pool_clusters,
    resampled,
    roc,
)

__all__ = ["Cut", "best_cut", "counts_by_group", "cut_interval", "empirical_cut", "value_at"]

RESAMPLE_NOISE = 1e-5  # of a resample's curve: it moves no cut by a bin
GRID = 256  # cuts that a resample chooses among
ENOUGH = 0.9  # of the resamples must reach the target, or their percentiles say nothing
LEAST_SHORT = 0.02  # of the aim, that the smooth cut may lose on the very rows the curve was fitted to
BLOCK_ROWS = 2_000

Rule = Literal["logistic", "empirical"]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Cut(NamedTuple):
    """at: the danger above which a frame is flagged, midway between two that were seen. value: of the aim there, on the
    rows it was chosen on. rule: logistic where the rows' verdicts were smoothed, empirical where they were counted."""

    at: float
    value: float
    rule: Rule


def best_cut(part: Part, aim: Aim) -> Cut | None:
    """The best cut; None where a class is missing, where all scores are equal, or where no cut reaches the target. A cut
    always parts the scores: flagging all or none decides nothing.

    Counted verdicts follow chance: their best cut jumps from sample to sample. So the aim is worked out on what a logistic
    curve expects of each score, unless that cut loses over 1 / sqrt(rows) of the aim (at least 0.02; or misses the target
    by as much) against the best cut of the counted ones: chance does not do that, the curve does not fit, and the counts
    decide.
    """
    counted = empirical_cut(part, aim)
    if counted is None:
        return None
    smooth = _smooth_cut(part, aim)
    if smooth is None:
        return counted
    short = max(LEAST_SHORT, 1 / math.sqrt(len(part.danger)))
    lenient = aim._replace(target=aim.target - short) if aim.name in ("precision", "recall") and aim.target else aim
    value = value_at(part, lenient, smooth)
    return Cut(smooth, value, "logistic") if value is not None and value >= counted.value - short else counted


def empirical_cut(part: Part, aim: Aim) -> Cut | None:
    """The best cut by counting, None as for `best_cut`. Of equally good neighbours the middle."""
    cuts, counts = _all_cuts(part)
    if not len(cuts) or not part.different.any() or part.different.all():
        return None
    values = aim.value(counts)
    best = float(values.max())
    if not math.isfinite(best):
        return None
    return Cut(float(cuts[_middle_of_longest_run(values >= best - 1e-12)]), best, "empirical")


def value_at(part: Part, aim: Aim, cut: float) -> float | None:
    """The aim's value at a cut; None where it is undefined or the target is missed."""
    flagged = part.danger > cut
    bad = part.different
    numbers = [np.array([float(one.sum())]) for one in (flagged & bad, flagged & ~bad, bad, ~bad)]
    if not numbers[2][0] or not numbers[3][0]:
        return None
    value = float(aim.value(Counts(*numbers))[0])
    return value if math.isfinite(value) else None


def cut_interval(part: Part, aim: Aim, rule: Rule, *, level: float = 0.95) -> tuple[Interval | None, str | None]:
    """Where the best cut by the same rule lies in other samples of groups, or why that cannot be said. method:
    cluster-bootstrap from 30 groups on; with fewer cluster-jackknife-t, which a counted maximum is too rough for."""
    if part.n_groups < 2:
        return None, "it needs at least 2 groups"
    if part.n_groups < FEW_CLUSTERS and rule == "empirical":
        return None, f"it needs {FEW_CLUSTERS} groups where verdicts are counted and not smoothed"
    cuts, _ = _all_cuts(part)
    if len(cuts) < 2:
        return None, "there are too few distinct scores"
    grid = cuts[np.unique(np.linspace(0, len(cuts) - 1, min(GRID, len(cuts))).round().astype(np.int64))]
    columns = _by_group_and_bin(part, pool_clusters(part.codes), grid)
    middles = _middles_of_bins(part, grid)
    line = logistic(part.danger, part.different)

    def cuts_of(sums: Floats) -> Floats:
        bad, good = sums[:, : len(middles)], sums[:, len(middles) :]
        chosen = _best_of_bins(middles, bad, good, aim, rule, start=line, noise=RESAMPLE_NOISE)
        return np.where(chosen >= 0, grid[chosen], math.nan)

    if part.n_groups < FEW_CLUSTERS:
        interval = cluster_function_interval(columns, cuts_of, level=level, low=-math.inf, high=math.inf)
        return interval, None if interval is not None else "without one of the groups the aim is not reached"
    replicates = np.concatenate([cuts_of(sums) for _, sums in resampled(columns, block_rows=BLOCK_ROWS)])
    reached = replicates[np.isfinite(replicates)]
    if len(reached) < ENOUGH * len(replicates):
        return None, f"only {len(reached) / len(replicates):.0%} of the resamples reach the aim"
    low, high = expanded_percentiles(reached, len(columns), level=level)
    return Interval(low, high, level, "cluster-bootstrap"), None


def counts_by_group(part: Part, cut: float) -> Floats:
    """Per group: hallucinations flagged, hallucinations missed, good frames flagged, good frames let through."""
    flagged, bad, n = part.danger > cut, part.different, part.n_groups
    kinds = (flagged & bad, ~flagged & bad, flagged & ~bad, ~flagged & ~bad)
    columns: Floats = np.column_stack([np.bincount(part.codes, kind, n) for kind in kinds])
    return columns


def _all_cuts(part: Part) -> tuple[Floats, Counts]:
    """Every cut between two neighbouring dangers, from the highest down, and what is flagged there."""
    curve = roc(part.danger, part.different)
    lower, upper = curve.thresholds[1:], curve.thresholds[:-1]
    middle = lower + (upper - lower) / 2
    cuts = np.where(middle < upper, middle, lower)  # neighbouring floats have no middle
    hits, alarms = (one[:-1].astype(np.float64) for one in (curve.true_positives, curve.false_positives))
    return cuts, Counts(hits, alarms, np.array(float(curve.n_true)), np.array(float(curve.n_false)))


def _middle_of_longest_run(best: NDArray[np.bool_]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], best.astype(np.int8), [0]])))
    starts, ends = edges[::2], edges[1::2]
    longest = int((ends - starts).argmax())
    return int((starts[longest] + ends[longest] - 1) // 2)


def _smooth_cut(part: Part, aim: Aim) -> float | None:
    """The best cut where each row counts as what the logistic curve expects of its score."""
    cuts, _ = _all_cuts(part)
    values, places = np.unique(part.danger, return_inverse=True)
    counts = [np.bincount(places[kind], minlength=len(values))[::-1] for kind in (part.different, ~part.different)]
    bad, good = (one[None, :].astype(np.float64) for one in counts)
    chosen = int(_best_of_bins(values[::-1], bad, good, aim, "logistic")[0])
    return float(cuts[chosen]) if chosen >= 0 else None


def _best_of_bins(
    middles: Floats,
    bad: Floats,
    good: Floats,
    aim: Aim,
    rule: Rule,
    *,
    start: Logistic | None = None,
    noise: float = 1e-10,
) -> Integers:
    """Per row of counts, after which bin to cut; -1 where no cut reaches the target. Bins are in falling order."""
    if rule == "logistic":
        n = bad + good
        lines = logistic_of_counts(middles, bad, good, start=start, noise=noise)
        bad = n / (1 + np.exp(-np.clip(lines[:, :1] + lines[:, 1:] * middles, -700, 700)))
        good = n - bad
    totals = [one.sum(axis=1, keepdims=True) for one in (bad, good)]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = aim.value(Counts(bad[:, :-1].cumsum(axis=1), good[:, :-1].cumsum(axis=1), totals[0], totals[1]))
    values[~np.isfinite(values)] = -math.inf
    places: Integers = values.argmax(axis=1)
    places[values[np.arange(len(values)), places] == -math.inf] = -1
    return places


def _bins(part: Part, grid: Floats) -> Integers:
    """Which bin between the cuts of the (falling) grid each danger is in, 0 above the first cut."""
    bins: Integers = len(grid) - np.searchsorted(grid[::-1], part.danger, "left")
    return bins


def _by_group_and_bin(part: Part, codes: Integers, grid: Floats) -> Floats:
    """Per group: hallucinations in each bin, then good frames in each bin."""
    n_groups, n_bins, bins = int(codes.max()) + 1, len(grid) + 1, _bins(part, grid)
    columns: Floats = np.hstack(
        [
            np.bincount(codes[kind] * n_bins + bins[kind], minlength=n_groups * n_bins).reshape(n_groups, n_bins)
            for kind in (part.different, ~part.different)
        ]
    ).astype(np.float64)
    return columns


def _middles_of_bins(part: Part, grid: Floats) -> Floats:
    bins = _bins(part, grid)
    middles: Floats = np.bincount(bins, part.danger) / np.bincount(bins)  # no bin is empty: cuts part seen dangers
    return middles

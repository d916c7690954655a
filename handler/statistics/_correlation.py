"""Correlation of two gradings, from how often each pair of grades came up."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from statistics import NormalDist

from handler.statistics._intervals import Interval

__all__ = ["Pairs", "correlation_interval", "kendall_tau_b", "pearson", "spearman"]

Pairs = Mapping[tuple[float, float], int]
"""{(one grade, the other grade of the same item): how many items}."""

_SPREADS = {
    "pearson": lambda r, n: 1 / math.sqrt(n - 3),
    "spearman": lambda r, n: math.sqrt((1 + r * r / 2) / (n - 3)),
    "kendall": lambda r, n: math.sqrt(0.437 / (n - 4)),
}


def pearson(pairs: Pairs) -> float | None:
    """Pearson's r, -1..1; None where one side is constant or there are fewer than two items."""
    if _is_flat(pairs):
        return None
    n = sum(pairs.values())
    means = [math.fsum(pair[side] * times for pair, times in pairs.items()) / n for side in (0, 1)]
    scales = [max(abs(pair[side] - means[side]) for pair in pairs) for side in (0, 1)]
    products, squares, others = [], [], []
    for (one, other), times in pairs.items():
        x, y = (one - means[0]) / scales[0], (other - means[1]) / scales[1]
        products.append(times * x * y)
        squares.append(times * x * x)
        others.append(times * y * y)
    r = math.fsum(products) / math.sqrt(math.fsum(squares)) / math.sqrt(math.fsum(others))
    return min(1.0, max(-1.0, r))


def spearman(pairs: Pairs) -> float | None:
    """Spearman's rho, -1..1: Pearson's r of the ranks, equal grades sharing the mean of theirs. None as for `pearson`."""
    ranks = [_ranks(pairs, side) for side in (0, 1)]
    return pearson({(ranks[0][one], ranks[1][other]): times for (one, other), times in pairs.items()})


def kendall_tau_b(pairs: Pairs) -> float | None:
    """Kendall's tau-b, -1..1, which allows for ties on both sides. None as for `pearson`."""
    if _is_flat(pairs):
        return None
    n = sum(pairs.values())
    free = [_n_pairs(n) - sum(map(_n_pairs, _margin(pairs, side).values())) for side in (0, 1)]
    return min(1.0, max(-1.0, _concordance(pairs) / math.sqrt(free[0]) / math.sqrt(free[1])))


def correlation_interval(r: float, n: int, *, of: str = "pearson", level: float = 0.95) -> Interval | None:
    """The interval of a correlation by Fisher's z; None with too few items, or where r is 1 or -1 and has no spread.

    of: pearson, spearman (standard error after Bonett and Wright, Psychometrika 65, 2000) or kendall (after Fieller,
    Hartley and Pearson, Biometrika 44, 1957). Needs 4 items, for kendall 5.
    """
    if n < (5 if of == "kendall" else 4) or abs(r) > 1 - 1e-12:
        return None
    half = NormalDist().inv_cdf(0.5 + level / 2) * _SPREADS[of](r, n)
    return Interval(math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half), level, "fisher-z")


def _is_flat(pairs: Pairs) -> bool:
    return any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1))


def _margin(pairs: Pairs, side: int) -> Counter[float]:
    margin: Counter[float] = Counter()
    for pair, times in pairs.items():
        margin[pair[side]] += times
    return margin


def _ranks(pairs: Pairs, side: int) -> dict[float, float]:
    margin, ranks, below = _margin(pairs, side), {}, 0
    for grade in sorted(margin):
        ranks[grade] = below + (margin[grade] + 1) / 2
        below += margin[grade]
    return ranks


def _n_pairs(n: int) -> int:
    return n * (n - 1) // 2


def _concordance(pairs: Pairs) -> int:
    """Pairs of items that both sides order alike, less those that they order the other way round.

    Items are taken in by rising first grade; a Fenwick tree counts those before with a lower or higher second grade.
    """
    grades = sorted({other for _, other in pairs})
    tree = [0] * (len(grades) + 1)
    rising: dict[float, list[tuple[int, int]]] = {}
    for (one, other), times in pairs.items():
        rising.setdefault(one, []).append((bisect_left(grades, other) + 1, times))
    taken = balance = 0
    for one in sorted(rising):
        for place, times in rising[one]:
            balance += times * (_before(tree, place - 1) + _before(tree, place) - taken)
        for place, times in rising[one]:
            taken += times
            while place < len(tree):
                tree[place] += times
                place += place & -place
    return balance


def _before(tree: list[int], place: int) -> int:
    total = 0
    while place:
        total += tree[place]
        place -= place & -place
    return total

"""Pairs of questions of which one affirms what the other denies: right only together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Pairs", "add_half", "merge_pairs", "pair_figures"]

Pairs = dict[str, list[int | None]]  # {pair: [positive half right, negative half right]}, None for a half not seen


def add_half(pairs: Pairs, pair: str, half: str, right: int) -> None:
    """Note one half; a half that comes twice is right when it was right once, as in VLM2-Bench's matching script."""
    known = pairs.setdefault(pair, [None, None])
    place = "pn".index(half)
    known[place] = max(known[place] or 0, right)


def merge_pairs(pairs: Pairs, others: Mapping[str, list[int | None]]) -> None:
    """Fold in the halves of another shard."""
    for pair, halves in others.items():
        for half, right in zip("pn", halves, strict=True):
            if right is not None:
                add_half(pairs, pair, half, right)


def pair_figures(matching: Pairs, comparison: Pairs, *, official: bool) -> dict[str, Any]:
    """The three accuracies under both conventions: over complete pairs, and over all with an absent half wrong.

    official: VLM2-Bench counts all pairs of its matching task and complete ones of its comparison task. strict counts
    complete ones of both; the figures over all pairs end in `_all`.
    """
    every = [*matching.values(), *comparison.values()]
    complete = [pair for pair in every if None not in pair]
    counted = [*matching.values(), *(p for p in comparison.values() if None not in p)] if official else complete
    return {
        **_accuracies(counted, ""),
        "n_pairs": len(counted),
        **_accuracies(every, "_all"),
        "n_pairs_all": len(every),
        "n_incomplete_pairs": len(every) - len(complete),
    }


def _accuracies(pairs: list[list[int | None]], suffix: str) -> dict[str, float | None]:
    n = len(pairs)
    right = {
        "positive_accuracy": sum(p == 1 for p, _ in pairs),
        "negative_accuracy": sum(q == 1 for _, q in pairs),
        "pair_accuracy": sum(p == q == 1 for p, q in pairs),
    }
    return {name + suffix: count / n if n else None for name, count in right.items()}

"""Which texts go through a graph together: those of one token length, so that nothing is padded."""

from __future__ import annotations

import itertools

__all__ = ["BATCH_TOKENS", "equal_batches"]

BATCH_TOKENS = 256
"""Tokens of a batch, about, where a model's card names no other number: the sweep in model_export/README.md."""


def equal_batches(lengths: list[int], threads: int, tokens: int = BATCH_TOKENS) -> list[list[int]]:
    """Positions grouped into batches of one length, the costliest first.

    tokens: of a batch. Those of one length differ by one text at most, since a small last batch would cost more than its
    share; so a batch of several may hold nearly twice as many tokens.
    """
    by_length: dict[int, list[int]] = {}
    for position, length in enumerate(lengths):
        by_length.setdefault(length, []).append(position)
    budget = min(tokens, max(1, sum(lengths) // threads))
    batches = []
    for length, positions in by_length.items():
        n = len(positions)
        n_batches = min(n, max(1, round(n * length / budget)))
        bounds = [n * at // n_batches for at in range(n_batches + 1)]
        batches += [positions[start:end] for start, end in itertools.pairwise(bounds)]
    return sorted(batches, key=lambda batch: -lengths[batch[0]] * len(batch))

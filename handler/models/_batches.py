"""Which texts go through a graph together: those of one token length, so that nothing is padded."""

from __future__ import annotations

__all__ = ["equal_batches"]

TOKEN_BUDGET = 256  # tokens per batch; larger batches are under 4 % faster and need more memory


def equal_batches(lengths: list[int], threads: int) -> list[list[int]]:
    """Positions grouped into batches of one length under the token budget, the costliest first."""
    by_length: dict[int, list[int]] = {}
    for position, length in enumerate(lengths):
        by_length.setdefault(length, []).append(position)
    budget = min(TOKEN_BUDGET, max(1, sum(lengths) // threads))
    batches = []
    for length, positions in by_length.items():
        size = max(1, budget // max(1, length))
        batches += [positions[start : start + size] for start in range(0, len(positions), size)]
    return sorted(batches, key=lambda batch: -lengths[batch[0]] * len(batch))

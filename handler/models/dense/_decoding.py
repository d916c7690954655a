"""Greedy search for the words of many boxes at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DENSE_CAPTION", "END", "LONGEST", "OBJECT", "Sentence", "Step", "greedy"]

Floats = NDArray[np.float32]
Step = Callable[[NDArray[np.int64], int], Floats]
"""One step of the decoder: last tokens (n,) and their position -> logits (n, words)."""

OBJECT = 101  # begin token of the task ObjectDet: [CLS]
DENSE_CAPTION = 104  # begin token of the task DenseCap: [unused99]
END = 102  # [SEP]
LONGEST = 40  # tokens, the begin token included
_NEVER = np.float32(-10000)  # the logit of a token said twice in a row


class Sentence(NamedTuple):
    """What was said of one box.

    tokens: ids without the begin token, with the end token unless the sentence was cut at 40. log_probability: mean over
    those tokens, natural logarithm, at most 0.
    """

    tokens: tuple[int, ...]
    log_probability: float


def greedy(step: Step, n: int, begin: int) -> list[Sentence]:
    """The likeliest next word, again and again, for n boxes side by side.

    From the second word on, the word just said cannot come again at once. Ends when every box has its end token or
    40 tokens. Source: GRiT's AutoRegressiveBeamSearch at beam size 1.
    """
    last = np.full(n, begin, np.int64)
    words = np.full((n, LONGEST - 1), END, np.int64)
    lengths = np.zeros(n, np.int64)
    total = np.zeros(n)
    ended = np.zeros(n, bool)
    rows = np.arange(n)
    for position in range(LONGEST - 1):
        logits = step(last, position)
        if position:
            logits[rows, last] = _NEVER
        chosen = logits.argmax(axis=1)
        total += np.where(ended, 0.0, _log_probability(logits, chosen))
        last = np.where(ended, END, chosen)
        words[:, position] = last
        lengths += ~ended
        ended |= last == END
        if ended.all():
            break
    return [
        Sentence(tuple(words[row, : lengths[row]].tolist()), float(total[row] / max(1, lengths[row]))) for row in rows
    ]


def _log_probability(logits: Floats, chosen: NDArray[np.int64]) -> Floats:
    """Of the chosen words, under the softmax of their row."""
    top = logits.max(axis=1)
    sums = np.exp(logits - top[:, None]).sum(axis=1)
    found: Floats = logits[np.arange(len(chosen)), chosen] - top - np.log(sums)
    return found

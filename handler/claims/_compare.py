"""Sentences of an answer beside sentences of a reference: which belong together, and how surely a pair disagrees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handler.claims._align import align
from handler.claims._contract import Claim
from handler.claims._features import Compared, feature_row
from handler.claims._rules import find_claims
from handler.claims._tables import Tables
from handler.claims._trees import log_odds
from handler.claims._vectors import Sentence

__all__ = ["combined", "compare", "n_kinds", "score_pairs"]

CLAIM_WORTH = 0.2  # what one kind of hard claim adds to the model's probability
MOST_CLAIMS = 2  # kinds of claims that count
HIGHEST_RAW = 1.0 + CLAIM_WORTH * MOST_CLAIMS


def compare(answer: Sentence, reference: Sentence) -> Compared:
    """Two sentences aligned, with what the rules say of them."""
    aligned = align(answer, reference)
    return Compared(answer, reference, aligned, find_claims(answer.analysis, reference.analysis, aligned.alignment))


def score_pairs(pairs: Sequence[Compared], tables: Tables) -> NDArray[np.float64]:
    """How surely each pair contradicts itself, 0..1; 0 for pairs of the same wording. The model sees all pairs at once."""
    scores = np.zeros(len(pairs))
    open_pairs = [at for at, one in enumerate(pairs) if one.answer.wording != one.reference.wording]
    if open_pairs:
        rows = np.stack([feature_row(pairs[at], tables.rarity) for at in open_pairs])
        kinds = np.array([n_kinds(pairs[at].claims) for at in open_pairs])
        scores[open_pairs] = combined(log_odds(tables.model, rows), kinds)
    return scores


def combined(odds: NDArray[np.float64], kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """0..1 from the model's log-odds and the number of kinds of claims: what the rules found adds to what the model says."""
    probabilities = 1.0 / (1.0 + np.exp(-odds))
    return np.asarray((probabilities + CLAIM_WORTH * np.minimum(kinds, MOST_CLAIMS)) / HIGHEST_RAW, np.float64)


def n_kinds(claims: Sequence[Claim]) -> int:
    """Different kinds among the claims."""
    return len({claim.kind for claim in claims})

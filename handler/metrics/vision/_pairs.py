"""Cosine similarity of answer and reference, one encoding pass for every metric that needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from handler.metrics.vision._memory import Memory
from handler.models import TextEncoder, TextVector, shared_text_encoder
from handler.settings import Settings

__all__ = ["Pair", "PairScore", "PairScorer", "PairSource", "default_encoder", "pair_scorer"]

FLOAT_NOISE = 1e-6  # a cosine beyond 1 by no more than this is rounding, not an error

Pair = tuple[str, str]


class PairScore(NamedTuple):
    """similarity: cosine, -1..1, NaN when a vector is not finite. n_tokens, truncated: of (answer, reference)."""

    similarity: float
    n_tokens: tuple[int, int] | None = None
    truncated: tuple[bool, bool] | None = None


class PairSource(Protocol):
    """Whatever scores (answer, reference) pairs: the encoder, or a scorer of the user's own."""

    def score(self, pairs: Sequence[Pair]) -> list[PairScore]:
        """One score per pair, in order."""

    def signature_parts(self) -> dict[str, Any]:
        """What a signature says about where the scores come from."""


class PairScorer:
    """`PairSource` over the text encoder. The last pairs are remembered, so two metrics cost one pass."""

    def __init__(self, encoder: TextEncoder) -> None:
        self._encoder = encoder
        self._known: Memory[Pair, PairScore] = Memory()

    def score(self, pairs: Sequence[Pair]) -> list[PairScore]:
        """One score per pair, in order."""
        known = self._known.find(pairs)
        wanted = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        if wanted:
            vectors = self._encoder.encode_distinct(_texts(wanted))
            found = {pair: _score(vectors, pair) for pair in wanted}
            self._known.add(found, sum(map(len, _texts(wanted))))
            known |= found
        return [known[pair] for pair in pairs]

    def learn(self, vectors: Mapping[str, TextVector], pairs: Sequence[Pair]) -> list[PairScore]:
        """The same scores of vectors that another pass over the same encoder gave; they are remembered as its own."""
        found = {pair: _score(vectors, pair) for pair in dict.fromkeys(pairs)}
        self._known.add(found, sum(map(len, _texts(found))))
        return [found[pair] for pair in pairs]

    def signature_parts(self) -> dict[str, Any]:
        """The model, its precision and its limit."""
        card = self._encoder.card
        return {
            "model": f"{card.name}@{card.sha256[:12]}",
            "precision": self._encoder.precision,
            "max_tokens": card.max_tokens,
        }


@lru_cache(maxsize=2)
def pair_scorer(encoder: TextEncoder) -> PairScorer:
    """The one pair scorer of an encoder, so that metrics share its memory."""
    return PairScorer(encoder)


def default_encoder() -> TextEncoder:
    """This process's default model."""
    settings = Settings.from_environment()
    return shared_text_encoder(settings.model, precision=settings.precision)


def cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Cosine of two vectors in float64; 1 and -1 are not passed by rounding noise. NaN for a vector of length 0."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    lengths = float(np.sqrt((a * a).sum()) * np.sqrt((b * b).sum()))
    value = float((a * b).sum()) / lengths if lengths else float("nan")
    return max(-1.0, min(1.0, value)) if abs(value) <= 1 + FLOAT_NOISE else value


def _texts(pairs: Iterable[Pair]) -> Iterable[str]:
    for answer, reference in pairs:
        yield answer
        yield reference


def _score(vectors: Mapping[str, TextVector], pair: Pair) -> PairScore:
    answer, reference = vectors[pair[0]], vectors[pair[1]]
    finite = answer.finite and reference.finite
    similarity = cosine(answer.vector, reference.vector) if finite else float("nan")
    return PairScore(similarity, (answer.n_tokens, reference.n_tokens), (answer.truncated, reference.truncated))

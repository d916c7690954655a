"""A text as claims see it: its analysed sentences with the vectors of their words, small enough to keep.

Vectors are stored as signed bytes with one scale each: 3 layers of a 12-word sentence take 20 KB, and a cosine moves by
less than 0.004. Every number is made from the one pass over the whole text, so a sentence's vector is pooled from its
own tokens, which have seen the sentences around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handler.claims._slot_types import Analysis
from handler.models import TokenVectors

__all__ = ["CONTEXT_LAYERS", "LAYERS", "WORD_LAYER", "Sentence", "pack", "read_sentences", "unpack"]

WORD_LAYER = 8  # the layer whose word vectors align paraphrases best
CONTEXT_LAYERS = (3, 12)  # nearly the word itself, and what the whole text makes of it
LAYERS = (3, WORD_LAYER, 12)

Packed = NDArray[np.int8]


@dataclass(frozen=True)
class Sentence:
    """One analysed sentence and its vectors.

    rows: index of each word's row in `words[WORD_LAYER]`, -1 where the model did not see the word or it is a mark.
    words: per layer, packed unit vectors, shape (rows, dimension); of WORD_LAYER for all words, of the other layers for
    content words in their order. vector: the packed unit vector of the sentence. n_tokens: tokens of the sentence that
    the model saw.
    """

    analysis: Analysis
    rows: tuple[int, ...]
    words: Mapping[int, Packed]
    vector: Packed
    n_tokens: int

    @cached_property
    def wording(self) -> tuple[str, ...]:
        """Its words in lower case, marks left out."""
        return tuple(word.lower for word in self.analysis.words if word.lower[:1].isalnum())


def read_sentences(
    analyses: Sequence[Analysis], tokens: TokenVectors, means: Mapping[int, NDArray[np.float32]]
) -> tuple[Sentence, ...]:
    """The vectors of every sentence's words. means: per layer, the mean word vector of English captions, taken off."""
    starts = np.array([first for first, last in tokens.spans if last > first], np.int64)
    ends = np.array([last for first, last in tokens.spans if last > first], np.int64)
    at = np.array([index for index, (first, last) in enumerate(tokens.spans) if last > first], np.int64)
    return tuple(_read(analysis, starts, ends, at, tokens, means) for analysis in analyses)


def unpack(packed: Packed) -> NDArray[np.float32]:
    """Unit vectors, float32, of packed rows; rows of zeros stay zero."""
    values = packed.astype(np.float32)
    lengths = np.sqrt(np.einsum("...i,...i->...", values, values))[..., None]
    np.maximum(lengths, 1.0, out=lengths)
    values /= lengths
    return values


def _read(
    analysis: Analysis,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    at: NDArray[np.int64],
    tokens: TokenVectors,
    means: Mapping[int, NDArray[np.float32]],
) -> Sentence:
    """The sentence at its place in the text; its tokens are a run of neighbours."""
    low = int(np.searchsorted(ends, analysis.span[0], "right"))
    high = int(np.searchsorted(starts, analysis.span[1], "left"))
    begins, finishes, inside = starts[low:high], ends[low:high], at[low:high]
    rows: list[int] = []
    pieces: list[tuple[int, int]] = []
    for word in analysis.words:
        first = int(np.searchsorted(finishes, word.span[0], "right"))
        last = int(np.searchsorted(begins, word.span[1], "left"))
        if last > first and word.lower[:1].isalnum():
            rows.append(len(pieces))
            pieces.append((first, last))
        else:
            rows.append(-1)
    mixing = np.zeros((len(pieces), len(inside)), np.float32)
    for row, (first, last) in enumerate(pieces):
        mixing[row, first:last] = 1.0 / (last - first)
    content = [rows[index] for index in analysis.content if rows[index] >= 0]
    words = {}
    for layer in LAYERS:
        chosen = mixing if layer == WORD_LAYER else mixing[content]
        words[layer] = pack(
            chosen @ tokens.layers[layer][inside] - means[layer] if len(chosen) else _none(means[layer])
        )
    pooled = tokens.layers[12][inside].sum(axis=0, dtype=np.float64).astype(np.float32)
    return Sentence(analysis, tuple(rows), words, pack(pooled[None])[0], len(inside))


def _none(mean: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.empty((0, len(mean)), np.float32)


def pack(vectors: NDArray[np.float32]) -> Packed:
    """Rows scaled so that their largest component is 127; the length goes, cosines stay. A row with a NaN or an infinity
    becomes zeros."""
    vectors = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, 0.0)
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scale = 127.0 / np.maximum(largest, 1e-30)
    packed: Packed = np.rint(vectors * np.where(largest > 0, scale, 0.0)).astype(np.int8)
    return packed

"""A text as claims see it: its analysed sentences with the vectors of their words, small enough to keep.

Vectors are stored as signed bytes with one scale each: 3 layers of a 12-word sentence take 20 KB, and a cosine moves by
less than 0.004. Every number is made from the one pass over the whole text, so a sentence's vector is pooled from its
own tokens, which have seen the sentences around it.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler.claims._contract import Span
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

    def unpacked(self) -> dict[int, NDArray[np.float32]]:
        """`words` as float32 unit vectors."""
        together = unpack(np.concatenate(list(self.words.values())))
        ends = itertools.accumulate(map(len, self.words.values()))
        return {
            layer: together[end - len(one) : end] for (layer, one), end in zip(self.words.items(), ends, strict=True)
        }


def read_sentences(
    analyses: Sequence[Analysis], tokens: TokenVectors, means: Mapping[int, NDArray[np.float32]]
) -> tuple[Sentence, ...]:
    """The vectors of every sentence's words. means: per layer, the mean word vector of English captions, taken off."""
    seen = [(first, last, index) for index, (first, last) in enumerate(tokens.spans) if last > first]
    places = _Places([one[0] for one in seen], [one[1] for one in seen], [one[2] for one in seen])
    return tuple(_read(analysis, places, tokens.layers, means) for analysis in analyses)


def unpack(packed: Packed) -> NDArray[np.float32]:
    """Unit vectors, float32, of packed rows; rows of zeros stay zero."""
    values = packed.astype(np.float32)
    lengths = np.sqrt(np.einsum("...i,...i->...", values, values))[..., None]
    np.maximum(lengths, 1.0, out=lengths)
    values /= lengths
    return values


class _Places(NamedTuple):
    """Of the tokens that stand for characters, in order: the first of these, the one after the last, and the row."""

    starts: list[int]
    ends: list[int]
    rows: list[int]

    def within(self, span: Span, low: int, high: int) -> tuple[int, int]:
        """The run of tokens, among those from low to high, that share a character with the span."""
        return bisect_right(self.ends, span[0], low, high), bisect_left(self.starts, span[1], low, high)


def _read(
    analysis: Analysis,
    places: _Places,
    layers: Mapping[int, NDArray[np.float32]],
    means: Mapping[int, NDArray[np.float32]],
) -> Sentence:
    """The sentence at its place in the text; its tokens are a run of neighbours."""
    low, high = places.within(analysis.span, 0, len(places.rows))
    rows: list[int] = []
    pieces: list[tuple[int, int]] = []
    for word in analysis.words:
        first, last = places.within(word.span, low, high)
        if last > first and word.lower[:1].isalnum():
            rows.append(len(pieces))
            pieces.append((first - low, last - low))
        else:
            rows.append(-1)
    content = [rows[index] for index in analysis.content if rows[index] >= 0]
    inside = places.rows[low:high]
    chosen = {layer: pieces if layer == WORD_LAYER else [pieces[row] for row in content] for layer in LAYERS}
    found = np.empty((sum(map(len, chosen.values())) + 1, len(means[WORD_LAYER])), np.float32)
    at, words_at = 0, {}
    for layer, wanted in chosen.items():
        words_at[layer] = slice(at, at + len(wanted))
        at += len(wanted)
        if wanted:
            np.subtract(_words(layers[layer], inside, wanted), means[layer], out=found[words_at[layer]])
    found[-1] = layers[12][inside].sum(axis=0, dtype=np.float64)
    packed = pack(found)
    words = {layer: packed[part] for layer, part in words_at.items()}
    return Sentence(analysis, tuple(rows), words, packed[-1], len(inside))


def _words(vectors: NDArray[np.float32], inside: list[int], pieces: list[tuple[int, int]]) -> NDArray[np.float32]:
    """The mean vector of each run of tokens; runs count from the first of `inside`."""
    if all(last - first == 1 for first, last in pieces):
        return vectors[[inside[first] for first, _ in pieces]]
    mixing = np.zeros((len(pieces), len(inside)), np.float32)
    for row, (first, last) in enumerate(pieces):
        mixing[row, first:last] = 1.0 / (last - first)
    means: NDArray[np.float32] = mixing @ vectors[inside]
    return means


def pack(vectors: NDArray[np.float32]) -> Packed:
    """Rows scaled so that their largest component is 127; the length goes, cosines stay. A row with a NaN or an infinity
    becomes zeros."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    if not np.isfinite(largest).all():  # the largest of a row with a NaN is NaN
        vectors = np.where(np.isfinite(largest), vectors, 0.0)
        largest = np.where(np.isfinite(largest), largest, 0.0)
    scaled = vectors * (127.0 / np.maximum(largest, 1e-30))
    packed: Packed = np.rint(scaled, out=scaled).astype(np.int8)
    return packed

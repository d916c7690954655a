"""CIDEr-D as the COCO caption evaluation computes it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from handler.metrics.captions._grams import ORDERS, Gram, check_pairs, grams, words_of

__all__ = ["Cider", "Consensus", "DocumentFrequencies", "cider", "document_frequencies", "frequencies_of"]

_SIGMA = 6.0  # words of difference in length at which a similarity is worth exp(-1/2) of itself
_SCALE = 10.0


class DocumentFrequencies(NamedTuple):
    """In the references of how many images each n-gram comes up: plain data, to be kept and used for a smaller set."""

    n_images: int
    counts: Mapping[Gram, int]


class Cider(NamedTuple):
    """score: the mean over images, 0..10, times 10 already included. per_image: of each; copies of a reference rarely
    exceed 3, for the other references differ."""

    score: float
    per_image: tuple[float, ...]


def document_frequencies(references: Iterable[Sequence[str]]) -> DocumentFrequencies:
    """The document frequencies of people's captions, one list per image."""
    return frequencies_of([words_of(one) for one in people] for people in references)


def cider(
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    frequencies: DocumentFrequencies | None = None,
) -> Cider:
    """CIDEr-D (x10) of captions against people's, equal to the COCO caption evaluation within 1e-6.

    candidates: one caption per image. references: for each, the captions of people. frequencies: of another set, for
    figures that do not change with the images at hand; by default those of these references, as in the evaluation, so one
    image alone scores 0 and fewer than 100 give an unstable figure. Raises RequestError when the numbers do not match, an
    image has no reference or there is none at all. Source: Vedantam et al., CIDEr (CVPR 2015); pycocoevalcap.

    >>> people = [["a dog runs"], ["two cats sleep on a bed"]]
    >>> cider(["a dog runs", "a bed"], people).per_image[0] > cider(["a dog", "a bed"], people).per_image[0]
    True
    >>> cider(["a dog runs"], people[:1]).score
    0.0
    """
    check_pairs(candidates, references)
    texts = [[words_of(one) for one in people] for people in references]
    consensus = Consensus(frequencies or frequencies_of(texts))
    found = [consensus.of(words_of(candidate), people) for candidate, people in zip(candidates, texts, strict=True)]
    return Cider(math.fsum(found) / len(found) if found else 0.0, tuple(found))


def frequencies_of(references: Iterable[Sequence[str]]) -> DocumentFrequencies:
    """The same for tokenised references."""
    counts: Counter[Gram] = Counter()
    n = 0
    for people in references:
        counts.update({gram for one in people for gram in grams(one)})
        n += 1
    return DocumentFrequencies(n, counts)


class _Vector(NamedTuple):
    """weights: of each n-gram, its count times its rarity. norms: of the n-grams of each length. n_pairs: of words."""

    weights: dict[Gram, float]
    norms: tuple[float, ...]
    n_pairs: int


class Consensus:
    """Scores tokenised captions by given document frequencies."""

    def __init__(self, frequencies: DocumentFrequencies) -> None:
        self._frequencies = frequencies.counts
        self._most = math.log(frequencies.n_images) if frequencies.n_images else 0.0

    def of(self, candidate: str, references: Sequence[str]) -> float:
        """CIDEr-D of one caption, 0..10."""
        given = self._vector(candidate)
        total = math.fsum(_similarity(given, self._vector(one)) for one in references)
        return _SCALE * total / len(references)

    def _vector(self, words: str) -> _Vector:
        weights: dict[Gram, float] = {}
        squares = [0.0] * ORDERS
        n_pairs = 0
        for gram, times in grams(words).items():
            weight = times * (self._most - math.log(max(1, self._frequencies.get(gram, 0))))
            weights[gram] = weight
            squares[len(gram) - 1] += weight * weight
            n_pairs += times if len(gram) == 2 else 0
        return _Vector(weights, tuple(map(math.sqrt, squares)), n_pairs)


def _similarity(given: _Vector, reference: _Vector) -> float:
    """Mean over the lengths of n-grams of the cosine, counts clipped, less a penalty for another length (in word pairs)."""
    products = [0.0] * ORDERS
    for gram, weight in given.weights.items():
        other = reference.weights.get(gram)
        if other is not None:
            products[len(gram) - 1] += min(weight, other) * other
    for n, (one, two) in enumerate(zip(given.norms, reference.norms, strict=True)):
        if one and two:
            products[n] /= one * two
    difference = given.n_pairs - reference.n_pairs
    return math.fsum(products) / ORDERS * math.exp(-(difference**2) / (2 * _SIGMA**2))

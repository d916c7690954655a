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
    """In the references of how many images each n-gram comes up, its words
    separated by spaces: plain data, to be kept and used for a smaller set."""

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
        for several in zip(*map(grams, people), strict=True):
            counts.update(set().union(*several))
        n += 1
    return DocumentFrequencies(n, counts)


class Consensus:
    """Scores tokenised captions by given document frequencies."""

    def __init__(self, frequencies: DocumentFrequencies) -> None:
        self._most = math.log(frequencies.n_images) if frequencies.n_images else 0.0
        self._rarity = {gram: self._most - math.log(n) for gram, n in frequencies.counts.items() if n > 1}

    def of(self, candidate: str, references: Sequence[str]) -> float:
        """CIDEr-D of one caption, 0..10."""
        counts = grams(candidate)
        pairs = sum(counts[1].values())  # of words: the evaluation's length
        given = [self._weighed(one) for one in counts]
        total = 0.0
        for reference in map(grams, references):
            difference = pairs - sum(reference[1].values())
            total += self._similarity(given, reference) * math.exp(-(difference**2) / (2 * _SIGMA**2))
        return _SCALE * total / len(references)

    def _weighed(self, counts: Mapping[Gram, int]) -> dict[Gram, float]:
        """Of each n-gram, its count times its rarity."""
        rarity, most = self._rarity.get, self._most
        return {gram: times * rarity(gram, most) for gram, times in counts.items()}

    def _similarity(self, given: Sequence[Mapping[Gram, float]], reference: Sequence[Mapping[Gram, int]]) -> float:
        """Mean over the lengths of n-grams of the cosine, with no n-gram worth more than in the reference."""
        cosines = []
        for ours, counts in zip(given, reference, strict=True):
            theirs = self._weighed(counts)
            product = sum(min(weight, theirs[gram]) * theirs[gram] for gram, weight in ours.items() if gram in theirs)
            norms = _norm(ours) * _norm(theirs)
            cosines.append(product / norms if norms else product)
        return math.fsum(cosines) / ORDERS


def _norm(weights: Mapping[Gram, float]) -> float:
    return math.hypot(*weights.values())

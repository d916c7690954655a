"""BLEU as the COCO caption evaluation computes it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from handler.metrics.captions._grams import ORDERS, Gram, check_pairs, grams, words_of

__all__ = ["Bleu", "BleuCounts", "bleu", "bleu_counts"]

_TINY, _SMALL = (
    1e-15,
    1e-9,
)  # what the evaluation adds above and below, so that no matches give almost 0 and not an error

Scores = tuple[float, float, float, float]


class BleuCounts(NamedTuple):
    """What BLEU is made of; counts add up over captions.

    matches: n-grams of 1..4 words that some reference has, each at most as often as there. length: of the candidate, in
    words. reference_length: of the reference nearest in length, the shorter of two as near.
    """

    matches: tuple[int, ...] = (0,) * ORDERS
    totals: tuple[int, ...] = (0,) * ORDERS
    length: int = 0
    reference_length: int = 0

    def plus(self, other: Self) -> BleuCounts:
        """Both together."""
        return BleuCounts(
            tuple(one + more for one, more in zip(self.matches, other.matches, strict=True)),
            tuple(one + more for one, more in zip(self.totals, other.totals, strict=True)),
            self.length + other.length,
            self.reference_length + other.reference_length,
        )

    @property
    def scores(self) -> Scores:
        """BLEU-1 to BLEU-4, 0..1: the geometric mean of the precisions, less a penalty for brevity."""
        ratio = (self.length + _TINY) / (self.reference_length + _SMALL)
        penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
        product, found = 1.0, []
        for n, (matches, total) in enumerate(zip(self.matches, self.totals, strict=True), 1):
            product *= (matches + _TINY) / (total + _SMALL)
            found.append(product ** (1 / n) * penalty)
        return found[0], found[1], found[2], found[3]


class Bleu(NamedTuple):
    """bleu_1 to bleu_4: of the corpus, 0..1; the mean over images is another thing. per_image: the same of each."""

    bleu_1: float
    bleu_2: float
    bleu_3: float
    bleu_4: float
    per_image: tuple[Scores, ...]
    counts: BleuCounts


def bleu(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> Bleu:
    """BLEU-1 to BLEU-4 of captions against people's, equal to the COCO caption evaluation within 1e-6.

    candidates: one caption per image. references: for each, the captions of people. Raises RequestError when they do not
    match in number or an image has no reference. Source: Papineni et al., BLEU (ACL 2002); pycocoevalcap.

    >>> found = bleu(["a man rides a horse"], [["A man rides a brown horse.", "Someone on a horse"]])
    >>> round(found.bleu_1, 3), round(found.bleu_4, 3)
    (1.0, 0.76)
    """
    check_pairs(candidates, references)
    several = [
        bleu_counts(words_of(candidate), [words_of(one) for one in people])
        for candidate, people in zip(candidates, references, strict=True)
    ]
    counts = _sum(several)
    return Bleu(*counts.scores, per_image=tuple(one.scores for one in several), counts=counts)


def bleu_counts(candidate: str, references: Sequence[str]) -> BleuCounts:
    """The counts of one tokenised candidate against tokenised references."""
    matches = []
    for given, *people in zip(grams(candidate), *map(grams, references), strict=True):
        most: dict[Gram, int] = {}
        for one in people:
            for gram in given.keys() & one.keys():
                most[gram] = max(most.get(gram, 0), one[gram])
        matches.append(sum(min(given[gram], times) for gram, times in most.items()))
    length = len(candidate.split())
    nearest = min((abs(n - length), n) for n in (len(one.split()) for one in references))[1]
    totals = tuple(max(0, length - n) for n in range(ORDERS))
    return BleuCounts(tuple(matches), totals, length, nearest)


def _sum(several: Iterable[BleuCounts]) -> BleuCounts:
    total = BleuCounts()
    for one in several:
        total = total.plus(one)
    return total

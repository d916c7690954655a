"""ROUGE-L as the COCO caption evaluation computes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from handler.metrics.captions._grams import check_pairs, words_of

__all__ = ["RougeL", "rouge_l", "rouge_of"]

_BETA = 1.2  # recall counts beta squared times as much as precision


class RougeL(NamedTuple):
    """score, 0..1: weighted harmonic mean of precision and recall, each the best over the references."""

    score: float
    precision: float
    recall: float


def rouge_l(candidate: str, references: str | Sequence[str]) -> RougeL:
    """ROUGE-L of one caption against one or several of people: how much of either is one common subsequence of words.

    The COCO figure of a set is the mean over its images. Raises RequestError without a reference. Source: Lin, ROUGE
    (2004); pycocoevalcap, within 1e-6.

    >>> round(rouge_l("a man rides a horse", "a man on a brown horse").score, 3)
    0.716
    """
    people = [references] if isinstance(references, str) else references
    check_pairs([candidate], [people])
    return rouge_of(words_of(candidate), [words_of(one) for one in people])


def rouge_of(candidate: str, references: Sequence[str]) -> RougeL:
    """ROUGE-L of a tokenised candidate against tokenised references; precision and recall may be of different ones."""
    given = candidate.split(" ")
    people = [one.split(" ") for one in references]
    common = [_common(given, one) for one in people]
    precision = max(common) / len(given)
    recall = max(n / len(one) for n, one in zip(common, people, strict=True))
    if not precision or not recall:
        return RougeL(0.0, precision, recall)
    weight = _BETA**2
    return RougeL((1 + weight) * precision * recall / (recall + weight * precision), precision, recall)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence, in words.

    A bit per word of `other`, as in Hyyrö's bit-parallel algorithm (2004): a 0 is where the length goes up by one.
    """
    places: dict[str, int] = {}
    for at, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << at
    everywhere = (1 << len(other)) - 1
    level = everywhere
    for word in one:
        if here := level & places.get(word, 0):
            level = (level + here | level - here) & everywhere
    return len(other) - level.bit_count()

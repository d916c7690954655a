"""How far an answer agrees with those of several people: VQA's accuracy."""

from __future__ import annotations

from collections.abc import Sequence

from handler.metrics.vqa._normal import normalised, official_normalised, trimmed

__all__ = ["ENOUGH", "FEW", "consensus", "official_consensus"]

ENOUGH = 3  # people who must agree for a full score
FEW = (
    ENOUGH  # references up to which one match is a full score: leaving one out, three could never agree with an answer
)


def consensus(answer: str, references: Sequence[str]) -> float:
    """min(matches / 3, 1), averaged over leaving out each reference in turn; 0..1. Both sides are normalised, always.

    With at most 3 references it is 1 for a match with any of them, else 0.
    """
    given = normalised(answer)
    n, matches = len(references), sum(normalised(one) == given for one in references)
    if n <= FEW:
        return float(matches > 0)
    left_out, kept = min((matches - 1) / ENOUGH, 1.0), min(matches / ENOUGH, 1.0)
    return (matches * left_out + (n - matches) * kept) / n if matches else 0.0


def official_consensus(answer: str, references: Sequence[str], keys: Sequence[str]) -> float:
    """The official code's number, slips included.

    Answers are normalised only when the references differ. keys: what else each reference's record says; leaving one out
    leaves out all records that are equal to it, so without distinct answer_ids a majority loses its matches.
    """
    given, people = trimmed(answer), [trimmed(one) for one in references]
    if len(set(people)) > 1:
        given, people = official_normalised(given), [official_normalised(one) for one in people]
    records = list(zip(people, keys or [""] * len(people), strict=True))
    shares = []
    for left_out in records:
        matches = sum(text == given for text, key in records if (text, key) != left_out)
        shares.append(min(1, matches / ENOUGH))
    return sum(shares) / len(shares)

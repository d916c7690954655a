"""Two analysed sentences and their alignment: what they disagree about."""

from __future__ import annotations

from handler.claims._contract import Claim
from handler.claims._slot_types import Alignment, Analysis

__all__ = ["RULE_FEATURES", "find_claims", "find_substitutions", "rule_features"]

RULE_FEATURES: tuple[str, ...] = ()
"""Names of what `rule_features` gives, in its order."""


def find_claims(answer: Analysis, reference: Analysis, alignment: Alignment) -> tuple[Claim, ...]:
    """Contradictions that slots show: negation, number, attribute, direction, opposite, role; the surest first."""
    raise NotImplementedError


def find_substitutions(answer: Analysis, reference: Analysis, alignment: Alignment) -> tuple[Claim, ...]:
    """Possible contradictions by another thing, action or place: an answer's word without support beside a word of the
    reference that nothing in the answer supports. Alone they are no evidence (paraphrases have them as well): for a judge
    who knows by other means that the sentences contradict each other. The likeliest first."""
    raise NotImplementedError


def rule_features(
    answer: Analysis, reference: Analysis, alignment: Alignment, claims: tuple[Claim, ...]
) -> dict[str, float]:
    """RULE_FEATURES as numbers, all finite. claims: what `find_claims` gave for the same arguments."""
    raise NotImplementedError

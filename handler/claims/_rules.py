"""Two analysed sentences and their alignment: what they disagree about."""

from __future__ import annotations

from itertools import chain

from handler.claims._compared import compared
from handler.claims._contract import Claim
from handler.claims._rule_features import RULE_FEATURES, features_of
from handler.claims._rules_polarity import negation_claims, opposite_claims
from handler.claims._rules_roles import role_claims
from handler.claims._rules_space import direction_claims, preposition_claims
from handler.claims._rules_substitutions import substitutions
from handler.claims._rules_values import attribute_claims, moved_modifiers, number_claims
from handler.claims._slot_types import Alignment, Analysis

__all__ = ["RULE_FEATURES", "find_claims", "find_substitutions", "rule_features"]


def find_claims(answer: Analysis, reference: Analysis, alignment: Alignment) -> tuple[Claim, ...]:
    """Contradictions that slots show: negation, number, attribute, direction, place, opposite, role; the surest first."""
    if [word.lower for word in answer.words] == [word.lower for word in reference.words]:
        return ()
    both = compared(answer, reference, alignment)
    found = chain(
        number_claims(both),
        attribute_claims(both),
        moved_modifiers(both),
        direction_claims(both),
        preposition_claims(both),
        opposite_claims(both),
        negation_claims(both),
        role_claims(both),
    )
    return tuple(sorted(found, key=lambda one: -one.confidence))


def find_substitutions(answer: Analysis, reference: Analysis, alignment: Alignment) -> tuple[Claim, ...]:
    """Possible contradictions by another thing, action or place: an answer's word without support beside a word of the
    reference that nothing in the answer supports. Alone they are no evidence (paraphrases have them as well): for a judge
    who knows by other means that the sentences contradict each other. The likeliest first."""
    return tuple(sorted(substitutions(compared(answer, reference, alignment)), key=lambda one: -one.confidence))


def rule_features(
    answer: Analysis, reference: Analysis, alignment: Alignment, claims: tuple[Claim, ...]
) -> dict[str, float]:
    """RULE_FEATURES as numbers, all finite. claims: what `find_claims` gave for the same arguments."""
    return features_of(compared(answer, reference, alignment), claims)

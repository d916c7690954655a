"""What the rules found, as numbers for a trained judge."""

from __future__ import annotations

from handler.claims._compared import Compared
from handler.claims._contract import Claim, Kind
from handler.claims._rules_space import converse_axes
from handler.claims._slot_types import MATCHING, Analysis, Relation

__all__ = ["RULE_FEATURES", "features_of"]

_MOST = 3.0  # more of a kind says no more

RULE_FEATURES: tuple[str, ...] = (
    *(f"claims_{kind.value}" for kind in Kind),
    "surest_claim",
    "claim_weight",
    "negators_answer",
    "negators_reference",
    "negators_differ",
    "negated_share",
    "numbers_both",
    "numbers_new",
    "numbers_missing",
    "attributes_new",
    "attributes_missing",
    "attributes_shared",
    "directions_shared",
    "directions_new",
    "converse_axis",
    "siblings",
    "opposites",
    "unmatched_answer",
    "unmatched_reference",
    "order_inverted",
    "voice_differs",
    "same_words",
    "length_ratio",
)
"""Names of what `rule_features` gives, in its order."""


def features_of(both: Compared, claims: tuple[Claim, ...]) -> dict[str, float]:
    """RULE_FEATURES as numbers."""
    answer, reference = both.answer, both.reference
    kinds = [claim.kind for claim in claims]
    values = [min(_MOST, kinds.count(kind)) for kind in Kind]
    values += [max((one.confidence for one in claims), default=0.0), min(_MOST, sum(one.confidence for one in claims))]
    values += _negation(both)
    mine = {(q.low, q.high) for q in answer.quantities if not q.implied}
    theirs = {(q.low, q.high) for q in reference.quantities if not q.implied}
    values += [float(bool(mine and theirs)), len(mine - theirs), len(theirs - mine)]
    values += _attributes(answer, reference)
    axes, others = ({(d.axis, d.sign) for d in side.directions} for side in (answer, reference))
    values += [len(axes & others), len(axes - others), float(converse_axes(both))]
    relations = [one.relation for one in both.alignment.forward]
    values += [min(_MOST, relations.count(Relation.SIBLING)), min(_MOST, relations.count(Relation.OPPOSITE))]
    values += [_unmatched(relations), _unmatched([one.relation for one in both.alignment.backward])]
    values += [_inverted(both), float(answer.passive != reference.passive)]
    values += [float(_lemmas(answer) == _lemmas(reference)), (len(answer.content) + 1) / (len(reference.content) + 1)]
    return dict(zip(RULE_FEATURES, map(float, values), strict=True))


def _negation(both: Compared) -> list[float]:
    n, m = len(both.answer.negators), len(both.reference.negators)
    pairs = [
        (one.word, one.other) for one in both.alignment.forward if one.other is not None and one.relation in MATCHING
    ]
    differ = sum(both.answer.words[i].negated != both.reference.words[j].negated for i, j in pairs)
    return [min(_MOST, n), min(_MOST, m), abs(min(_MOST, n) - min(_MOST, m)), differ / max(1, len(pairs))]


def _attributes(answer: Analysis, reference: Analysis) -> list[float]:
    mine = {(one.family, value) for one in answer.attributes for value in one.values}
    theirs = {(one.family, value) for one in reference.attributes for value in one.values}
    return [min(_MOST, len(mine - theirs)), min(_MOST, len(theirs - mine)), min(_MOST, len(mine & theirs))]


def _unmatched(relations: list[Relation]) -> float:
    return sum(one not in MATCHING for one in relations) / max(1, len(relations))


def _inverted(both: Compared) -> float:
    """Share of the pairs of shared nouns that stand in another order."""
    shared = [
        (one.word, one.other)
        for one in both.alignment.forward
        if one.other is not None and one.relation in MATCHING and both.answer.words[one.word].pos == "n"
    ]
    pairs = [(j, m) for at, (_, j) in enumerate(shared) for _, m in shared[at + 1 :] if j != m]
    return sum(j > m for j, m in pairs) / max(1, len(pairs))


def _lemmas(side: Analysis) -> list[str]:
    return sorted(side.words[i].lemma for i in side.content)

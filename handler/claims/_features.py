"""Two aligned sentences as numbers of fixed names and order: what the trees see."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handler.claims._align import Aligned
from handler.claims._contract import Claim
from handler.claims._rules import RULE_FEATURES, rule_features
from handler.claims._slot_types import MATCHING, Relation, Word
from handler.claims._vectors import LAYERS, WORD_LAYER, Sentence, unpack

__all__ = ["FEATURES", "NAMES_ONE", "UNSUPPORTED", "WEAK", "Compared", "feature_row", "sentence_cosines"]

UNSUPPORTED = 0.6  # support below which a word has no counterpart
WEAK = 0.72  # support below which its counterpart is doubtful
NAMES_ONE = frozenset({Relation.SAME, Relation.SYNONYM})
KINDS_OF_WORD = ("n", "v", "a")
OF_SENTENCES = ("cosine", "distance", "largest_step", "step_kurtosis")
OF_ORDER = ("inversions", "any_inversion", "neighbours_kept", "bound_elsewhere", "bound_alike", "flip")
OF_WORDING = ("overlap", "one_bag", "identical", "n_content", "length_ratio", "one_bag_inverted")
OF_SIDE = (
    "support",
    "least_support",
    "second_support",
    "unsupported",
    "weak",
    "rarest_unsupported",
    *(f"least_{kind}" for kind in KINDS_OF_WORD),
    *(f"cosine_{layer}" for layer in LAYERS),
    *(f"least_cosine_{layer}" for layer in LAYERS),
    *(f"context_{layer}" for layer in LAYERS),
    *(f"least_context_{layer}" for layer in LAYERS),
    "same",
    "siblings",
    "nearest_sibling",
    "opposites",
)
FEATURES: tuple[str, ...] = (
    *OF_SENTENCES,
    *(f"{side}_{name}" for side in ("answer", "reference") for name in OF_SIDE),
    *OF_ORDER,
    *OF_WORDING,
    *RULE_FEATURES,
)
"""Names of what `feature_row` gives, in its order."""


@dataclass(frozen=True)
class Compared:
    """A sentence of the answer beside a sentence of the reference, and what the rules say of them."""

    answer: Sentence
    reference: Sentence
    aligned: Aligned
    claims: tuple[Claim, ...]


def feature_row(compared: Compared, rarity: Mapping[str, float]) -> NDArray[np.float64]:
    """FEATURES as float64, all finite. rarity: 0..1 by lemma, of words unknown to it 1."""
    answer, reference, aligned = compared.answer, compared.reference, compared.aligned
    left = [answer.analysis.words[index] for index in answer.analysis.content]
    right = [reference.analysis.words[index] for index in reference.analysis.content]
    rules = rule_features(answer.analysis, reference.analysis, aligned.alignment, compared.claims)
    turned = [list(column) for column in zip(*aligned.relations, strict=True)] if left else [[] for _ in right]
    row = [
        *_of_sentences(answer, reference),
        *_of_side(left, right, aligned.forward, aligned.relations, aligned.support, aligned.cosines, rarity),
        *_of_side(
            right,
            left,
            aligned.backward,
            turned,
            aligned.support.T,
            {layer: values.T for layer, values in aligned.cosines.items()},
            rarity,
        ),
        *_of_order_and_wording(compared, left, right),
        *(rules[name] for name in RULE_FEATURES),
    ]
    return np.array(row, np.float64)


def sentence_cosines(answer: list[Sentence], reference: list[Sentence]) -> NDArray[np.float32]:
    """Cosines of the sentences' vectors, one row per sentence of the answer."""
    cosines: NDArray[np.float32] = (
        unpack(np.stack([one.vector for one in answer])) @ unpack(np.stack([one.vector for one in reference])).T
    )
    return cosines


def _of_sentences(answer: Sentence, reference: Sentence) -> tuple[float, ...]:
    both = unpack(np.stack([answer.vector, reference.vector]))
    step = np.abs(both[0] - both[1])
    squared = step * step
    return (
        float(both[0] @ both[1]),
        float(step.sum()),
        float(step.max()),
        float(squared @ squared) * 1e4,
    )


def _of_side(
    words: list[Word],
    others: list[Word],
    best: list[int],
    relations: list[list[Relation]],
    support: NDArray[np.float32],
    cosines: Mapping[int, NDArray[np.float32]],
    rarity: Mapping[str, float],
) -> list[float]:
    """OF_SIDE, of one side's content words and their counterparts."""
    n = len(words)
    if not n or not others:
        return _of_empty_side(bool(n))
    weights = np.array([rarity.get(word.lemma, 1.0) for word in words])
    total = float(weights.sum()) + 1e-9
    at = np.arange(n)
    held = support[at, best].astype(np.float64)
    ordered = sorted(held.tolist())
    unsupported = held < UNSUPPORTED
    least_of = dict.fromkeys(KINDS_OF_WORD, 1.0)
    for word, value in zip(words, held.tolist(), strict=True):
        if word.pos in least_of and value < least_of[word.pos]:
            least_of[word.pos] = value
    same = [(i, j) for i, j in enumerate(best) if relations[i][j] in NAMES_ONE]
    rows, columns = [i for i, _ in same], [j for _, j in same]
    means, leasts, contexts, least_contexts = [], [], [], []
    for layer in LAYERS:
        values = cosines[layer]
        nearest = values.max(axis=1)
        means.append(float(weights @ nearest) / total)
        leasts.append(float(nearest.min()))
        shared = values[rows, columns]
        contexts.append(float(shared.mean()) if same else 1.0)
        least_contexts.append(float(shared.min()) if same else 1.0)
    siblings, nearest_sibling, opposites = _of_substitutes(words, others, best, relations, cosines[WORD_LAYER])
    return [
        float(weights @ held) / total,
        ordered[0],
        ordered[1] if n > 1 else 1.0,
        float(weights @ unsupported) / total,
        float(weights @ (held < WEAK)) / total,
        float((weights * unsupported).max()),
        *least_of.values(),
        *means,
        *leasts,
        *contexts,
        *least_contexts,
        len(same) / n,
        siblings,
        nearest_sibling,
        opposites,
    ]


def _of_empty_side(any_words: bool) -> list[float]:
    """OF_SIDE without a counterpart: nothing is supported where there are words, nothing is missed where there are none."""
    given = dict.fromkeys(OF_SIDE, 0.0 if any_words else 1.0)
    missed = 1.0 if any_words else 0.0
    given.update(unsupported=missed, weak=missed, rarest_unsupported=missed)
    given.update(same=0.0, siblings=0.0, nearest_sibling=0.0, opposites=0.0)
    return list(given.values())


def _of_substitutes(
    words: list[Word],
    others: list[Word],
    best: list[int],
    relations: list[list[Relation]],
    cosines: NDArray[np.float32],
) -> tuple[float, float, float]:
    """Words without a match beside an opposite, or beside a sibling that has no match either: how many (at most 3, 2),
    and the cosine of the nearest sibling."""
    n_siblings, n_opposites, nearest = 0, 0, 0.0
    for i, j in enumerate(best):
        if relations[i][j] in MATCHING:
            continue
        sibling = opposite = False
        for k, one in enumerate(relations[i]):
            if one is Relation.OPPOSITE and words[i].negated == others[k].negated:
                opposite = True
            elif one is Relation.SIBLING and not any(row[k] in MATCHING for row in relations):
                sibling = True
                nearest = max(nearest, float(cosines[i, k]))
        n_siblings += sibling
        n_opposites += opposite
    return float(min(3, n_siblings)), nearest, float(min(2, n_opposites))


def _of_order_and_wording(compared: Compared, left: list[Word], right: list[Word]) -> list[float]:
    """OF_ORDER and OF_WORDING."""
    aligned = compared.aligned
    shared = [
        (i, j)
        for i, j in enumerate(aligned.forward)
        if j >= 0 and aligned.relations[i][j] in MATCHING and left[i].pos == right[j].pos
    ]
    nouns = [(i, j) for i, j in shared if left[i].pos == "n"]
    pairs = [(j, k) for at, (_, j) in enumerate(nouns) for _, k in nouns[at + 1 :] if j != k]
    inverted = sum(j > k for j, k in pairs)
    kept = sum(1 for (i, j), (k, m) in itertools.pairwise(shared) if k == i + 1 and m == j + 1)
    elsewhere, alike = _bindings(compared, left, right, shared)
    bag, other = Counter(word.lemma for word in left), Counter(word.lemma for word in right)
    one_bag = float(bag == other)
    return [
        inverted / max(1, len(pairs)),
        float(inverted > 0),
        kept / max(1, len(shared) - 1),
        elsewhere,
        alike,
        float(inverted > len(pairs) - inverted),
        (bag & other).total() / max(1, (bag | other).total()),
        one_bag,
        float(compared.answer.wording == compared.reference.wording),
        float(len(left)),
        math.log((len(left) + 1) / (len(right) + 1)),
        one_bag * float(inverted > 0),
    ]


def _bindings(
    compared: Compared, left: list[Word], right: list[Word], shared: list[tuple[int, int]]
) -> tuple[float, float]:
    """Shared modifiers whose nouns answer each other, and those whose nouns both have another counterpart (at most 3)."""
    aligned = compared.aligned
    elsewhere = alike = 0
    for i, j in shared:
        if left[i].pos != "a":
            continue
        head, other = _head(left, i), _head(right, j)
        if head is None or other is None:
            continue
        if aligned.relations[head][other] in MATCHING or aligned.support[head, other] >= UNSUPPORTED:
            alike += 1
        elif aligned.support[head].max() >= WEAK or aligned.support[:, other].max() >= WEAK:
            elsewhere += 1
    return float(min(3, elsewhere)), float(min(3, alike))


def _head(words: list[Word], at: int) -> int | None:
    """The noun that a modifier stands before, at most three content words on."""
    for index in range(at + 1, min(len(words), at + 4)):
        if words[index].pos == "n":
            return index
    return None

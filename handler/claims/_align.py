"""Two sentences word by word: what each content word's counterpart is, by word vectors and by WordNet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handler.claims._lexicon import RELATION_WORTH, relation
from handler.claims._slot_types import Alignment, Pairing, Relation
from handler.claims._vectors import CONTEXT_LAYERS, WORD_LAYER, Sentence

__all__ = ["Aligned", "align"]

VECTOR_WEIGHT = 0.001  # among equal relations the nearer vector wins
INVERSE = {Relation.BROADER: Relation.NARROWER, Relation.NARROWER: Relation.BROADER}


@dataclass(frozen=True)
class Aligned:
    """An alignment and the arrays it came from: content words of the answer by content words of the reference.

    cosines: per layer, of the word vectors. relations: of the answer's word to the reference's. support: 0..1, the larger
    of cosine and the relation's worth; forward, backward: index of the best counterpart, -1 without one.
    """

    alignment: Alignment
    cosines: dict[int, NDArray[np.float32]]
    relations: list[list[Relation]]
    support: NDArray[np.float32]
    forward: list[int]
    backward: list[int]


def align(answer: Sentence, reference: Sentence) -> Aligned:
    """The counterpart of every content word, both ways; a word that the model did not see counts by its relations."""
    left, right = answer.analysis, reference.analysis
    vectors, others = answer.unpacked(), reference.unpacked()
    every = _spread(vectors[WORD_LAYER] @ others[WORD_LAYER].T, answer.rows, reference.rows)
    cosines = {WORD_LAYER: every[np.ix_(left.content, right.content)]}
    seen = [answer.rows[index] >= 0 for index in left.content], [reference.rows[index] >= 0 for index in right.content]
    for layer in CONTEXT_LAYERS:
        values = vectors[layer] @ others[layer].T
        cosines[layer] = values if all(seen[0]) and all(seen[1]) else _scatter(values, *seen)
    relations = [[relation(left.words[i], right.words[j]) for j in right.content] for i in left.content]
    worth = np.array([[RELATION_WORTH[one] for one in row] for row in relations], np.float32)
    worth = worth.reshape(len(left.content), len(right.content))
    near = cosines[WORD_LAYER]
    support = np.maximum(near, worth + VECTOR_WEIGHT * near)
    forward = support.argmax(axis=1).tolist() if right.content else [-1] * len(left.content)
    backward = support.argmax(axis=0).tolist() if left.content else [-1] * len(right.content)
    strength = support.tolist()
    alignment = Alignment(
        forward=tuple(
            Pairing(index, right.content[j], relations[i][j], _bounded(strength[i][j]))
            if j >= 0
            else Pairing(index, None, Relation.NONE, 0.0)
            for i, (index, j) in enumerate(zip(left.content, forward, strict=True))
        ),
        backward=tuple(
            Pairing(index, left.content[i], _inverse(relations[i][j]), _bounded(strength[i][j]))
            if i >= 0
            else Pairing(index, None, Relation.NONE, 0.0)
            for j, (index, i) in enumerate(zip(right.content, backward, strict=True))
        ),
        similarities=every.tolist(),
    )
    return Aligned(alignment, cosines, relations, support, forward, backward)


def _inverse(one: Relation) -> Relation:
    return INVERSE.get(one, one)


def _bounded(value: float) -> float:
    return min(1.0, max(0.0, value))


def _spread(cosines: NDArray[np.float32], rows: tuple[int, ...], columns: tuple[int, ...]) -> NDArray[np.float32]:
    """Cosines of all words of both sentences: 0 where one of the two has no vector."""
    padded = np.zeros((cosines.shape[0] + 1, cosines.shape[1] + 1), np.float32)
    padded[:-1, :-1] = cosines
    return padded[np.ix_(rows, columns)]  # row -1 is the padding


def _scatter(cosines: NDArray[np.float32], rows: list[bool], columns: list[bool]) -> NDArray[np.float32]:
    """Cosines of the content words seen, among all content words."""
    found = np.zeros((len(rows), len(columns)), np.float32)
    found[np.ix_(np.flatnonzero(rows), np.flatnonzero(columns))] = cosines
    return found

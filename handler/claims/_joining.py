"""Two sentences of one text read as one: an answer may say in one sentence what the reference says in two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handler.claims._slot_types import Analysis, Attribute, Direction, Predicate, Quantity
from handler.claims._vectors import CONTEXT_LAYERS, WORD_LAYER, Sentence, pack, unpack

__all__ = ["join"]


def join(first: Sentence, second: Sentence) -> Sentence:
    """The two as one sentence; its vector weighs theirs by their tokens."""
    shift = len(first.words[WORD_LAYER])
    rows = first.rows + tuple(row + shift if row >= 0 else -1 for row in second.rows)
    words = {
        layer: np.concatenate([first.words[layer], second.words[layer]]) for layer in (WORD_LAYER, *CONTEXT_LAYERS)
    }
    pooled = first.n_tokens * unpack(first.vector) + second.n_tokens * unpack(second.vector)
    analysis = join_analyses(first.analysis, second.analysis)
    return Sentence(analysis, rows, words, pack(pooled[None])[0], first.n_tokens + second.n_tokens)


def join_analyses(first: Analysis, second: Analysis) -> Analysis:
    """All of both; word indices of the second come after those of the first."""
    by = len(first.words)
    clauses_by = max(first.clauses, default=-1) + 1
    return Analysis(
        span=(first.span[0], second.span[1]),
        words=first.words + second.words,
        content=first.content + _moved(second.content, by),
        negators=first.negators + _moved(second.negators, by),
        quantities=first.quantities + tuple(_moved_quantity(one, by) for one in second.quantities),
        attributes=first.attributes + tuple(_moved_attribute(one, by) for one in second.attributes),
        directions=first.directions + tuple(_moved_direction(one, by) for one in second.directions),
        predicates=first.predicates + tuple(_moved_predicate(one, by) for one in second.predicates),
        roles={**first.roles, **{index + by: role for index, role in second.roles.items()}},
        places=first.places | {index + by for index in second.places},
        passive=first.passive or second.passive,
        scopes=first.scopes + tuple(_moved(scope, by) for scope in second.scopes),
        clauses=first.clauses + _moved(second.clauses, clauses_by),
        modifiers=first.modifiers + tuple((word + by, noun + by) for word, noun in second.modifiers),
        phrases=first.phrases + tuple((phrase, _moved(words, by)) for phrase, words in second.phrases),
    )


def _moved(indices: tuple[int, ...], by: int) -> tuple[int, ...]:
    return tuple(index + by for index in indices)


def _at(index: int | None, by: int) -> int | None:
    return None if index is None else index + by


def _moved_quantity(one: Quantity, by: int) -> Quantity:
    return replace(one, word=one.word + by, head=_at(one.head, by))


def _moved_attribute(one: Attribute, by: int) -> Attribute:
    return replace(one, word=one.word + by, head=_at(one.head, by))


def _moved_direction(one: Direction, by: int) -> Direction:
    return replace(one, words=_moved(one.words, by), subject=_at(one.subject, by), anchor=_at(one.anchor, by))


def _moved_predicate(one: Predicate, by: int) -> Predicate:
    return replace(
        one,
        verb=one.verb + by,
        agent=_at(one.agent, by),
        patient=_at(one.patient, by),
        recipient=_at(one.recipient, by),
        giver=_at(one.giver, by),
    )

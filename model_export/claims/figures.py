"""Figures of the judge on labelled pairs: how well it ranks, how often it errs, whether it names the word."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from handler.claims import Judgement, Reading, Span, judge, read_text
from handler.statistics import auc
from model_export.claims.encoding import Encodings
from model_export.claims.pairs import Pair

__all__ = [
    "Context",
    "Judged",
    "contexts_of",
    "edited_words",
    "figures_of_contexts",
    "figures_of_pairs",
    "figures_of_triplets",
]

Figures = Iterator[tuple[str, Any]]
N_CONTEXTS = 120


class Context(NamedTuple):
    """Three sentences of a reference, as many of a right and of a wrong answer, shuffled; `wrong` is the false one."""

    reference: list[str]
    right: list[str]
    answer: list[str]
    wrong: str


class Judged:
    """Judgements of pairs of texts by the judge that ships; every text is encoded and read once."""

    def __init__(self, encodings: Encodings) -> None:
        self._encodings = encodings
        self._read: dict[str, Reading] = {}

    def of(self, pairs: Iterable[tuple[str, str]]) -> list[Judgement]:
        """Of (answer, reference) pairs."""
        wanted = list(pairs)
        self._encodings.add(text for pair in wanted for text in pair)
        return [judge(self._reading(answer), self._reading(reference)) for answer, reference in wanted]

    def _reading(self, text: str) -> Reading:
        if text not in self._read:
            self._read[text] = read_text(text, self._encodings[text])
        return self._read[text]


def figures_of_triplets(judged: Judged, triplets: Sequence[dict[str, str]], threshold: float) -> Figures:
    """AUC of contradictions against paraphrases, all and by kind; errors at the threshold; whether claims name the word."""
    right = judged.of((one["paraphrase"], one["reference"]) for one in triplets)
    minimal = judged.of((one["contradiction"], one["reference"]) for one in triplets)
    reworded = judged.of((one["contradiction_reworded"], one["reference"]) for one in triplets)
    kinds = np.array([one["kind"] for one in triplets])
    scores = [np.array([one.contradiction for one in found]) for found in (right, minimal, reworded)]
    yield "AUC, all contradictions", _auc(scores[0], np.concatenate(scores[1:]))
    yield "AUC, minimal edits", _auc(scores[0], scores[1])
    yield "AUC, reworded contradictions", _auc(scores[0], scores[2])
    for kind in sorted(set(kinds)):
        own = [values[kinds == kind] for values in scores]
        yield f"AUC, {kind}", _auc(own[0], np.concatenate(own[1:]))
    yield "false alarms", float((scores[0] > threshold).mean())
    yield "misses, minimal edits", float((scores[1] <= threshold).mean())
    yield "misses, reworded", float((scores[2] <= threshold).mean())
    yield "paraphrases with a claim", float(np.mean([bool(one.claims) for one in right]))
    named = [_named(one, found) for one, found in zip(triplets, minimal, strict=True)]
    yield "first claim names the edited word", float(np.mean([first for first, _ in named]))
    yield "some claim names the edited word", float(np.mean([some for _, some in named]))


def figures_of_pairs(judged: Judged, pairs: Sequence[Pair], threshold: float) -> Figures:
    """AUC, all and by kind, and errors at the threshold."""
    found = judged.of((one.answer, one.reference) for one in pairs)
    scores = np.array([one.contradiction for one in found])
    labels = np.array([one.contradicts for one in pairs])
    kinds = np.array([one.kind for one in pairs])
    yield "pairs", len(pairs)
    yield "AUC", _auc(scores[~labels], scores[labels])
    for kind in sorted(set(kinds)):
        yield f"AUC, {kind}", _auc(scores[(kinds == kind) & ~labels], scores[(kinds == kind) & labels])
    yield "false alarms", float((scores[~labels] > threshold).mean())
    yield "misses", float((scores[labels] <= threshold).mean())
    yield (
        "right pairs with a claim",
        float(np.mean([bool(one.claims) for one, bad in zip(found, labels, strict=True) if not bad])),
    )


def contexts_of(triplets: Sequence[dict[str, str]], *, seed: int = 5) -> list[Context]:
    """120 texts of three triplets each, one of whose sentences is wrong."""
    random = Random(seed)  # noqa: S311 - repeatable, no secret
    found = []
    for _ in range(N_CONTEXTS):
        chosen, at = random.sample(list(triplets), 3), random.randrange(3)
        wrong = chosen[at][random.choice(("contradiction", "contradiction_reworded"))]
        right = [one["paraphrase"] for one in chosen]
        answer = [wrong if place == at else text for place, text in enumerate(right)]
        random.shuffle(right)
        random.shuffle(answer)
        found.append(Context([one["reference"] for one in chosen], right, answer, wrong))
    return found


def figures_of_contexts(judged: Judged, contexts: Sequence[Context], threshold: float) -> Figures:
    """AUC of the texts with a wrong sentence against those without, and how often it is the worst."""
    right = judged.of((" ".join(one.right), " ".join(one.reference)) for one in contexts)
    wrong = judged.of((" ".join(one.answer), " ".join(one.reference)) for one in contexts)
    scores = [np.array([one.contradiction for one in found]) for found in (right, wrong)]
    yield "texts", 2 * len(contexts)
    yield "AUC", _auc(*scores)
    yield "false alarms", float((scores[0] > threshold).mean())
    yield "misses", float((scores[1] <= threshold).mean())
    named = [
        judgement.worst is not None and " ".join(one.answer)[slice(*judgement.worst)] == one.wrong
        for one, judgement in zip(contexts, wrong, strict=True)
    ]
    yield "the wrong sentence is the worst", float(np.mean(named))


def edited_words(text: str, other: str) -> list[Span]:
    """Where `text` differs from `other`, word by word; where words were only taken out, the words on either side."""
    words, spans = _split(text)
    others, _ = _split(other)
    found: list[Span] = []
    for tag, start, end, _, _ in difflib.SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        if tag != "equal":
            found += spans[start:end] or spans[max(0, start - 1) : start + 2]
    return found


def _split(text: str) -> tuple[list[str], list[Span]]:
    words, spans, at = [], [], 0
    for piece in text.split():
        start = text.index(piece, at)
        at = start + len(piece)
        bare = piece.strip(".,;:!?")
        words.append(bare.lower())
        spans.append((start, start + len(bare)))
    return words, spans


def _named(one: dict[str, str], found: Judgement) -> tuple[bool, bool]:
    """Whether the first claim, and any claim, stands on a word that was edited, in either text."""
    in_answer = edited_words(one["contradiction"], one["reference"])
    in_reference = edited_words(one["reference"], one["contradiction"])
    hits = [
        _touches(claim.answer_spans, in_answer) or _touches(claim.reference_spans, in_reference)
        for claim in found.claims
    ]
    return bool(hits) and hits[0], any(hits)


def _touches(spans: Iterable[Span], others: Sequence[Span]) -> bool:
    return any(start < last and first < end for start, end in spans for first, last in others)


def _auc(negative: Any, positive: Any) -> float:
    scores = np.concatenate([negative, positive])
    labels = np.concatenate([np.zeros(len(negative), bool), np.ones(len(positive), bool)])
    return float(auc(scores, labels) or 0.0)

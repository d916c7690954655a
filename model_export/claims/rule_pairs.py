"""Pairs made by rule from captions of one part of SugarCrepe++: edited versions, rewrites, shortened ones, and sentences that
stand among others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from handler.claims._edits import Edit, false_versions, rewrites
from model_export.claims.pairs import Pair, Triplet, part_of

__all__ = ["caption_pairs", "context_pairs"]

FALSE_PER_CAPTION = 2
COMMONEST = 600  # pairs of one kind of edit at most
N_CONTEXTS = 600
SENTENCES = 3
_TAIL = re.compile(r" (?:in|on|at|near|beside|behind|with|under|by|next to|in front of) [^,]{4,40}$")


def caption_pairs(triplets: Sequence[Triplet], part: str, *, seed: int = 11) -> Iterator[Pair]:
    """Of every caption of the part: false versions against it and against its paraphrase, rewrites of it and of its false
    versions, and the caption without its last phrase."""
    random = Random(seed)
    captions = {one.caption: one for one in triplets if part_of(one.image) == part}
    left: dict[str, int] = {}
    for caption, one in captions.items():
        false = false_versions(caption, seed=seed)
        random.shuffle(false)
        false.sort(key=lambda edit: left.get(edit.kind, 0))  # the rarer kinds first
        for edit in false[:FALSE_PER_CAPTION]:
            if left.get(edit.kind, 0) < COMMONEST:
                left[edit.kind] = left.get(edit.kind, 0) + 1
                yield from _of_false(one, edit, random)
        for edit in rewrites(caption, seed=seed):
            if random.random() < 0.5:
                yield _either_way(random, edit.text, caption, False, edit.kind, one.image)
        shorter = _TAIL.sub("", caption.rstrip(". "))
        if shorter != caption.rstrip(". ") and len(shorter.split()) > 3 and random.random() < 0.3:
            yield _either_way(random, shorter, caption, False, "shorter", one.image)


def _of_false(one: Triplet, edit: Edit, random: Random) -> Iterator[Pair]:
    yield _either_way(random, edit.text, one.caption, True, edit.kind, one.image)
    lost = " ".join(one.caption[start:end] for start, end in edit.replaced).lower()
    shared = {word for word in re.findall(r"[a-z]+", lost) if word not in {"a", "an", "the", "of"}}
    if shared and all(re.search(rf"\b{word}", one.paraphrase.lower()) for word in shared) or edit.kind == "negation":
        if random.random() < 0.7:
            yield _either_way(random, edit.text, one.paraphrase, True, edit.kind, one.image)
    again = rewrites(edit.text, seed=len(edit.text))
    if again:
        told = random.choice(again)
        if random.random() < 0.6:
            yield _either_way(random, told.text, edit.text, False, told.kind, one.image)
        if random.random() < 0.5:
            yield _either_way(random, told.text, one.caption, True, edit.kind, one.image)


def _either_way(random: Random, first: str, second: str, contradicts: bool, kind: str, group: str) -> Pair:
    """Two texts contradict each other whichever is the answer."""
    answer, reference = (first, second) if random.random() < 0.5 else (second, first)
    return Pair(answer, reference, contradicts, kind, group)


def context_pairs(triplets: Sequence[Triplet], part: str, *, seed: int = 13) -> Iterator[Pair]:
    """Sentences of three-sentence answers about three images, one of them false, against three-sentence references."""
    random = Random(seed)
    own = [one for one in triplets if part_of(one.image) == part]
    for number in range(N_CONTEXTS):
        chosen = random.sample(own, SENTENCES)
        wrong = random.randrange(SENTENCES)
        told = [(one.negative if at == wrong else one.paraphrase, at == wrong) for at, one in enumerate(chosen)]
        random.shuffle(told)
        answer, reference = _joined([text for text, _ in told]), _joined([one.caption for one in chosen])
        for at, (_, contradicts) in enumerate(told):
            yield Pair(answer, reference, contradicts, "context", f"context-{number}", at)


def _joined(sentences: Sequence[str]) -> str:
    return " ".join(f"{one.rstrip(' .')}." for one in sentences)

"""Pairs made by rule from captions of one part of SugarCrepe++: edited, rewritten, shortened, and among other sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from handler.claims._edits import Edit, false_versions, rewrites
from model_export.claims.pairs import Pair, Triplet, part_of
from model_export.claims.rewording import reworded

__all__ = ["caption_pairs", "context_pairs"]

FALSE_PER_CAPTION = 2
COMMONEST = 600  # pairs of one kind of edit at most
N_CONTEXTS = 600
SENTENCES = 3
_TAIL = re.compile(r" (?:in|on|at|near|beside|behind|with|under|by|next to|in front of) [^,]{4,40}$")


def caption_pairs(triplets: Sequence[Triplet], part: str, *, seed: int = 11) -> Iterator[Pair]:
    """Of every caption of the part: false versions against it and against its paraphrase, rewrites of it and of its false
    versions, and the caption without its last phrase."""
    random = Random(seed)  # noqa: S311 - repeatable, no secret
    captions = {one.caption: one for one in triplets if part_of(one.image) == part}
    made: dict[str, int] = {}
    for caption, one in captions.items():
        false = false_versions(caption, seed=seed)
        random.shuffle(false)
        false.sort(key=lambda edit: made.get(edit.kind, 0))  # the rarer kinds first
        for edit in false[:FALSE_PER_CAPTION]:
            if made.get(edit.kind, 0) < COMMONEST:
                made[edit.kind] = made.get(edit.kind, 0) + 1
                yield from _of_false(one, edit, random)
        yield from _of_right(one, random, seed)


def _of_right(one: Triplet, random: Random, seed: int) -> Iterator[Pair]:
    for edit in rewrites(one.caption, seed=seed):
        if random.random() < 0.5:
            yield _either_way(random, edit.text, one.caption, False, edit.kind, one.image)
    for text, other in ((one.caption, one.caption), (one.caption, one.paraphrase), (one.paraphrase, one.caption)):
        told = reworded(text, random)
        if told != other:
            yield _either_way(random, told, other, False, "reworded", one.image)
    bare = one.caption.rstrip(". ")
    shorter = _TAIL.sub("", bare)
    if shorter != bare and len(shorter.split()) > 3 and random.random() < 0.3:
        yield _either_way(random, shorter, one.caption, False, "shorter", one.image)


def _of_false(one: Triplet, edit: Edit, random: Random) -> Iterator[Pair]:
    yield _either_way(random, edit.text, one.caption, True, edit.kind, one.image)
    lost = " ".join(one.caption[start:end] for start, end in edit.replaced).lower()
    shared = {word for word in re.findall(r"[a-z]+", lost) if word not in {"a", "an", "the", "of"}}
    said = shared and all(re.search(rf"\b{word}", one.paraphrase.lower()) for word in shared)
    if (said or edit.kind == "negation") and random.random() < 0.7:
        yield _either_way(random, edit.text, one.paraphrase, True, edit.kind, one.image)
    told = reworded(edit.text, random)
    if told != edit.text and random.random() < 0.6:
        yield _either_way(random, told, edit.text, False, "reworded", one.image)
    if random.random() < 0.6:
        yield _either_way(random, told, one.paraphrase if said else one.caption, True, edit.kind, one.image)


def _either_way(random: Random, first: str, second: str, contradicts: bool, kind: str, group: str) -> Pair:
    """Two texts contradict each other whichever is the answer."""
    answer, reference = (first, second) if random.random() < 0.5 else (second, first)
    return Pair(answer, reference, contradicts, kind, group)


def context_pairs(triplets: Sequence[Triplet], part: str, *, seed: int = 13) -> Iterator[Pair]:
    """Sentences of three-sentence answers about three images, one of them false, against three-sentence references."""
    random = Random(seed)  # noqa: S311 - repeatable, no secret
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

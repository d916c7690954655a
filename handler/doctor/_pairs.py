"""Pairs made of a reference: one version that is still true of the picture, and one that no longer is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

__all__ = ["ANOTHER", "Described", "MadePair", "Version", "Versions", "made_pairs", "rank_of"]


ANOTHER = "another person"
MOST_REWRITES = 4  # rules applied to one reference


class Version(Protocol):
    """An edited reference. kind: what was changed. spans: the edit in the new text."""

    @property
    def kind(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def spans(self) -> tuple[tuple[int, int], ...]: ...


Versions = Callable[[str], Iterable[Version]]


class Described(NamedTuple):
    """What a person saw in a picture, and what others saw in the same one."""

    text: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadePair:
    """kind: of the false version. true: what says the same as the reference, source: another person or the rules that made
    it. false: the reference with one thing changed, spans: where."""

    kind: str
    reference: str
    true: str
    source: str
    false: str
    spans: tuple[tuple[int, int], ...]


def made_pairs(described: Described, *, edits: Iterable[Version], rewrites: Versions, seed: int) -> Iterator[MadePair]:
    """At most one pair of each kind, so that the pairs of a kind are as independent as the pictures are.

    The true version is what another person said of the picture; where nobody did, the reference rewritten by rule, one
    rule after another. Which edit, person and rules are taken follows from hashes with the seed. A version equal to the
    reference is none; without a true one there is no pair.
    """
    reference = described.text
    true, source = _from_another(described, seed) or _reworded(reference, rewrites, seed)
    if not source:
        return
    by_kind: dict[str, list[Version]] = {}
    for edit in edits:
        if edit.text not in (reference, true):
            by_kind.setdefault(edit.kind, []).append(edit)
    for kind, found in by_kind.items():
        false = found[rank_of(seed, kind, reference) % len(found)]
        yield MadePair(kind, reference, true, source, false.text, false.spans)


def _from_another(described: Described, seed: int) -> tuple[str, str] | None:
    others = [one for one in dict.fromkeys(described.others) if one != described.text]
    return (others[rank_of(seed, ANOTHER, described.text) % len(others)], ANOTHER) if others else None


def _reworded(reference: str, rewrites: Versions, seed: int) -> tuple[str, str]:
    """The reference after as many rewrites as apply, each rule once: one alone leaves most words as they were."""
    text, done = reference, list[str]()
    while len(done) < MOST_REWRITES:
        found = [one for one in rewrites(text) if one.kind not in done and one.text not in (reference, text)]
        if not found:
            break
        chosen = found[rank_of(seed, reference, *done) % len(found)]
        text = chosen.text
        done.append(chosen.kind)
    return text, " + ".join(done)


def rank_of(seed: int, *words: str) -> int:
    """A number that words and seed always give, spread evenly over 64 bits."""
    text = "\0".join([str(seed), *words]).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")

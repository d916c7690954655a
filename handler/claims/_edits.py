"""From a description that is true: minimally edited versions that are false of the scene, and versions that say the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from handler.claims._analysis import analyse
from handler.claims._contract import Span
from handler.claims._false_edits import FALSE_EDITS
from handler.claims._phrases import Change, apply
from handler.claims._rewrites import REWRITES
from handler.claims._slot_types import Analysis

__all__ = ["REWRITE_KINDS", "Edit", "false_versions", "rewrites"]

REWRITE_KINDS = tuple(REWRITES)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited text. kind: what was changed, a `Kind` of false versions, one of REWRITE_KINDS of rewrites. false: whether
    it now says something else. spans: the edit in the new text; replaced: in the text it was made from."""

    text: str
    kind: str
    false: bool
    spans: tuple[Span, ...]
    replaced: tuple[Span, ...]


def false_versions(text: str, *, seed: int = 0) -> list[Edit]:
    """At most one false version per kind, in the order of `Kind`'s table: negation, number, attribute, direction, role,
    opposite, object, place, action. A kind that does not apply is left out. Text is taken for English.
    The same for the same text and seed."""
    return _edits(text, {kind.value: make for kind, make in FALSE_EDITS.items()}, seed, false=True)


def rewrites(text: str, *, seed: int = 0) -> list[Edit]:
    """At most one correct rewrite per kind of REWRITE_KINDS: active and passive voice, a synonym, another order, numbers as
    words or digits, another wording. The same for the same text and seed."""
    return _edits(text, REWRITES, seed, false=False)


def _edits(
    text: str, makers: Mapping[str, Callable[[str, Analysis], Iterator[Change]]], seed: int, *, false: bool
) -> list[Edit]:
    analyses = analyse(text)
    found = []
    for kind, make in makers.items():
        possible = [change for one in analyses for change in make(text, one)]
        if possible:
            digest = hashlib.sha256(f"{seed}\n{kind}\n{text}".encode("utf-8", "surrogatepass")).digest()
            chooser = Random(int.from_bytes(digest[:8], "big"))  # noqa: S311 - repeatable, no secret
            change = chooser.choice(possible)
            changed, spans = apply(text, change)
            if changed != text:
                found.append(Edit(changed, kind, false, spans, tuple((start, end) for start, end, _ in change)))
    return found

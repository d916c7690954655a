"""Pairs of sentences and whether they contradict each other: SugarCrepe++ and its parts by image."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from handler.errors import InputError

__all__ = ["Pair", "Triplet", "part_of", "read_sugarcrepe", "sugarcrepe_pairs"]

_FILES = ("replace_att", "replace_obj", "replace_rel", "swap_att", "swap_obj")


@dataclass(frozen=True, slots=True)
class Pair:
    """An answer and its reference. contradicts: the label. kind: what was changed. group: pairs of one group are not
    independent (one image, one template)."""

    answer: str
    reference: str
    contradicts: bool
    kind: str
    group: str
    sentence: int = 0


@dataclass(frozen=True, slots=True)
class Triplet:
    """A caption, another person's caption that says the same, and one that is false of the image."""

    image: str
    kind: str
    caption: str
    paraphrase: str
    negative: str


def part_of(image: str) -> str:
    """train (70 %), dev (10 %) or test (20 %), by the MD5 of the image's name: all captions of an image share a part."""
    tenth = int(hashlib.md5(image.encode(), usedforsecurity=False).hexdigest(), 16) % 10
    return "train" if tenth < 7 else "dev" if tenth < 8 else "test"


def read_sugarcrepe(folder: Path) -> list[Triplet]:
    """The five files `scpp_<kind>.json` (or `<kind>.json`) of SugarCrepe++, in a fixed order."""
    found = []
    for kind in _FILES:
        path = next((path for name in (f"scpp_{kind}.json", f"{kind}.json") if (path := folder / name).exists()), None)
        if path is None:
            raise InputError(f"no {kind}.json of SugarCrepe++", file=str(folder), hint="Give the folder of its data.")
        for row in json.loads(path.read_text("utf-8")):
            texts = (row["caption"], row["caption2"], row["negative_caption"])
            found.append(Triplet(row["filename"], kind, *(text.strip() for text in texts)))
    return found


def sugarcrepe_pairs(triplets: list[Triplet], part: str) -> Iterator[Pair]:
    """Each triplet's four pairs, every pair of texts once."""
    seen = set()
    for one in triplets:
        if part_of(one.image) != part:
            continue
        for reference, answer, contradicts in (
            (one.caption, one.paraphrase, False),
            (one.caption, one.negative, True),
            (one.paraphrase, one.negative, True),
            (one.paraphrase, one.caption, False),
        ):
            if (reference, answer) not in seen:
                seen.add((reference, answer))
                yield Pair(answer, reference, contradicts, one.kind, one.image)

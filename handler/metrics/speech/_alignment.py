"""Words or characters of two transcripts, aligned with the fewest edits.

The alignment is RapidFuzz's, which is also what jiwer computes its figures from, so both break ties alike. jiwer itself
would add an API for whole lists and click, for its terminal, to arithmetic that fits this page; per-utterance counts,
several references and rates without a reference have to be ours either way.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

__all__ = ["Counts", "Op", "Pair", "aligned", "character_counts", "drawn", "word_counts"]

Op = Literal["=", "S", "D", "I"]
_CONTEXT = 3  # words shown on each side of an edit
_MOST_SHOWN = 60  # words of one drawing
_LONGEST = 40  # characters of one word in a drawing
_GAP = "…"


class Counts(NamedTuple):
    """hits, substitutions, deletions (only in the reference), insertions (only in the hypothesis)."""

    hits: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

    @property
    def edits(self) -> int:
        """Substitutions, deletions and insertions."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def n_reference(self) -> int:
        """Words or characters of the reference."""
        return self.hits + self.substitutions + self.deletions

    @property
    def n_hypothesis(self) -> int:
        """Words or characters of the hypothesis."""
        return self.hits + self.substitutions + self.insertions

    def plus(self, other: Counts) -> Counts:
        """The counts of both."""
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))

    def error_rate(self, *, as_jiwer: bool = False) -> float | None:
        """Edits per reference word, 0 or more. Without a reference: 0 when nothing was said either, else None, or as
        jiwer 4 the number of insertions."""
        if self.n_reference:
            return self.edits / self.n_reference
        return float(self.insertions) if as_jiwer or not self.insertions else None

    @property
    def match_error_rate(self) -> float:
        """MER: the share of edits among aligned pairs, 0..1. Source: Morris, Maier & Green (Interspeech 2004)."""
        return self.edits / (self.edits + self.hits) if self.edits else 0.0

    @property
    def information_preserved(self) -> float:
        """WIP: hits per reference word times hits per hypothesis word, 0..1; WIL is 1 - WIP. Source: as MER's."""
        if not self.n_reference and not self.n_hypothesis:
            return 1.0
        return self.hits / self.n_reference * (self.hits / self.n_hypothesis) if self.hits else 0.0


class Pair(NamedTuple):
    """Two words that stand for one another. op: = same, S substituted, D deleted, I inserted; None where one lacks."""

    op: Op
    reference: str | None
    hypothesis: str | None


def aligned(reference: Sequence[str], hypothesis: Sequence[str]) -> list[Pair]:
    """The words of both, in pairs."""
    return list(_pairs(reference, hypothesis))


def word_counts(pairs: Sequence[Pair]) -> Counts:
    """How often each operation comes up."""
    ops = [pair.op for pair in pairs]
    return Counts(ops.count("="), ops.count("S"), ops.count("D"), ops.count("I"))


def character_counts(reference: str, hypothesis: str) -> Counts:
    """Of two texts, by code point, spaces included."""
    if reference == hypothesis:
        return Counts(hits=len(reference))
    from rapidfuzz.distance import Levenshtein

    found = {"replace": 0, "delete": 0, "insert": 0}
    for operation in Levenshtein.editops(reference, hypothesis):
        found[operation.tag] += 1
    substitutions, deletions = found["replace"], found["delete"]
    return Counts(len(reference) - substitutions - deletions, substitutions, deletions, found["insert"])


def _pairs(reference: Sequence[str], hypothesis: Sequence[str]) -> Iterator[Pair]:
    from rapidfuzz.distance import Levenshtein

    ids: dict[str, int] = {}  # equal numbers for equal words: RapidFuzz would compare hashes of words
    one = [ids.setdefault(word, len(ids)) for word in reference]
    other = [ids.setdefault(word, len(ids)) for word in hypothesis]
    for code in Levenshtein.opcodes(one, other):
        words, heard = reference[code.src_start : code.src_end], hypothesis[code.dest_start : code.dest_end]
        if code.tag == "delete":
            yield from (Pair("D", word, None) for word in words)
        elif code.tag == "insert":
            yield from (Pair("I", None, word) for word in heard)
        else:
            op: Op = "=" if code.tag == "equal" else "S"
            yield from (Pair(op, word, other_word) for word, other_word in zip(words, heard, strict=True))


def drawn(pairs: Sequence[Pair]) -> list[str]:
    """Three lines for a fixed-width font, as sclite's: REF, HYP, and the edits below. Long runs without an edit, and what
    is beyond the first 60 words, are shown as "…"."""
    columns = [_column(pair) for pair in _excerpt(pairs)]
    lines = zip(*columns, strict=True) if columns else ((), (), ())
    return [f"{title} {' '.join(line)}".rstrip() for title, line in zip(("REF:", "HYP:", "    "), lines, strict=True)]


def _excerpt(pairs: Sequence[Pair]) -> Iterator[Pair | None]:
    """The pairs near edits; None for a gap."""
    n_shown = place = 0
    for same, run in groupby(pairs, key=lambda pair: pair.op == "="):
        words = list(run)
        place += len(words)
        before = 0 if place == len(words) else _CONTEXT
        after = 0 if place == len(pairs) else _CONTEXT
        if same and len(words) >= before + after + _CONTEXT:
            shown: list[Pair | None] = [*words[:before], None, *words[len(words) - after :]]
        else:
            shown = list(words)
        if n_shown + len(shown) > _MOST_SHOWN:
            yield from shown[: _MOST_SHOWN - n_shown]
            yield None
            return
        n_shown += len(shown)
        yield from shown


def _column(pair: Pair | None) -> tuple[str, str, str]:
    if pair is None:
        return (_GAP, _GAP, " ")
    words = [_clipped(pair.reference), _clipped(pair.hypothesis)]
    width = max(map(_width, words))
    reference, hypothesis = ("*" * width if not word else word + " " * (width - _width(word)) for word in words)
    return (reference, hypothesis, (" " if pair.op == "=" else pair.op).ljust(width))


def _clipped(word: str | None) -> str:
    return word or "" if not word or len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}{_GAP}"


def _width(word: str) -> int:
    """Columns of a terminal."""
    if word.isascii():
        return len(word)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in word
    )

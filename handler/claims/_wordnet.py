"""The pruned WordNet lexicon at run time: read once, looked up by binary search, base forms by WordNet's own rules.

Built by `python -m model_export.claims.lexicon`; WordNet's licence lies beside the data.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["PARTS_OF_SPEECH", "Lexicon", "Reading", "lexicon", "readings"]

PARTS_OF_SPEECH = "nvar"
_FILE = Path(__file__).parent / "data" / "wordnet.npz"

# Detachment rules (WordNet's morphy(7WN)): ending, what replaces it.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"), ("s", "")
    ),
    "v": (("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("s", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e"), ("ier", "y"), ("iest", "y")),
    "r": (),
}  # fmt: skip


class Reading(NamedTuple):
    """A form as one part of speech: its base form, how often WordNet's texts are tagged with it, its entry."""

    pos: str
    lemma: str
    tagged: int
    entry: int


@dataclass(frozen=True, slots=True)
class _Lists:
    """Lists of numbers, flat: list i is values[starts[i]:starts[i + 1]]."""

    starts: array[int]
    values: array[int]

    def __getitem__(self, i: int) -> list[int]:
        return self.values[self.starts[i] : self.starts[i + 1]].tolist()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """words: sorted; entry e of word w: first_entry[w] <= e < first_entry[w + 1]; senses, antonyms, derived: per entry;
    field, hypernyms, similar: per synset (field: number of the lexicographer's file, lexnames(5WN))."""

    words: list[str]
    first_entry: array[int]
    pos: array[int]
    count: array[int]
    senses: _Lists
    antonyms: _Lists
    derived: _Lists
    field: array[int]
    hypernyms: _Lists
    similar: _Lists
    irregular: list[str]
    irregular_entry: array[int]

    def entries(self, word: str) -> range:
        """Entries of a base form; empty when WordNet has no such word."""
        at = bisect_left(self.words, word)
        if at == len(self.words) or self.words[at] != word:
            return range(0)
        return range(self.first_entry[at], self.first_entry[at + 1])

    def word_of(self, entry: int) -> str:
        """The base form of an entry."""
        return self.words[bisect_right(self.first_entry, entry) - 1]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon, read on first use (some 10 ms)."""
    with np.load(_FILE, allow_pickle=False) as file:
        arrays: dict[str, NDArray[np.generic]] = {name: file[name] for name in file.files}

    def lists(name: str) -> _Lists:
        return _Lists(_starts(arrays[f"n_{name}"]), _array(arrays[name]))

    return Lexicon(
        words=_words(arrays["words"]),
        first_entry=_starts(arrays["n_entries"]),
        pos=_array(arrays["pos"]),
        count=_array(arrays["count"]),
        senses=lists("senses"),
        antonyms=lists("antonyms"),
        derived=lists("derived"),
        field=_array(arrays["field"]),
        hypernyms=lists("hypernyms"),
        similar=lists("similar"),
        irregular=_words(arrays["irregular"]),
        irregular_entry=_array(arrays["irregular_entry"]),
    )


def _words(blob: NDArray[np.generic]) -> list[str]:
    return blob.tobytes().decode("ascii").split("\n")


def _array(values: NDArray[np.generic]) -> array[int]:
    """As array.array: a third of a list's memory, a third of NumPy's time per single value."""
    found = array("I")
    found.frombytes(values.astype(np.uint32).tobytes())
    return found


def _starts(lengths: NDArray[np.generic]) -> array[int]:
    return _array(np.concatenate([[0], np.cumsum(lengths, dtype=np.uint32)]))


@lru_cache(maxsize=16384)
def readings(form: str) -> tuple[Reading, ...]:
    """What a form in lower case can be, one reading per part of speech, in the order n, v, a, r."""
    lists = lexicon()
    found: dict[str, int] = {}
    at = bisect_left(lists.irregular, form)
    while at < len(lists.irregular) and lists.irregular[at] == form:
        entry = lists.irregular_entry[at]
        found.setdefault(PARTS_OF_SPEECH[lists.pos[entry]], entry)
        at += 1
    own = {PARTS_OF_SPEECH[lists.pos[entry]]: entry for entry in lists.entries(form)}
    for pos in PARTS_OF_SPEECH:
        if pos not in found:
            entry_of = own.get(pos)
            other_word = pos == "a" and "n" in own and lists.count[own["n"]] > 0  # customer is no comparative of custom
            may_detach = (entry_of is None and not other_word) or _looks_inflected(form, pos)
            detached = _detach(form, pos) if may_detach else None
            entry_of = detached if detached is not None else entry_of
            if entry_of is not None:
                found[pos] = entry_of
    return tuple(
        Reading(pos, lists.word_of(found[pos]), lists.count[found[pos]], found[pos])
        for pos in PARTS_OF_SPEECH
        if pos in found
    )


def _looks_inflected(form: str, pos: str) -> bool:
    """An inflected form that has an entry of its own (glasses, beings) is mostly the inflection."""
    if pos == "n":
        return form.endswith("s") and not form.endswith(("ss", "us", "is"))
    return pos == "v" and form.endswith("ing") and len(form) > 5


def _detach(form: str, pos: str) -> int | None:
    for ending, instead in _ENDINGS[pos]:
        if form.endswith(ending) and len(form) > len(ending) + 1:
            base = form[: -len(ending)] + instead
            doubled = pos in "va" and len(base) > 3 and base[-1] == base[-2] and not instead
            for candidate in (base, base[:-1]) if doubled else (base,):
                entry = _entry(candidate, pos)
                if entry is not None:
                    return entry
    return None


def _entry(word: str, pos: str) -> int | None:
    lists = lexicon()
    return next((entry for entry in lists.entries(word) if PARTS_OF_SPEECH[lists.pos[entry]] == pos), None)

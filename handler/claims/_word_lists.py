"""The project's own word lists (data/words.toml), read once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["WordLists", "word_lists"]

_FILE = Path(__file__).parent / "data" / "words.toml"

Words = frozenset[str]
_SHARES = frozenset("half few dozen number both neither none nobody no all every each".split())


@dataclass(frozen=True, slots=True)
class WordLists:
    """What data/words.toml says, ready to look up. attributes: word to (family, values); axis_words: word to (axis, sign);
    axis_phrases: phrase of words to (axis, sign); opposites, synonyms, converse: word to the words on the other side;
    opposite_phrases: "verb particle" to the same; counting,
    negating, axis_starts: words that a number, a negation or an axis phrase can begin with."""

    function: Mapping[str, Words]
    negation: Mapping[str, Words]
    numbers: Mapping[str, int]
    bounds: Mapping[str, str]
    quantifiers: Mapping[str, Words]
    counting: Words
    negating: Words
    axis_starts: Words
    attributes: Mapping[str, tuple[tuple[str, Words], ...]]
    axis_words: Mapping[str, tuple[tuple[str, int], ...]]
    axis_phrases: Mapping[tuple[str, ...], tuple[str, int]]
    symmetric_axes: Words
    loose_axes: Words
    posture: Words
    joined_prepositions: Words
    symmetric_prepositions: Words
    particle_of: Words
    opposed_prepositions: Mapping[str, Words]
    opposites: Mapping[str, Words]
    opposite_phrases: Mapping[str, Words]
    synonyms: Mapping[str, Words]
    giving: Words
    receiving: Words
    converse: Mapping[str, Words]
    mutual: Words
    place_prepositions: Words
    place_fields: frozenset[int]


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    """The lists, read on first use (some 5 ms)."""
    tables = tomllib.loads(_FILE.read_text("utf-8"))
    axes: dict[str, Any] = tables["axes"]
    quantifiers = {name: _words(text) for name, text in tables["numbers"].items() if isinstance(text, str)}
    phrases = _axis_phrases(axes)
    return WordLists(
        function={name: _words(text) for name, text in tables["function"].items()},
        negation={name: _words(text) for name, text in tables["negation"].items()},
        numbers=tables["numbers"]["values"],
        bounds=tables["numbers"]["bounds"],
        quantifiers=quantifiers,
        counting=frozenset(tables["numbers"]["values"]).union(*quantifiers.values(), _SHARES),
        negating=frozenset().union(*(_words(text) for name, text in tables["negation"].items() if name != "not_un")),
        axis_starts=frozenset(phrase[0] for phrase in phrases),
        attributes=_attributes(tables["attributes"]),
        axis_words=_axis_words(axes),
        axis_phrases=phrases,
        symmetric_axes=frozenset(tables["directions"]["symmetric"]),
        loose_axes=frozenset(tables["directions"]["loose"]),
        posture=_words(tables["roles"]["posture"]),
        joined_prepositions=_words(tables["roles"]["joined_prepositions"]),
        symmetric_prepositions=_words(tables["roles"]["symmetric_prepositions"]),
        particle_of=_words(tables["directions"]["particle_of"]),
        opposed_prepositions=_both_ways(tables["directions"]["opposed"]),
        opposites=_both_ways(pair.split() for pair in tables["opposites"]["pairs"]),
        opposite_phrases=_both_ways(tables["opposites"]["phrases"]),
        synonyms=_both_ways(group.split() for group in tables["synonyms"]["groups"]),
        giving=_words(tables["roles"]["giving"]),
        receiving=_words(tables["roles"]["receiving"]),
        converse=_both_ways(pair.split() for pair in tables["roles"]["converse"]),
        mutual=_words(tables["roles"]["mutual"]),
        place_prepositions=_words(tables["places"]["prepositions"]),
        place_fields=frozenset(tables["places"]["fields"]),
    )


def _words(text: str) -> Words:
    return frozenset(text.split())


def _both_ways(groups: Iterable[Iterable[str]]) -> dict[str, Words]:
    """Every word of a group to the others of its groups."""
    found: dict[str, set[str]] = {}
    for group in map(tuple, groups):
        for word in group:
            found.setdefault(word, set()).update(other for other in group if other != word)
    return {word: frozenset(others) for word, others in found.items()}


def _attributes(families: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[tuple[str, Words], ...]]:
    found: dict[str, dict[str, set[str]]] = {}
    for family, values in families.items():
        for value, words in values.items():
            for word in words.split():
                found.setdefault(word, {}).setdefault(family, set()).add(value)
    return {word: tuple((family, frozenset(v)) for family, v in kinds.items()) for word, kinds in found.items()}


def _axis_phrases(axes: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, ...], tuple[str, int]]:
    return {
        tuple(phrase.split()): (axis, sign)
        for axis, table in axes.items()
        for name, sign in (("plus_phrases", 1), ("minus_phrases", -1))
        for phrase in table.get(name, ())
    }


def _axis_words(axes: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[tuple[str, int], ...]]:
    found: dict[str, list[tuple[str, int]]] = {}
    for axis, table in axes.items():
        for name, sign in (("plus", 1), ("minus", -1)):
            for word in table.get(name, "").split():
                found.setdefault(word, []).append((axis, sign))
    return {word: tuple(signs) for word, signs in found.items()}

"""Captions said again in quite other words: several rewrites one after the other, and WordNet's synonyms of first senses."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from handler.claims._analysis import analyse
from handler.claims._edits import rewrites
from handler.claims._inflection import like
from handler.claims._phrases import apply, with_article
from handler.claims._wordnet import PARTS_OF_SPEECH, lexicon, readings

__all__ = ["reworded"]

COMMON = 2  # times WordNet's texts were tagged with a word that is put in another's place
SHARE_REPLACED = 0.5  # of the words that have a synonym


def reworded(text: str, random: Random, *, steps: int = 3) -> str:
    """The text after up to `steps` rewrites of different kinds and with about half of its words replaced by synonyms."""
    done: set[str] = set()
    for _ in range(random.randint(1, steps)):
        possible = [edit for edit in rewrites(text, seed=random.randrange(1000)) if edit.kind not in done]
        if possible:
            edit = random.choice(possible)
            done.add(edit.kind)
            text = edit.text
    return _with_synonyms(text, random)


def _with_synonyms(text: str, random: Random) -> str:
    words = [one.words[index] for one in analyse(text) for index in one.content]
    for word in reversed(words):
        if word.form != word.lower or random.random() > SHARE_REPLACED:
            continue
        formed = [
            form for other in _synonyms(word.lemma, word.pos) if (form := like(word.lower, word.lemma, word.pos, other))
        ]
        if formed:
            text, _ = apply(text, with_article(text, word.span, random.choice(formed)))
    return text


@lru_cache(maxsize=8192)
def _synonyms(lemma: str, pos: str) -> tuple[str, ...]:
    """Common words whose first sense is the word's first sense."""
    words = lexicon()
    found = []
    for one in readings(lemma):
        if one.pos != pos or one.lemma != lemma:
            continue
        first = words.senses[one.entry][0]
        for entry in _entries_by_first_sense().get(first, ()):
            other = words.word_of(entry)
            if other != lemma and words.count[entry] >= COMMON and _main_use(other, pos):
                found.append(other)
    return tuple(found)


def _main_use(word: str, pos: str) -> bool:
    """Whether the word is mostly of that part of speech."""
    return max(readings(word), key=lambda one: one.tagged).pos == pos


@lru_cache(maxsize=1)
def _entries_by_first_sense() -> dict[int, list[int]]:
    words = lexicon()
    found: dict[int, list[int]] = {}
    for entry in range(len(words.pos)):
        if PARTS_OF_SPEECH[words.pos[entry]] in "nva":
            found.setdefault(words.senses[entry][0], []).append(entry)
    return found

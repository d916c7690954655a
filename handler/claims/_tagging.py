"""Parts of speech and clauses: a few rules of context over what WordNet says each word can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from handler.claims._word_lists import word_lists
from handler.claims._wordnet import Reading, readings
from handler.claims._words import Token

__all__ = ["BE", "Class", "Tagged", "tag"]

BE = frozenset("is are was were be been being am 's 're gets get got getting".split())
_GET = frozenset("get gets got getting".split())
_PLACED = frozenset("back inside outside near opposite".split())
_MODAL = frozenset("do does did will would can could may might must shall should not to 'll 'd".split())


class Class(StrEnum):
    """What a word is to a sentence's build."""

    OPEN = "open"  # nouns, verbs, adjectives, adverbs
    DETERMINER = "determiner"
    PRONOUN = "pronoun"
    PREPOSITION = "preposition"
    CONJUNCTION = "conjunction"
    AUXILIARY = "auxiliary"
    ADVERB = "adverb"
    NUMBER = "number"
    MARK = "mark"


@dataclass(slots=True)
class Tagged:
    """A sentence while its slots are being found: one entry per word in every list. clause: its number."""

    lower: list[str]
    form: list[str]
    lemma: list[str]
    pos: list[str]
    kind: list[Class]
    clause: list[int]

    def __len__(self) -> int:
        return len(self.lower)


@lru_cache(maxsize=8192)
def _kind(word: str) -> Class:
    lists = word_lists()
    function = lists.function
    if not word[0].isalnum() and word[0] != "'":
        return Class.MARK
    if word[0].isdigit() or word in lists.numbers or word in lists.quantifiers["several"]:
        return Class.NUMBER
    for name, kind in (
        ("determiners", Class.DETERMINER),
        ("pronouns", Class.PRONOUN),
        ("auxiliaries", Class.AUXILIARY),
        ("prepositions", Class.PREPOSITION),
        ("conjunctions", Class.CONJUNCTION),
        ("adverbs", Class.ADVERB),
    ):
        if word in function[name]:
            return kind
    return Class.ADVERB if word in lists.negation["negators"] else Class.OPEN


def tag(tokens: Sequence[Token]) -> Tagged:
    """Class, part of speech, base form and clause of every word. Function words have the part of speech ""."""
    lower = [word for word, _, _ in tokens]
    kinds = [_kind(word) for word in lower]
    for i in range(len(lower) - 1):
        if lower[i] in _GET and kinds[i + 1] in (Class.DETERMINER, Class.NUMBER):
            kinds[i] = Class.OPEN  # gets a toy, not: gets hurt
        elif lower[i] in _PLACED and i and kinds[i - 1] is Class.DETERMINER and kinds[i + 1] is Class.OPEN:
            kinds[i] = Class.OPEN  # the back door
    sentence = Tagged(lower, list(lower), list(lower), [""] * len(lower), kinds, [0] * len(lower))
    clause, finite, relative = 0, False, False
    clause_words = word_lists().function["clause"]
    for i, word in enumerate(lower):
        kind = kinds[i]
        if (kind is Class.MARK or word in clause_words) and not (
            word == "," and clause == 0 and "v" not in sentence.pos
        ):
            clause += i > 0 and sentence.clause[i - 1] == clause
            finite, relative = False, word in ("who", "which")
        sentence.clause[i] = clause
        if kind is Class.AUXILIARY:
            finite = True
        elif word in ("one", "ones") and i and (kinds[i - 1] is Class.OPEN or lower[i - 1] in ("the", "other")):
            sentence.pos[i] = "n"  # the blue one
        elif kind is Class.OPEN:
            form = _without_un(word)
            found = readings(form)
            if finite and relative and sentence.pos[i - 1] == "n":
                finite = relative = False  # a man who holds a bag waits
            pos = _part_of_speech(sentence, i, found, finite)
            finite = finite or (pos == "v" and not word.endswith("ing") and not _reduced(sentence, i))
            sentence.form[i] = form
            sentence.pos[i] = pos
            sentence.lemma[i] = next((one.lemma for one in found if one.pos == pos), form)
    return sentence


@lru_cache(maxsize=8192)
def _without_un(word: str) -> str:
    """unlocked: locked; uncle, under: as they are."""
    if word.startswith("un") and len(word) > 4 and word not in word_lists().negation["not_un"]:
        rest = word[2:]
        if any(one.pos in "va" for one in readings(rest)):
            return rest
    return word


def _part_of_speech(sentence: Tagged, i: int, found: tuple[Reading, ...], finite: bool) -> str:
    word = sentence.lower[i]
    counts = {one.pos: one.tagged for one in found}
    if not counts:
        return _by_ending(word)
    if len(counts) == 1:
        return next(iter(counts))
    before = i - 1
    while before >= 0 and sentence.kind[before] is Class.ADVERB:
        before -= 1
    previous = sentence.lower[before] if before >= 0 else ""
    kind = sentence.kind[before] if before >= 0 else Class.MARK
    if word.endswith(("ing", "ed")) and "v" in counts and kind is not Class.DETERMINER:
        following = sentence.kind[i + 1] if i + 1 < len(sentence) else Class.MARK
        if following in (Class.DETERMINER, Class.PRONOUN) or not _noun_like(counts):
            return "v"
    if "v" in counts:
        if kind is Class.PRONOUN or (previous in _MODAL and any(one.pos == "v" and one.lemma == word for one in found)):
            return "v"
        if previous in BE and (word.endswith(("ing", "ed")) or _irregular(word, found)):
            return "v"
        after = sentence.pos[before] if kind is Class.OPEN else ""
        if after == "n" and not finite and _finite_here(sentence, i, counts):
            return "v"
        if after == "n" and finite and _caused(sentence, before) and not word.endswith("s"):
            return "v"
        if not word.endswith("ing") and (after == "v" or (after == "n" and "n" in counts)):
            counts.pop("v")
    if kind in (Class.DETERMINER, Class.NUMBER) or (kind is Class.OPEN and sentence.pos[before] == "a"):
        counts.pop("v", None)
        counts.pop("r", None)
        if "a" in counts and "n" in counts:
            return "a" if _noun_follows(sentence, i) and counts["a"] >= counts["n"] else "n"
    if previous in BE and "a" in counts and "n" in counts:
        return "a" if 2 * counts["a"] + 1 >= counts["n"] else "n"
    if kind is Class.PREPOSITION and not word.endswith("ing"):
        counts.pop("v", None)
    return max(counts, key=lambda pos: (counts[pos], pos == "n")) if counts else "n"


def _reduced(sentence: Tagged, i: int) -> bool:
    """police dressed in navy: a participle with a preposition after it is not yet the clause's verb."""
    following = sentence.kind[i + 1] if i + 1 < len(sentence) else Class.MARK
    return sentence.lower[i].endswith("ed") and following is Class.PREPOSITION


def _by_ending(word: str) -> str:
    if word.endswith("ly"):
        return "r"
    return "v" if word.endswith(("ing", "ed")) else "n"


def _noun_like(counts: dict[str, int]) -> bool:
    """building, ceiling, bed: a noun more often than a verb form."""
    return counts.get("n", -1) >= counts["v"]


def _irregular(word: str, found: tuple[Reading, ...]) -> bool:
    """A past form of its own: left, cut, seen, worn."""
    return any(one.pos == "v" and one.lemma != word and not word.endswith("s") for one in found)


def _noun_follows(sentence: Tagged, i: int) -> bool:
    following = i + 1
    if following >= len(sentence) or sentence.kind[following] is not Class.OPEN:
        return False
    if _caused(sentence, i) and any(one.pos == "v" for one in readings(sentence.lower[following])):
        return False
    return any(one.pos in "na" for one in readings(sentence.lower[following])) or not readings(
        sentence.lower[following]
    )


def _caused(sentence: Tagged, i: int) -> bool:
    """Whether word i is the object of a verb that takes a second one: helps the patient stand."""
    start = i - 1
    while start >= 0 and (sentence.kind[start] is Class.DETERMINER or sentence.pos[start] == "a"):
        start -= 1
    return start >= 0 and sentence.pos[start] == "v" and sentence.lemma[start] in word_lists().function["causative"]


def _finite_here(sentence: Tagged, i: int, counts: dict[str, int]) -> bool:
    """A word after a noun that could be the clause's verb: it looks like one, and no clearer one follows."""
    word, previous = sentence.lower[i], sentence.lower[i - 1]
    plural = sentence.lemma[i - 1] != previous or previous in ("people", "police")
    third = word.endswith("s") and not word.endswith("ss")
    past = word.endswith("ed") or _irregular(word, readings(word))
    if not (past or third != plural or "of" in sentence.lower[:i]):  # a group of men waits
        return False
    for j in range(i + 1, len(sentence)):
        kind = sentence.kind[j]
        if kind is Class.MARK or sentence.lower[j] in word_lists().function["clause"]:
            break
        if kind is Class.AUXILIARY:
            return False
        if kind is Class.OPEN and counts.get("n", 0) > counts["v"]:
            other = {one.pos: one.tagged for one in readings(sentence.lower[j])}
            if other.get("v", 0) > other.get("n", 0) and not sentence.lower[j].endswith(("ing", "ed")):
                return False
    return True

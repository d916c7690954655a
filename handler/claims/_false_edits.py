"""Changes that make a sentence false, one kind each, from its slots."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from handler.claims._contract import Kind
from handler.claims._inflection import is_plural, like, plural, third_person
from handler.claims._lexicon import field_of
from handler.claims._phrases import Change, phrase_before, swapped, with_article
from handler.claims._slot_types import Analysis
from handler.claims._word_lists import word_lists

__all__ = ["FALSE_EDITS", "swaps"]

_NUMBERS = "two three four five six seven eight nine ten".split()
_COLOURS = "red blue green yellow black white brown orange pink purple grey".split()
_DIRECTIONS = (
    ("left", "right"), ("above", "below"), ("over", "under"), ("in front of", "behind"), ("on top of", "underneath"),
    ("inside", "outside"), ("up", "down"), ("into", "out of"), ("upstairs", "downstairs"), ("towards", "away from"),
    ("toward", "away from"), ("north", "south"), ("east", "west"), ("indoors", "outdoors"), ("near", "far from"),
    ("next to", "far away from"), ("forwards", "backwards"), ("forward", "backward"), ("on", "under"),
    ("leftmost", "rightmost"), ("upper", "lower"), ("top", "bottom"), ("enter", "leave"), ("enters", "leaves"),
    ("entering", "leaving"), ("ahead of", "behind"), ("beneath", "above"), ("front", "back"),
)  # fmt: skip
_BE = frozenset({"is", "are", "was", "were", "can", "will"})
_OWNERS = frozenset({"a", "an", "the", "his", "her", "its", "their", "some"})
_ANIMATE = frozenset({5, 18})  # lexicographer's files of animals and persons
_THINGS = frozenset({6})  # of artefacts
_EITHER_WAY = frozenset("hit follow chase pass overtake approach block push pull tow stop cover touch support".split())

Maker = Callable[[str, Analysis], Iterator[Change]]


@lru_cache(maxsize=1)
def swaps() -> dict[str, Any]:
    """data/swaps.toml: groups of words that exclude one another, words and phrases that may stand for each other."""
    return tomllib.loads((Path(__file__).parent / "data" / "swaps.toml").read_text("utf-8"))


def _negation(text: str, analysis: Analysis) -> Iterator[Change]:
    words = analysis.words
    if analysis.negators:
        yield from _affirmed(text, analysis)
        return
    for index, word in enumerate(words):
        after = words[index + 1] if index + 1 < len(words) else None
        if (
            word.lower in _BE
            and after is not None
            and after.lower not in {"no", "not"}
            and text[slice(*word.span)].isalpha()
        ):
            yield ((word.span[1], word.span[1], " not"),)
        if word.lower == "with" and after is not None and after.lower in _OWNERS:
            yield ((*word.span, "without"),)
        if word.lower == "there" and after is not None and after.lower in {"is", "are"} and index + 2 < len(words):
            article = words[index + 2]
            if article.lower in {"a", "an", "some"}:
                yield ((*article.span, "no"),)
    for one in analysis.predicates:
        verb = words[one.verb]
        if one.agent is not None and not one.passive and verb.lower == third_person(verb.lemma) != verb.lemma:
            yield ((*verb.span, f"does not {verb.lemma}"),)


def _affirmed(text: str, analysis: Analysis) -> Iterator[Change]:
    """The negator taken away."""
    instead = {"without": "with", "nobody": "somebody", "never": "always", "nothing": "something", "cannot": "can"}
    for index in analysis.negators:
        word = analysis.words[index]
        start, end = word.span
        if word.lower == "not" and text[start:end].lower() == "not":
            yield ((start - 1 if text[start - 1 : start] == " " else start, end, ""),)
        elif word.lower == "no" and index + 1 < len(analysis.words):
            following = analysis.words[index + 1]
            yield with_article(text, (start, end), "some" if is_plural(following.lower, following.lemma) else "a")
        elif word.lower in instead:
            yield ((start, end, instead[word.lower]),)


def _number(text: str, analysis: Analysis) -> Iterator[Change]:
    for one in analysis.quantities:
        word = analysis.words[one.word]
        if one.implied or one.low != one.high or one.low < 2:
            yield from _counted(analysis, one.head) if one.implied else ()
            continue
        if word.lower in _NUMBERS:
            yield from (((*word.span, other),) for other in _NUMBERS if other != word.lower)
        elif word.lower.isdigit() and one.head is not None:
            yield from (((*word.span, str(int(one.low) + step)),) for step in (1, 2, 3))


def _counted(analysis: Analysis, head: int | None) -> Iterator[Change]:
    """ "a cat" becomes "two cats" where no verb has to agree: after another verb or a preposition."""
    if head is None or analysis.roles.get(head) == "agent":
        return
    noun = analysis.words[head]
    after = analysis.words[head + 1].lower if head + 1 < len(analysis.words) else "."
    article = next(
        (at for at in range(head - 1, max(-1, head - 4), -1) if analysis.words[at].lower in {"a", "an"}), None
    )
    if article is None or article < 2 or (after.isalpha() and after not in {"in", "on", "at", "near", "while", "and"}):
        return
    for number in ("two", "three", "four"):
        yield ((*analysis.words[article].span, number), (*noun.span, plural(noun.lower)))


def _attribute(text: str, analysis: Analysis) -> Iterator[Change]:
    listed = word_lists().attributes
    for one in analysis.attributes:
        word = analysis.words[one.word]
        others = _COLOURS if one.family == "colour" else sorted(_values(one.family))
        for other in others:
            values = next((values for family, values in listed.get(other, ()) if family == one.family), frozenset())
            if values and not values & one.values:
                yield with_article(text, word.span, other)


@lru_cache(maxsize=16)
def _values(family: str) -> frozenset[str]:
    """Words of a family that name their own value and nothing else."""
    return frozenset(
        word
        for word, of in word_lists().attributes.items()
        if len(of) == 1 and of[0][0] == family and of[0][1] == {word}
    )


def _direction(text: str, analysis: Analysis) -> Iterator[Change]:
    turned = {first: second for pair in reversed(_DIRECTIONS) for first, second in (pair[::-1], pair)}
    for one in analysis.directions:
        start, end = analysis.words[one.words[0]].span[0], analysis.words[one.words[-1]].span[1]
        other = turned.get(text[start:end].lower())
        if other is not None:
            yield ((start, end, other),)


def _opposite(text: str, analysis: Analysis) -> Iterator[Change]:
    listed = word_lists().opposites
    for index in analysis.content:
        word = analysis.words[index]
        if word.form != word.lower or word.pos not in {"a", "v"}:
            continue
        for other in sorted(listed.get(word.lemma, ())):
            formed = like(word.lower, word.lemma, word.pos, other)
            if formed is not None:
                yield with_article(text, word.span, formed)


def _role(text: str, analysis: Analysis) -> Iterator[Change]:
    words = analysis.words
    for one in analysis.predicates:
        if one.agent is None or one.patient is None or one.agent == one.patient:
            continue
        agent, patient = words[one.agent], words[one.patient]
        fields = field_of(agent), field_of(patient)
        alike = all(field in _ANIMATE for field in fields) or (
            words[one.verb].lemma in _EITHER_WAY and all(field in _ANIMATE | _THINGS for field in fields)
        )
        same_number = is_plural(agent.lower, agent.lemma) == is_plural(patient.lower, patient.lemma)
        if alike and same_number and agent.lemma != patient.lemma:
            yield from swapped(text, phrase_before(analysis, one.agent), phrase_before(analysis, one.patient))


def _by_group(pos: str, *tables: tuple[str, Callable[[Analysis, int], bool]]) -> Maker:
    """Another word of the group, in the same form. tables: each with the question which words it is for."""

    def make(text: str, analysis: Analysis) -> Iterator[Change]:
        present = {word.lemma for word in analysis.words}
        for index in analysis.content:
            word = analysis.words[index]
            if word.pos != pos:
                continue
            others = [
                other for table, fits in tables if fits(analysis, index) for other in _group_of(table, word.lemma)
            ]
            for other in others:
                formed = like(word.lower, word.lemma, word.pos, other) if other not in present else None
                if formed is not None:
                    yield with_article(text, word.span, formed)

    return make


def _group_of(table: str, lemma: str) -> list[str]:
    groups: Mapping[str, str] = swaps()[table]
    return [other for words in groups.values() if lemma in words.split() for other in words.split() if other != lemma]


def _is_thing(analysis: Analysis, index: int) -> bool:
    """A noun of its own that says no place: not the first part of a compound."""
    return index not in analysis.places and _is_head(analysis, index)


def _is_head(analysis: Analysis, index: int) -> bool:
    return not (index + 1 < len(analysis.words) and analysis.words[index + 1].pos == "n")


def _has_no_object(analysis: Analysis, index: int) -> bool:
    return all(one.verb != index or one.patient is None for one in analysis.predicates)


def _has_object(analysis: Analysis, index: int) -> bool:
    return not _has_no_object(analysis, index)


FALSE_EDITS: Mapping[Kind, Maker] = {
    Kind.NEGATION: _negation,
    Kind.NUMBER: _number,
    Kind.ATTRIBUTE: _attribute,
    Kind.DIRECTION: _direction,
    Kind.ROLE: _role,
    Kind.OPPOSITE: _opposite,
    Kind.OBJECT: _by_group("n", ("objects", _is_thing)),
    Kind.PLACE: _by_group("n", ("places", _is_head)),
    Kind.ACTION: _by_group("v", ("actions", _has_no_object), ("deeds", _has_object)),
}
"""Per kind, every way to make a sentence false that applies."""

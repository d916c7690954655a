"""Changes that say the same in other words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from handler.claims._false_edits import swaps
from handler.claims._inflection import is_plural, like, participle, third_person
from handler.claims._phrases import Change, phrase_before, with_article
from handler.claims._slot_types import Analysis
from handler.claims._word_lists import word_lists
from handler.claims._wordnet import readings

__all__ = ["REWRITES"]

_DIGITS = dict(zip("two three four five six seven eight nine ten".split(), "2 3 4 5 6 7 8 9 10".split(), strict=True))
_FRONTED = frozenset("in on at near behind under beside above below inside outside along across by next".split())
_CLAUSES = frozenset({"and", "while", "who", "which", "that", "but"})
_GOES_ON = frozenset({"of", "that", "which", "who", "with", "for", "to"})  # the noun phrase is longer

Maker = Callable[[str, Analysis], Iterator[Change]]


def _voice(text: str, analysis: Analysis) -> Iterator[Change]:
    """ "A man washes a car" becomes "A car is washed by a man", and back."""
    words = analysis.words
    for one in analysis.predicates:
        if one.agent is None or one.patient is None or one.recipient is not None or analysis.negators:
            continue
        agent, patient = phrase_before(analysis, one.agent), phrase_before(analysis, one.patient)
        verb = words[one.verb]
        simple = words[one.agent].pos == words[one.patient].pos == "n" and "and" not in {word.lower for word in words}
        if not simple or min(agent[0], patient[0]) != analysis.span[0]:
            continue
        if one.passive:
            yield from _active(text, agent, patient, analysis, one.agent, verb.lemma)
            continue
        between = text[agent[1] : verb.span[0]].split()
        gap = text[verb.span[1] : patient[0]].strip()
        tail = text[patient[1] :].split()
        if gap or between not in ([], ["is"], ["are"]) or (tail[:1] and tail[0].lower() in _GOES_ON):
            continue
        if any(one.patient in direction.words for direction in analysis.directions):
            continue
        be = "are" if is_plural(words[one.patient].lower, words[one.patient].lemma) else "is"
        if between and verb.lower.endswith("ing"):
            be += " being"
        elif between or verb.lower not in {third_person(verb.lemma), verb.lemma}:
            continue
        told = f"{_lowered(text, patient)} {be} {participle(verb.lemma)} by {_lowered(text, agent)}"
        yield ((agent[0], patient[1], told),)


def _active(
    text: str, agent: tuple[int, int], patient: tuple[int, int], analysis: Analysis, agent_head: int, lemma: str
) -> Iterator[Change]:
    middle = text[patient[1] : agent[0]].split()
    if len(middle) not in (3, 4) or middle[0] not in {"is", "are"} or middle[-1] != "by":
        return
    head = analysis.words[agent_head]
    many = is_plural(head.lower, head.lemma)
    verb = lemma if many else third_person(lemma)
    yield ((patient[0], agent[1], f"{_lowered(text, agent)} {verb} {_lowered(text, patient)}"),)


def _lowered(text: str, span: tuple[int, int]) -> str:
    """The piece without a capital that only began the sentence."""
    piece = text[slice(*span)]
    first = piece.split()[0].strip(",").lower()
    common = any(first in words for words in word_lists().function.values()) or first in word_lists().numbers
    return piece[0].lower() + piece[1:] if common or readings(first) else piece


def _synonym(text: str, analysis: Analysis) -> Iterator[Change]:
    groups = [group.split() for group in swaps()["synonyms"]["groups"]]
    for index in analysis.content:
        word = analysis.words[index]
        if word.form != word.lower:
            continue
        for group in groups:
            if word.lemma in group:
                for other in group:
                    formed = like(word.lower, word.lemma, word.pos, other) if other != word.lemma else None
                    if formed is not None:
                        yield with_article(text, word.span, formed.replace("-", " "))


def _wording(text: str, analysis: Analysis) -> Iterator[Change]:
    start, end = analysis.span
    for first, second in swaps()["synonyms"]["phrases"]:
        for phrase, other in ((first, second), (second, first)):
            if other in {"a pair of", "a couple of", "car park"}:
                continue
            for found in re.finditer(rf"\b{re.escape(phrase)}\b", text[start:end], re.IGNORECASE):
                yield ((start + found.start(), start + found.end(), other),)


def _number_form(text: str, analysis: Analysis) -> Iterator[Change]:
    words = {digits: word for word, digits in _DIGITS.items()}
    for one in analysis.quantities:
        word = analysis.words[one.word]
        other = _DIGITS.get(word.lower) or words.get(word.lower)
        if other is not None and not one.implied:
            yield ((*word.span, other),)
        if word.lower == "two" and one.head is not None:
            yield ((*word.span, "a pair of"),)


def _order(text: str, analysis: Analysis) -> Iterator[Change]:
    """A closing phrase that says where comes first: "In the street, a man walks."."""
    words = [word for word in analysis.words if word.lower[:1].isalnum()]
    if not words or not analysis.predicates or words[0].lower in _FRONTED:
        return
    at = next(
        (at for at in range(len(words) - 1, 0, -1) if words[at].lower in word_lists().function["prepositions"]), 0
    )
    verb = max(one.verb for one in analysis.predicates)
    if at < 3 or words[at].lower not in _FRONTED or words[at].span[0] <= analysis.words[verb].span[1]:
        return
    if not 1 <= len(words) - at - 1 <= 4 or words[-1].pos != "n":
        return
    governed = analysis.roles.get(analysis.words.index(words[at - 1]), "")
    if governed in word_lists().function["prepositions"]:
        return
    start, end = words[at].span[0], words[-1].span[1]
    main = text[analysis.span[0] : start].rstrip()
    if "," in main or _CLAUSES & {word.lower for word in words}:
        return
    lowered = _lowered(main, (0, len(main)))
    front = text[start:end]
    yield ((analysis.span[0], end, f"{front[0].upper()}{front[1:]}, {lowered}"),)


REWRITES: Mapping[str, Maker] = {
    "voice": _voice,
    "synonym": _synonym,
    "order": _order,
    "number form": _number_form,
    "wording": _wording,
}
"""Per kind, every way to say a sentence in other words that applies."""

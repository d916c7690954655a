"""From a text to the slots of its sentences."""

from __future__ import annotations

from functools import lru_cache

from handler.claims._contract import Span
from handler.claims._slot_types import Analysis, Word
from handler.claims._slots_negation import negation
from handler.claims._slots_roles import governors, predicates, roles
from handler.claims._slots_space import directions, phrases
from handler.claims._slots_values import attributes, modifiers, quantities
from handler.claims._tagging import Class, Tagged, tag
from handler.claims._word_lists import word_lists
from handler.claims._words import MAX_WORDS, Token, sentence_spans, words_of

__all__ = ["analyse"]

_REMEMBERED_CHARACTERS = 1000  # longer texts are not kept: the cache stays within some 10 MB


def analyse(text: str) -> tuple[Analysis, ...]:
    """One analysis per sentence, in order; a text without words gives none. Sentences over MAX_WORDS words are cut."""
    return _remembered(text) if len(text) <= _REMEMBERED_CHARACTERS else _analyse(text)


def _analyse(text: str) -> tuple[Analysis, ...]:
    found = []
    for span in sentence_spans(text):
        tokens = words_of(text, span)
        for start in range(0, len(tokens), MAX_WORDS):
            part = tokens[start : start + MAX_WORDS]
            whole = len(tokens) <= MAX_WORDS
            found.append(_sentence(part, span if whole else (part[0][1], part[-1][2])))
    return tuple(found)


_remembered = lru_cache(maxsize=128)(_analyse)


def _sentence(tokens: list[Token], span: Span) -> Analysis:
    tagged = tag(tokens)
    scopes, negated = negation(tagged)
    governed = governors(tagged)
    verbs = predicates(tagged, governed)
    spans = [(start, end) for _, start, end in tokens]
    content = content_of(tagged)
    columns = (tagged.lower, tagged.form, tagged.lemma, tagged.pos, spans, content, negated)
    words = tuple(map(Word, *columns))
    return Analysis(
        span=span,
        words=words,
        content=tuple(i for i, one in enumerate(content) if one),
        negators=tuple(scopes),
        quantities=quantities(tagged),
        attributes=attributes(tagged, verbs),
        directions=directions(tagged, verbs, governed),
        predicates=verbs,
        roles=roles(tagged, verbs, governed),
        places=frozenset(i for i, prep in governed.items() if prep in word_lists().place_prepositions),
        passive=any(verb.passive for verb in verbs),
        scopes=tuple(scopes.values()),
        clauses=tuple(tagged.clause),
        modifiers=modifiers(tagged),
        phrases=phrases(tagged),
    )


def content_of(tagged: Tagged) -> list[bool]:
    """Per word whether it says something of its own that another text could support."""
    vague = word_lists().function["vague"]
    return [
        kind is Class.OPEN and len(word) > 1 and word not in vague
        for word, kind in zip(tagged.lower, tagged.kind, strict=True)
    ]

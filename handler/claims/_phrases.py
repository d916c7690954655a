"""Changes of a text at character spans, and the noun phrases they move."""

from __future__ import annotations

from collections.abc import Iterator

from handler.claims._contract import Span
from handler.claims._slot_types import Analysis

__all__ = ["Change", "apply", "phrase_before", "swapped", "with_article"]

Change = tuple[tuple[int, int, str], ...]
"""Pieces of one edit in order: first character, the one after the last, what stands there instead."""
_ARTICLES = ("a", "an")


def apply(text: str, change: Change) -> tuple[str, tuple[Span, ...]]:
    """The changed text and where the new pieces stand in it; the first letter of a text stays a capital."""
    parts: list[str] = []
    spans: list[Span] = []
    position = length = 0
    for start, end, instead in change:
        if start < end and text[start].isupper() and instead[:1].islower():
            instead = instead[0].upper() + instead[1:]
        parts += [text[position:start], instead]
        length += start - position
        spans.append((length, length + len(instead)))
        length += len(instead)
        position = end
    parts.append(text[position:])
    return "".join(parts), tuple(spans)


def with_article(text: str, span: Span, instead: str) -> Change:
    """`instead` at the span; an article right before it becomes a or an as the new word wants."""
    before = text[: span[0]].rstrip()
    article = before.rsplit(None, 1)[-1].lower() if before else ""
    if article in _ARTICLES and len(before) < span[0]:
        start = len(before) - len(article)
        wanted = "an" if instead[0] in "aeiou" else "a"
        return ((start, span[1], f"{wanted} {instead}"),) if wanted != article else ((*span, instead),)
    return ((*span, instead),)


def phrase_before(analysis: Analysis, head: int) -> Span:
    """The noun phrase that ends in its head: what stands before it, back to the determiner."""
    words = analysis.words
    start = head
    while start > 0 and words[start - 1].pos in {"a", "n"} and words[start - 1].content:
        start -= 1
    quantities = {one.word for one in analysis.quantities}
    while start > 0 and (start - 1 in quantities or words[start - 1].lower in _DETERMINERS):
        start -= 1
    return words[start].span[0], words[head].span[1]


_DETERMINERS = frozenset("a an the his her its their this that these those another some two three four".split())


def swapped(text: str, first: Span, second: Span) -> Iterator[Change]:
    """The two pieces exchanged; none where they overlap. A capital that begins the text stays at its place."""
    first, second = sorted((first, second))
    if first[1] > second[0]:
        return
    one, other = text[slice(*first)], text[slice(*second)]
    if one[:1].isupper() and other[:1].islower():
        one = one[0].lower() + one[1:]
    yield ((*first, other), (*second, one))

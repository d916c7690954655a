"""What an answer to a yes/no question says: yes, no, or neither, and by which rule."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

__all__ = ["Polarity", "polarity", "pope_polarity"]

Said = Literal["yes", "no"]


class Polarity(NamedTuple):
    """said: None when it is not recognisably yes or no. rule: what decided."""

    said: Said | None
    rule: str


_YES = "yes|yeah|yep|yup"
_NO = "no|nope|nah"
_WRAP = re.compile(r"^[\s\"'“”‘’`*_#<>(\[\-–—:]+")
_LEAD_IN = re.compile(r"^(?:(?:the|my|final|short)\s+)*answer(?:\s+is)?\s*[:,\-]?\s*[\"'“‘*(\[]*", re.IGNORECASE)
_LEADING = re.compile(rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?!\w|['’]\w)", re.IGNORECASE)
_LETTER = re.compile(r"([yn])\W*", re.IGNORECASE)
_OTHER = re.compile(rf"\W*(?:or|and|/)?\W*(?:(?P<yes>{_YES})|(?P<no>{_NO}))\W*$", re.IGNORECASE)
_EITHER = re.compile(rf"^\W*(?:or|/)\W*(?:{_YES}|{_NO})\b", re.IGNORECASE)
_UNCERTAIN = re.compile(
    r"\b(?:not|n[o']t|n’t)\s+(?:\w+\s+)?(?:sure|certain|clear|possible|know|tell|determine|say|confirm|answer)\b"
    r"|\bcan(?:not|'?t|’t)\s+(?:\w+\s+)?(?:tell|determine|say|confirm|answer|be (?:sure|certain|determined))\b"
    r"|\bunable to\b|\bunsure\b|\bunclear\b|\bhard to (?:say|tell)\b|\bmaybe\b|\bperhaps\b|\bpossibly\b|\bi'?m sorry\b"
    r"|\bdon(?:'|’)?t know\b|\bdo not know\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|can|could)(?:n't|n’t|nt)\b"
    r"|\b(?:is|are|was|were|does|do|did|has|have|can|could)\s+not\b|\bcannot\b|\bno\s+\w+|\bnone\b|\bnot\b|\bnever\b"
    r"|\bwithout\b",
    re.IGNORECASE,
)
_AFFIRMED = re.compile(
    r"^(?:there\s+(?:is|are|was|were)|it\s+(?:is|does|has)|they\s+(?:are|do|have)|i\s+(?:can\s+)?see|i do|"
    r"the\s+(?:image|picture|photo)\s+(?:shows|contains|has|depicts|includes))\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?\n]")


def polarity(answer: str) -> Polarity:
    """Read an answer by what it begins with, then by its first sentence.

    Rules: `leading_word` ("Yes, a dog", "**No**", "Nope"), `stated_answer` ("The answer is no"), `negated_sentence`
    ("There isn't a dog"), `affirmed_sentence` ("There is a dog"), `letter` ("y"). Neither: `empty`, `both` ("Yes or no"),
    `uncertain` ("I cannot tell"), `no_rule`.
    """
    text = _WRAP.sub("", answer)
    if not text:
        return Polarity(None, "empty")
    if letter := _LETTER.fullmatch(text):
        return Polarity("yes" if letter[1] in "yY" else "no", "letter")
    rule = "leading_word"
    if stated := _LEAD_IN.match(text):
        text, rule = text[stated.end() :], "stated_answer"
    if match := _LEADING.match(text):
        said: Said = "yes" if match["yes"] else "no"
        rest = text[match.end() :]
        other = _OTHER.fullmatch(rest)
        if _EITHER.match(rest) or (other and bool(other["yes"]) != bool(match["yes"])):
            return Polarity(None, "both")
        return Polarity(said, rule)
    sentence = next(filter(str.strip, _SENTENCE_END.split(text)), "").strip()
    if _UNCERTAIN.search(sentence):
        return Polarity(None, "uncertain")
    if _NEGATED.search(sentence):
        return Polarity("no", "negated_sentence")
    if _AFFIRMED.match(sentence):
        return Polarity("yes", "affirmed_sentence")
    return Polarity(None, "no_rule")


def pope_polarity(answer: str) -> Polarity:
    """POPE's own rule: `no` when the text before the first full stop, commas dropped and split at single spaces, holds
    one of the words No, no, not; everything else, silence included, is `yes`."""
    words = answer.split(".", 1)[0].replace(",", "").split(" ")
    found = next((word for word in ("No", "not", "no") if word in words), None)
    return Polarity("no", f"word:{found}") if found else Polarity("yes", "default")

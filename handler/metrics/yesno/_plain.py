"""An answer without what stands around it: thoughts, tags, quotes, option letters, "The answer is"."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

__all__ = ["Plain", "plain"]

MOST = 500  # characters that are looked at: a first sentence, and a bound on the work that an absurd answer costs
_LAYERS = 8  # things around an answer that are taken off one after the other
_IMAGE = r"(?:image|picture|photo|photograph|scene)"
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THOUGHT = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_TAG = re.compile(r"</?([a-z]\w{0,19})>", re.IGNORECASE)
_INVISIBLE = dict.fromkeys([*range(0x200B, 0x2010), 0x2060, 0xFEFF, 0xAD])
_AROUND = "".join(map(chr, _INVISIBLE)) + " \t\r\n"
_APOSTROPHES = str.maketrans("’‘`", "'''")
_WRAP = re.compile(r"[\s\"'“”*_#<>(\[\-–—:¡¿]+")
_OPTION = re.compile(r"(?:[A-H]|\d{1,2})[).:\]]+\s*(?=\S)", re.IGNORECASE)
_ECHO = re.compile(r"(?:is|are|was|were|do|does|did|can|could|has|have)\b[^.!?\n]*\?+\s*(?=\S)", re.IGNORECASE)
_STATED = re.compile(
    r"(?:(?:the|my|final|short|correct)\s+)*(?:answer|response|prediction|output)"
    r"(?:\s+to\s+(?:the|this|your)\s+question)?(?:\s+is\b)?\s*[:,\-=]?\s*"
    r"|i(?:\s+would|'d)?\s+(?:think|believe|guess|say)\b\s*(?:that\b)?\s*[,:]?\s*"
    rf"|(?:based\s+on|judging\s+(?:by|from)|according\s+to|looking\s+at|from|in|given)\s+[^,.!?\n]{{1,80}},\s*"
    rf"|in\s+(?:the|this)\s+{_IMAGE}\s+(?=there\b|i\b)"
    r"|(?:well|actually|unfortunately|sorry|sure|indeed|okay|ok|of\s+course)\b[,!:.]*\s+",
    re.IGNORECASE,
)
_IDIOM = re.compile(
    r"(?:there(?:\s+is|'s)\s+)?no\s+(?:doubt|problems?|worries|question)\b(?:\s+(?:about\s+(?:it|that)|that))?[\s,.!:;–—-]*",
    re.IGNORECASE,
)


class Plain(NamedTuple):
    """cut: whether there is more of the answer. stated: whether words that announce an answer were taken off."""

    text: str
    cut: bool
    stated: bool


def plain(answer: str) -> Plain:
    """The beginning of what an answer says. Empty for a thought without an end."""
    end = 0
    for found in _THOUGHT_END.finditer(answer):
        end = found.end()
    whole = answer[end:].strip(_AROUND)
    if _THOUGHT.match(whole):
        return Plain("", cut=False, stated=False)
    text = unicodedata.normalize("NFKC", whole[:MOST].translate(_INVISIBLE))[:MOST].translate(_APOSTROPHES)
    text, stated = _TAG.sub(_kept, text), False
    for _ in range(_LAYERS):
        before = text
        text = text[_end(_WRAP, text) :]
        text = text[_end(_OPTION, text) :]
        text = text[_end(_ECHO, text) :]
        text = text[_end(_IDIOM, text) :]
        if end := _end(_STATED, text):
            text, stated = text[end:], True
        if text == before:
            break
    return Plain(text.rstrip(), len(whole) > MOST, stated)


def _kept(tag: re.Match[str]) -> str:
    """<yes> is an answer, <answer> is not."""
    return f" {tag[1]} " if tag[1].lower() in ("yes", "no") else " "


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0

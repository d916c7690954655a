"""What an answer to a yes/no question says: yes, no, or neither, and by which rule."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from handler.metrics.yesno._plain import plain

__all__ = ["Polarity", "polarity", "pope_polarity"]

Said = Literal["yes", "no"]


class Polarity(NamedTuple):
    """said: None when it is not recognisably yes or no. rule: what decided."""

    said: Said | None
    rule: str


_YES = "yes|yeah|yep|yup"
_NO = "no|nope|nah"
_IMAGE = r"(?:the|this)\s+(?:image|picture|photo|photograph|scene)"
_BE = r"(?:is|are|was|were)"
_NONE = r"(?:no|not|none|nothing|nobody|never|neither|hardly|barely|little|few|only|just)\b"
_ADVERB = r"(?:(?:(?!only|hardly|barely|possibly)\w+ly|also|indeed)\s+)?"
_SEEN = rf"(?:visible|present|shown|there|seen|depicted|in\s+{_IMAGE})\b"
_SHOW = r"(?:shows?|contains?|has|depicts?|includes?|features?)"
_BUT_NOT = r"(?!\s+(?:only|just|true|correct|the\s+case|that)\b)"
_LEADING = re.compile(rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?!\w|['’-]\w)", re.IGNORECASE)
_LETTER = re.compile(r"([yn])\W*", re.IGNORECASE)
_OTHER = re.compile(
    rf"\W*+(?:(?:or|and)\W++)?(?:[A-H][).:]\s*)?(?:(?P<yes>{_YES})|(?P<no>{_NO}))\W*+$"
    rf"|\s*+[.!;\n]\W*+(?:(?P<then_yes>{_YES})|(?P<then_no>{_NO}))\s*,",
    re.IGNORECASE,
)
_EITHER = re.compile(rf"(?:\W*+or\b|\s*+/)\W*+(?:{_YES}|{_NO})\b", re.IGNORECASE)
_NOBODY_KNOWS = re.compile(
    r"no(?:\s+(?:idea|clue|way)\b|[\s-]?one\s+(?:knows|can)\b)|if\b|not\s+enough\b", re.IGNORECASE
)
_UNCERTAIN = re.compile(
    r"\b(?:not|n[o']t|n’t)\s+(?:\w+\s+)?(?:sure|certain|clear|possible|know|tell|determine|say|confirm|answer)\b"
    r"|\bcan(?:not|'?t|’t)\s+(?:\w+\s+)?(?:tell|determine|say|confirm|answer|be (?:sure|certain|determined))\b"
    r"|\bunable to\b|\bunsure\b|\bunclear\b|\bhard to (?:say|tell)\b|\bmaybe\b|\bperhaps\b|\bpossib(?:ly|ility)\b"
    r"|\bi'?m sorry\b|\bdon(?:'|’)?t know\b|\bdo not know\b|\bno\s+(?:way|idea|clue|telling)\b|\bnot\s+enough\b"
    r"|\ba\s+chance\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    rf"there(?:'s|\s+{_BE})\s+{_ADVERB}(?:no|not|none|nothing|nobody)\b{_BUT_NOT}|there\s+{_ADVERB}{_BE}n'?t\b{_BUT_NOT}"
    r"|there\s+(?:appears?|seems?)\s+to\s+be\s+no(?:ne)?\b|there\s+(?:does|do)(?:n't|\s+not)\s+(?:appear|seem)\b"
    rf"|{_IMAGE}\s+(?:does|do|did)(?:n'?t|\s+not)\b{_BUT_NOT}|{_IMAGE}\s+{_ADVERB}{_SHOW}\s+no(?:ne)?\b"
    rf"|(?:it|they|he|she)\s+(?:{_BE}|does|do|did|has|have)(?:n'?t|\s+not)\b{_BUT_NOT}"
    rf"|(?:it's|they're)\s+not\b{_BUT_NOT}"
    r"|i\s+(?:do\s*n'?t|do\s+not|can\s*not|can'?t|could(?:n't|\s+not)|did(?:n't|\s+not))\s+(?:\w+ly\s+)?"
    r"(?:see|think|find|notice|spot|detect|observe|believe|recogni[sz]e|identify)\b|i\s+(?:can\s+)?see\s+(?:no|none|nothing)\b"
    rf"|(?:a|an|the|any)\s+(?:(?!{_NONE})[\w-]+\s+){{1,4}}{_BE}(?:n't|\s+not)\s+{_ADVERB}{_SEEN}"
    rf"|no-?one\s+{_BE}\s+{_SEEN}|(?:nobody|none|nothing)\s+{_BE}\s+{_SEEN}"
    rf"|none\W*$|not\s+(?:at\s+all|really)\W*$|not\s+{_SEEN}",
    re.IGNORECASE,
)
_AFFIRMED = re.compile(
    rf"there(?:'s|\s+{_BE})(?:\s*$|\s+{_ADVERB}(?!{_NONE}|(?:a\s+lack|an\s+absence)\b)[\w'\"])"
    rf"|{_IMAGE}\s+{_ADVERB}{_SHOW}\s+(?!{_NONE})[\w'\"]"
    rf"|(?:it|they|he|she)\s+(?:{_BE}|does|do|has|have)\s*(?:$|{_SEEN})|i\s+do\s*$"
    rf"|i\s+(?:can\s+|do\s+)?{_ADVERB}see\s+(?!{_NONE})\w"
    rf"|(?:a|an|the)\s+(?:(?!{_NONE}|lack\b|absence\b)[\w-]+\s+){{1,4}}{_BE}\s+{_ADVERB}{_SEEN}"
    rf"|not\s+only\s+{_BE}\s+there\s+(?!{_NONE})\w",
    re.IGNORECASE,
)
_DOUBLE = re.compile(r"\b(?:why\s+not|there\s+(?:is|are)\s+(?:no|not)|there\s+(?:is|are)n't|no\s+\w+)\b", re.IGNORECASE)
_EXCEPT = re.compile(
    r"\s*(?:\w+\s+){0,3}(?:but(?!\s+(?:there|i|it|the)\b)|except|other\s+than|besides|only)\b", re.IGNORECASE
)
_FINAL = re.compile(rf"[,:;–—-]\s*(?:(?P<yes>{_YES})|(?P<no>{_NO}))\W*$", re.IGNORECASE)
_POLAR = re.compile(rf"\b(?:{_YES}|{_NO}|not|cannot|never|none|neither)\b|n't\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?\s]*+([^.!?\n]+)([.!?\n]?)")


def polarity(answer: str) -> Polarity:
    """Read an answer by what it begins with, then by its first sentence; thoughts, tags, option letters and a repeated
    question before it do not count.

    Rules: `leading_word` ("Yes, a dog", "**No**", "(B) No"), `stated_answer` ("The answer is no"), `negated_sentence`
    ("There isn't a dog"), `affirmed_sentence` ("There is a dog without a collar"), `final_word` ("As you see, yes."),
    `letter` ("y"). Neither: `empty`, `both` ("Yes or no"), `uncertain` ("I cannot tell"), `no_rule`.
    """
    text, cut, stated = plain(answer)
    if not text:
        return Polarity(None, "no_rule" if answer.strip() else "empty")
    if letter := _LETTER.fullmatch(text):
        return Polarity("yes" if letter[1] in "yY" else "no", "letter")
    if _NOBODY_KNOWS.match(text):
        return Polarity(None, "uncertain")
    if match := _LEADING.match(text):
        said: Said = "yes" if match["yes"] else "no"
        rest = text[match.end() :]
        if _EITHER.match(rest) or _says_other(rest, said):
            return Polarity(None, "both")
        if said == "no" and _EXCEPT.match(rest):  # "No animals but a dog"
            return _NOTHING
        return Polarity(said, "stated_answer" if stated else "leading_word")
    found = _SENTENCE.match(text)
    return _sentence(found[1].strip(), whole=found[2] != "?" and not (cut and not found[2])) if found else _NOTHING


_NOTHING = Polarity(None, "no_rule")


def _says_other(rest: str, said: Said) -> bool:
    """Whether what follows a leading word is the opposite one."""
    other = _OTHER.match(rest)
    if other is None:
        return False
    return bool(other["yes"] or other["then_yes"]) != (said == "yes")


def _sentence(sentence: str, *, whole: bool) -> Polarity:
    """whole: whether its last word may be its answer."""
    if _UNCERTAIN.search(sentence):
        return Polarity(None, "uncertain")
    if negated := _NEGATED.match(sentence):
        if negated[0].lower().startswith("i ") and _DOUBLE.search(sentence, negated.end()):
            return _NOTHING
        if _EXCEPT.match(sentence, negated.end()):
            return _NOTHING
        return Polarity("no", "negated_sentence")
    if _AFFIRMED.match(sentence):
        return Polarity("yes", "affirmed_sentence")
    final = _FINAL.search(sentence) if whole and len(_POLAR.findall(sentence)) == 1 else None
    return Polarity("yes" if final["yes"] else "no", "final_word") if final else _NOTHING


def pope_polarity(answer: str) -> Polarity:
    """POPE's own rule: `no` when the text before the first full stop, commas dropped and split at single spaces, holds
    one of the words No, no, not; everything else, silence included, is `yes`."""
    words = answer.split(".", 1)[0].replace(",", "").split(" ")
    found = next((word for word in ("No", "not", "no") if word in words), None)
    return Polarity("no", f"word:{found}") if found else Polarity("yes", "default")

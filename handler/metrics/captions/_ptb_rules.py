"""What is one token of English text as the Penn Treebank divides it: an expression for each kind.

They are matched against the shape of a text at one place. The longest match counts, what it only looks at (outside the
group `t`) included; of equally long ones the first. The order is therefore part of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from handler.metrics.captions._ptb_shape import LETTER, MARK
from handler.metrics.captions._ptb_words import (
    CLOSING,
    CLOSING_CAPITALISED,
    CLOSING_UNCAPITALISED,
    NUMBERING,
    OPENING,
    STARTERS,
)

__all__ = ["rules"]

Mend = Callable[[str], str]
"""What becomes of a token."""

_GLYPHS = {
    "‘": "`", "‛": "`", "\x91": "`", "‹": "`", "’": "'", "\x92": "'", "›": "'",
    "“": "``", "«": "``", "\x93": "``", "”": "''", "»": "''", "\x94": "''",
    "(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-",
    "€": "$", "¤": "$", "\u20a0": "$", "\x80": "$", "£": "#", "¢": "cents", "\xad": "-", "‐": "", "‑": "", "֊": "",
    "¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3",
}  # fmt: skip
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "nbsp": ""}
_QUOTING = ("apos", "quot", "odq", "cdq", "ql", "qr", "md", "mdash", "ndash")


def _glyphs(token: str) -> str:
    return "".join(_GLYPHS.get(c, c) for c in token)


def _brackets(token: str) -> str:
    return token.replace("(", "-lrb-").replace(")", "-rrb-")


def _spaced(token: str) -> str:
    """What has spaces within is one token all the same, held together by no-break spaces."""
    return token.replace(" ", "\xa0")


def _telephone(token: str) -> str:
    return _brackets(_spaced(token))


def _unhyphened(token: str) -> str:
    return token.replace("\xad", "") or "-"


def _ampersand(token: str) -> str:
    return re.sub("&amp;", "&", token, flags=re.IGNORECASE)


def _dash(token: str) -> str:
    return token if token == "-" else "--"  # noqa: S105 - a token of text


def _dots(_: str) -> str:
    return "..."


def _quote(_: str) -> str:
    return "'"


def _entity(token: str) -> str:
    name = token[1:-1].lower()
    return "'" if name in _QUOTING else _ENTITIES.get(name, token)


_APOSTROPHE, _ANY_QUOTE = "['’]", "['’`‘]"
_BLANK = "[ \xa0\u2003]"
_LETTER = f"[A-Za-z{LETTER}]"
_LETTER_OR_MARK = f"[A-Za-z{LETTER}{MARK}\xad]"
_ALNUM = f"[A-Za-z0-9{LETTER}]"
_ACCENT = "&[aeiouAEIOU](?:acute|grave|uml);"
_WORD = f"(?:{_LETTER_OR_MARK}|{_ACCENT})+"
_NUMBER = "[0-9]*(?:[.,:\xad٫]?[0-9])+"
_ACRONYM = r"[A-Za-z](?:\.[A-Za-z])+"
_SEGMENT = rf"{_LETTER_OR_MARK}(?:{_LETTER_OR_MARK}|[0-9])*"
_DOTTED = rf"{_SEGMENT}(?:[.!?]{_SEGMENT})+"
_PART = rf"(?:[dDoOlL]{_ANY_QUOTE}(?={_ALNUM}{_ALNUM}))?{_ALNUM}+"
_HYPHENED = rf"{_PART}(?:[-_\u2010]{_PART})*"
_JOINED = r"[A-Z]+(?:(?:&(?:[aA][mM][pP];)?|\+)[A-Z]+)+"
_SIDE = r"[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}"
_FAR = "{0,250}"  # characters that a token looks ahead for its middle, so that long texts take time in proportion
_NAME = "[A-Za-z][A-Za-z0-9_:.-]*"
_VALUE = "(?:'[^']*'|\"[^\"]*\")"
_TAG = rf"<(?:[!?][A-Za-z-][^>]{_FAR}|/?{_NAME}(?: +{_NAME}(?: *= *{_VALUE})?)* */?)>"
_NO_ADDRESS = r" \t\u2003\xa0\"<>|(){}"
_LABELS = r"(?:[^ \t\u2003\"`'<>|!(){}$,-_]{1,250}\.)+(?:com|net|org|edu)"
_NO_END = rf"{_NO_ADDRESS}.!?,\-"
_SHORT_FORM = "(?:[msdMSD]|[rR][eE]|[vV][eE]|[lL][lL])"
_EXTENSIONS = (
    "bat|bmp|c|cgi|class|cpp|dll|docx?|exe|gif|gz|h|html?|jar|java|jpe?g|mov|pdf|php|pl|png|ppt|ps|py|sql|tar|txt|wav|x|"
    "xml|zip"
)


def _one_of(words: Iterable[str], form: Callable[[str], str] | None = None) -> str:
    """form: another way to write them, which counts as well."""
    return "|".join(written for word in words for written in (word, *([form(word)] if form else ())))


_CLOSING = (
    f"(?i:{_one_of(CLOSING)})|{_one_of(CLOSING_CAPITALISED, str.upper)}|{_one_of(CLOSING_UNCAPITALISED, str.title)}"
)
_STARTER = rf"(?:{_one_of(STARTERS, str.upper)}|M[rs]\.)"


def _rule(pattern: str, mend: Mend | None = None) -> tuple[str, Mend | None]:
    return pattern, mend


_WORDS = [
    _rule(_TAG, _spaced),
    _rule("(?P<t>(?i:can))(?i:not)"),
    _rule("(?P<t>(?i:gon|wan))(?i:na)"),
    _rule("(?P<t>(?i:got))(?i:ta)"),
    _rule("(?P<t>(?i:lem|gim))(?i:me)"),
    _rule("(?P<t>'[tT])(?i:is|was)"),
    _rule(f"(?P<t>[A-Za-z\xad]*[A-MO-Za-mo-z]\xad*)[nN]{_ANY_QUOTE}[tT]", _unhyphened),
    _rule(f"(?P<t>{_WORD}){_APOSTROPHE}{_SHORT_FORM}", _unhyphened),
    _rule(
        f"{_APOSTROPHE}[nN]{_APOSTROPHE}?|[lLdDjJ]{_APOSTROPHE}|(?i:dunkin|somethin|ol){_APOSTROPHE}|"
        f"{_APOSTROPHE}(?i:em|till?|cause)|(?i:c{_APOSTROPHE}mon|o{_APOSTROPHE}o|cap{_APOSTROPHE}n|c{_APOSTROPHE}est)|"
        f"(?i:ev'ry|nat'l|nor'easter)|{_APOSTROPHE}[2-9]0s|[A-HJ-XZn]{_ANY_QUOTE}{_LETTER}{{2,}}|"
        f"{_LETTER}+[aeiouyAEIOUY]{_ANY_QUOTE}[aeiouA-Z]{_LETTER}*|[eE]{_APOSTROPHE}[eE][rR]"
    ),
    _rule(f"(?P<t>[yY]{_APOSTROPHE}){_LETTER_OR_MARK}"),
]
_ADDRESSES = [
    _rule(rf"(?i:https?)://[^{_NO_ADDRESS}]+[^{_NO_END}]"),
    _rule(
        rf"(?:(?i:www)\.(?:[^{_NO_ADDRESS}.!?,]+\.)+[a-zA-Z]{{2,4}}|{_LABELS})"
        rf"(?:/[^ \t\u2003\xa0\"<>|()]+[^{_NO_END}])?"
    ),
    _rule(rf"<?[a-zA-Z0-9][^{_NO_ADDRESS}]{_FAR}@(?:[^{_NO_ADDRESS}.]+\.)*[^{_NO_ADDRESS}.]+>?"),
    _rule("@[A-Za-z_][A-Za-z_0-9]*"),
    _rule(f"#{_LETTER_OR_MARK}+"),
]
_NUMBERS = [
    _rule(f"(?P<t>{_APOSTROPHE}{_SHORT_FORM})[^A-Za-z]", _glyphs),
    _rule(f"(?P<t>[nN]{_ANY_QUOTE}[tT])[^A-Za-z]", _glyphs),
    _rule("[0-9]{1,2}[-/][0-9]{1,2}[-/][0-9]{2,4}"),
    _rule(f"[-+]?{_NUMBER}", _unhyphened),
    _rule("⁺?(?:²+|₂+)"),
    _rule("(?:[0-9]{1,4}[- \xa0])?[0-9]{1,4}[/⁄][0-9]{1,4}", _spaced),
    _rule("½", _glyphs),
    _rule("-(?i:[LR][RCS]B)-|C\\.D\\.s|pro-|anti-"),
    _rule(f"(?P<t>{_APOSTROPHE}[0-9][0-9]){_BLANK}"),
]
_THINGS = [
    _rule(_HYPHENED),
    _rule(_JOINED, _ampersand),
    _rule(rf"{_SIDE}(?:\\?/{_SIDE}){{1,2}}"),
    _rule(r"[cC]\+\+|[cCfF]#"),
    _rule(_WORD, _unhyphened),
    _rule(_SEGMENT, _unhyphened),
    _rule(_DOTTED, _unhyphened),
    _rule(rf"(?P<t>(?:{_CLOSING})\.).."),
    _rule(rf"[A-Za-z0-9][A-Za-z0-9.,\xad]{_FAR}(?:-(?:{_ACRONYM}\.|[A-Za-z0-9\xad]+))+", _unhyphened),
    _rule(rf"(?i:{_one_of(OPENING)})\."),
    _rule(rf"(?P<t>(?i:{_one_of(NUMBERING)})\.){_BLANK}?[0-9]"),
    _rule(rf"(?P<t>[A-Za-z])\.{_BLANK}+{_STARTER}{_BLANK}"),
    _rule(rf"(?P<t>[A-Za-z])\.{_BLANK}+{_TAG}{_BLANK}"),
    _rule(r"[A-Za-z]\."),
    _rule(rf"{_ACRONYM}\.?"),
    _rule(rf"(?P<t>(?:{_ALNUM}+\.)+(?i:{_EXTENSIONS}))(?:[.?!,]|{_BLANK})"),
    _rule(r"(?:Canada|Sino|Korean|EU|Japan|non)-U\.S\.?|U\.S\.-(?:U\.K|U\.S\.S\.R)\.?"),
    _rule(r"(?:Ed|Ph)\.D\."),
    _rule(
        rf"(?P<t>(?:{_DOTTED}|{_HYPHENED}|[A-Za-z0-9][A-Za-z0-9.,]{_FAR}(?:-[A-Za-z0-9]+)+|{_WORD}|{_SEGMENT}|{_JOINED})\.)[,;:、]",
        _unhyphened,
    ),
    _rule(
        r"(?:\([0-9]{2,3}\)[ \xa0]?|(?:\+\+?)?(?:[0-9]{2,4}[- \xa0])?[0-9]{2,4}[- \xa0])[0-9]{3,4}[- \xa0]?[0-9]{3,5}|"
        r"(?:(?:\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5}",
        _telephone,
    ),
]
_MARKS = [
    _rule(r"[A-Z]*\$|#|€", _glyphs),
    _rule("&(?i:amp|lt|gt|nbsp|apos|quot|[mn]dash|md);", _entity),
    _rule("&(?:HT|TL|UR|LR|QC|QL|QR|odq|cdq|#[0-9]+);", _entity),
    _rule(_ACCENT),
    _rule(r"\.{3,5}|(?:\.[ \xa0]){2,4}\.|…", _dots),
    _rule("<<|>>|@@+|[!?]+|\\*+|_+|#+"),
    _rule("-+|—+", _dash),
    _rule(r"(?P<t>[<>]?[:;=][-o*']?[(){DPdpO\\@|\[\]])[^A-Za-z0-9]", _brackets),
    _rule(
        r"[\^x=~<>]\.\[\^x=~<>]|[-^x=~<>']_[-^x=~<>']|\([-^x=~<>'][_.]?[-^x=~<>']\)|\([\^x=~<>']-[\^x=~<>'`]\)",
        _brackets,
    ),
    _rule("``|''|\"", _quote),
    _rule("(?P<t>')[A-Za-z][^ \xa0\u2003]", _quote),
    _rule("[`‘’“‹„]{1,2}", _glyphs),
    _rule(f"{_APOSTROPHE}{_SHORT_FORM}", _glyphs),
    _rule(".", _glyphs),
]


@cache  # compiled on first use: most runs score no captions
def rules() -> list[tuple[re.Pattern[str], Mend | None]]:
    """All kinds of token in their order, each with what becomes of it."""
    return [(re.compile(pattern), mend) for pattern, mend in (*_WORDS, *_ADDRESSES, *_NUMBERS, *_THINGS, *_MARKS)]

"""Is this text in a language the encoder does not know? A hint for a person, never a reason to change a score.

all-mpnet-base-v2 was trained on English. A right description in another language scores 0.04 to 0.18, two unrelated
Chinese ones 0.76: the numbers mean nothing there, and nothing else would say so.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["foreign_language"]

_ENGLISH_NAMES = frozenset({"", "english", "en", "eng", "american", "british"})
_NO_NAMES = frozenset(
    {"unknown", "none", "null", "n", "na", "nan", "und", "undefined", "mul", "multiple", "auto", "other"}
)

_SCRIPTS = (
    ("japanese", re.compile("[\u3040-\u30ff]")),
    ("korean", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("chinese", re.compile("[\u3400-\u9fff]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("hebrew", re.compile("[\u0590-\u05ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
    ("thai", re.compile("[\u0e00-\u0e7f]")),
)

# Short function words that are frequent in one language and are not English words.
_WORDS = {
    "spanish": "el la los las una del y está están hay que por con para su se al junto sobre cerca hombre mujer".split(),
    "french": "le la les une des du est et dans avec sur pour au aux qui près sont pas deux homme femme un".split(),
    "german": "der die das und ist ein eine einen einem einer mit auf dem den im zu nicht sind neben vor auch".split(),
    "italian": "il la lo gli una di che è e sono con per nel nella della del dei sul sulla accanto vicino uomo".split(),
    "portuguese": "o os as uma de do da em um e está estão com para não por na no ao perto homem mulher".split(),
    "dutch": "de het een en van is op met zijn naast niet voor bij aan er uit staat man vrouw in".split(),
}
_ENGLISH = frozenset(
    "a an the of and is are in on at to with no not there it its this that near by from for was were has have be one two "
    "his her their as or who which man woman person people".split()
)
_FOREIGN = {language: frozenset(words) - _ENGLISH for language, words in _WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+")


def foreign_language(declared: str | None, *texts: str) -> str | None:
    """The language or script of the texts when it is not English, else None.

    declared: what the file says (`language`), e.g. "english", "es", None. A declaration of another language is believed;
    otherwise the texts are looked at: mostly a non-Latin script, or at least three words of which the function words of
    another language outnumber the English ones.
    """
    named = (declared or "").strip().lower()
    if re.split(r"[^a-z]+", named, maxsplit=1)[0] not in _ENGLISH_NAMES | _NO_NAMES or not named.isascii():
        return named[:40]
    return next((found for text in texts if (found := _guess(text))), None)


@lru_cache(maxsize=8192)
def _guess(text: str) -> str | None:
    letters = sum(map(str.isalpha, text))
    if not letters:
        return None
    if not text.isascii():
        for name, pattern in _SCRIPTS:
            if 2 * len(pattern.findall(text)) > letters or (
                name == "japanese" and 5 * len(pattern.findall(text)) > letters
            ):
                return name
    words = [word.lower() for word in _WORD.findall(text[:2000])]
    if len(words) < 3:
        return None
    english = sum(word in _ENGLISH for word in words)
    language, hits = max(
        ((name, sum(word in known for word in words)) for name, known in _FOREIGN.items()), key=lambda one: one[1]
    )
    return language if hits >= 2 and hits > 2 * english and 5 * hits >= len(words) else None

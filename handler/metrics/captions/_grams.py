"""N-grams of captions, and what the three measures share."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from handler.errors import RequestError
from handler.metrics.captions._ptb import tokenised

__all__ = ["ORDERS", "Gram", "check_pairs", "grams", "words_of"]

ORDERS = 4
"""The longest n-grams that count, in words."""

Gram = str
"""Words with single spaces between."""

_REMEMBERED = 4096  # captions: some 30 MB


def words_of(caption: str) -> str:
    """What is compared: the tokens of the caption after Unicode NFC, so that é is one letter however it was written."""
    return tokenised(caption if caption.isascii() else unicodedata.normalize("NFC", caption))


@lru_cache(maxsize=_REMEMBERED)
def grams(words: str) -> tuple[Mapping[Gram, int], ...]:
    """How often each run of words comes up in a tokenised caption, for runs of 1 to 4 words."""
    split = words.split()  # also at the no-break spaces of fractions, as the evaluation does here
    runs, found = split, []
    for n in range(1, ORDERS + 1):
        found.append(_counted(runs))
        runs = [f"{run} {word}" for run, word in zip(runs, split[n:], strict=False)]
    return tuple(found)


def _counted(runs: Sequence[Gram]) -> Mapping[Gram, int]:
    once = dict.fromkeys(runs, 1)
    return once if len(once) == len(runs) else Counter(runs)


def check_pairs(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Raises RequestError unless there is a list of references, with at least one, for each candidate."""
    if isinstance(candidates, str):
        raise RequestError("candidates is one text, not a list", field="candidates", hint="Wrap it in a list")
    if len(candidates) != len(references):
        raise RequestError(
            f"there are {len(candidates)} candidates and {len(references)} lists of references",
            field="references",
            hint="Give one list of references per candidate",
        )
    _check_texts(candidates, "candidates")
    for place, several in enumerate(references):
        if isinstance(several, str) or not several:
            held = "one text, not a list of references" if isinstance(several, str) else "empty"
            raise RequestError(f"references[{place}] is {held}", field="references", hint="Give a list of texts")
        _check_texts(several, f"references[{place}]")


def _check_texts(texts: Sequence[object], field: str) -> None:
    wrong = next((place for place, one in enumerate(texts) if not isinstance(one, str)), None)
    if wrong is not None:
        raise RequestError(f"{field}[{wrong}] is no text: {texts[wrong]!r:.60}", field=field, hint="Give texts")

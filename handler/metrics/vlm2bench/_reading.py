"""What an answer to a true/false, counting or multiple-choice question says, and whether it is the one wanted."""

from __future__ import annotations

import re
from typing import NamedTuple

from handler.metrics.vlm2bench._numbers import official_number, one_number

__all__ = ["Read", "read_answer", "true_or_false"]

_TRUE_FALSE = re.compile(r"\b(t|f|true|false)\b", re.IGNORECASE)
_BRACKETED = re.compile(r"\(([A-Z])\)")
_OPTION = re.compile(r"(?:^|[\s(\[*\"'])([A-Z])(?=[).:,\]*\"']|\s*$|\s+because\b)")
_LEADING_OPTION = re.compile(r"^[\s(\[*\"']*([A-Za-z])(?:[).:,\]*\"']|\s*$)")


class Read(NamedTuple):
    """parsed: what was understood, None for nothing. problem: why not. right: whether it is the answer wanted."""

    parsed: str | int | None
    problem: str | None
    right: bool


def read_answer(kind: str, answer: str, wanted: str, *, official: bool) -> Read:
    """Read an answer to a question of a kind: tf, count, mcq or text. official: by VLM2-Bench's own rules."""
    if kind == "tf":
        said, problem = true_or_false(answer)
        return Read(said, problem, said is not None and said == wanted.strip().upper()[:1])
    if kind == "count":
        number = (official_number if official else one_number)(answer.strip())
        return Read(number, None if number is not None else "no_single_number", str(number) == wanted.strip())
    if kind == "mcq":
        return _official_option(answer, wanted) if official else _option(answer, wanted)
    return Read(answer, None, answer.strip().casefold() == wanted.strip().casefold())


def true_or_false(answer: str) -> tuple[str | None, str | None]:
    """T or F when exactly one of T, F, true, false is there as a word; else None and why."""
    found = [word[0].upper() for word in _TRUE_FALSE.findall(answer)]
    if len(found) == 1:
        return found[0], None
    return None, "multiple_answers_found" if found else "no_answer_found"


def _official_option(answer: str, wanted: str) -> Read:
    """What stands before the first closing bracket must be equal, so "(C) …" never is "C) …"."""
    if len(_BRACKETED.findall(answer)) > 1:
        return Read(None, "multi-choice", right=False)
    before = answer.split(")", maxsplit=1)[0].strip()
    return Read(before, None, before == wanted.split(")", maxsplit=1)[0].strip())


def _option(answer: str, wanted: str) -> Read:
    """The letter of the option: the one the answer begins with, else the only one it names."""
    letter, problem = _letter(answer)
    return Read(letter, problem, letter is not None and letter == _letter(wanted)[0])


def _letter(text: str) -> tuple[str | None, str | None]:
    named = set(_BRACKETED.findall(text))
    if len(named) > 1:
        return None, "multiple_answers_found"
    if leading := _LEADING_OPTION.match(text):
        return leading[1].upper(), None
    found = named or set(_OPTION.findall(text))
    if len(found) == 1:
        return found.pop(), None
    return None, "multiple_answers_found" if found else "no_answer_found"

"""Single values of rankings: ids, grades, scores, and the lists that tables hold as text."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from handler.formats._limits import MAX_TEXT
from handler.formats._values import ABSENT, FieldError, as_id, clip, describe
from handler.metrics.retrieval import plain_id

__all__ = ["FractionError", "are_texts", "as_number", "grade_of", "id_at", "id_of", "number_of", "shown", "unfolded"]

_MOST_PYTHON = 100_000  # characters of Python's form: its parser takes some hundred times as many bytes
_LOOKED_AT = 100  # texts
_SEPARATED = re.compile(r"[\s|;,]")
_NO_COMMA = re.compile(r"['\"]\s+['\"]")  # numpy's form, of which Python would make one long text
_WRITE = 'write a list as ["a", "b"], and a single id of this form as ["a b"]'


class FractionError(FieldError):
    """A grade is a number that is not whole, as the scores of a run are."""


def id_at(value: Mapping[str, Any], key: str) -> str:
    """The id under a key. Raises FieldError."""
    return id_of(value.get(key, ABSENT), key)


def id_of(value: Any, field: str) -> str:
    """An id as text. Raises FieldError for none, and for what is no id."""
    found = as_id(value, field)
    if found is None:
        raise FieldError(field, "is missing or empty")
    return plain_id(found)


def number_of(value: Any, field: str) -> float:
    """A finite number, in tables its text. Raises FieldError."""
    number = as_number(value)
    if number is None:
        raise FieldError(field, f"is {shown(value)}, not a finite number")
    return number


def grade_of(value: Any, field: str) -> int:
    """A whole number. Raises FieldError."""
    number = as_number(value)
    if number is None or not number.is_integer() or abs(number) > 1 << 53:
        kind = FieldError if number is None else FractionError
        raise kind(field, f"is {shown(value)}, not a whole number: relevant from 1 on, 0 for not relevant")
    return int(number)


def as_number(value: Any) -> float | None:
    """A finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or (isinstance(value, str) and "_" in value):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def shown(value: Any) -> str:
    """A value for a message."""
    return repr(clip(value, 30)) if isinstance(value, str) else describe(value)


def are_texts(lists: Iterable[Any]) -> bool:
    """Whether most of what lists hold is text with spaces: captions, not ids. Looks at the first of many."""
    listed = (one for value in lists if isinstance(value, (list, tuple)) for one in value if isinstance(one, str))
    found = [any(map(str.isspace, one.strip())) for one in islice(listed, _LOOKED_AT)]
    return 2 * sum(found) > len(found)


def unfolded(value: Any, field: str) -> Any:
    """The list, object or set that a text holds, in JSON or as Python prints it, which is what pandas writes into cells;
    a single id and all other values as they are. Raises FieldError for a text that may be a list of another form."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] in ("[", "{", "("):
        found = _parsed(text)
        if found is not None:
            return found
        raise FieldError(field, f"is {shown(value)}, a list that cannot be read: {_WRITE}")
    if _SEPARATED.search(text):
        raise FieldError(field, f"is {shown(value)}, which may be several ids: {_WRITE}")
    return value


def _parsed(text: str) -> Any:
    """A list, an object or a set; None for anything else."""
    try:
        found = json.loads(text) if len(text) <= MAX_TEXT else None
    except (ValueError, RecursionError):
        found = _python(text)
    return found if isinstance(found, (list, Mapping, frozenset)) else None


def _python(text: str) -> Any:
    if len(text) > _MOST_PYTHON or _NO_COMMA.search(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes that escape nothing
            found = ast.literal_eval(text)
        return frozenset(found) if isinstance(found, set) else json.loads(json.dumps(found))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None

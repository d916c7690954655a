"""Which result folder a person means."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

from handler import storage
from handler.errors import InputError, one_line
from handler.reports._folder import ERROR, ERRORS, REPORT, SAMPLES, ResultFolder, load_row
from handler.reports._latest import LATEST, LATEST_KIND

__all__ = ["find_decision", "find_result", "is_result", "read_document"]

MOST_LISTED = 1_000
"""Objects of a folder that are looked through for an example of what could have been meant."""


def is_result(location: str) -> bool:
    """Whether this is a result folder, or the folder above some."""
    if storage.stat(storage.join(location, REPORT)) is not None:
        return True
    pointer = storage.join(location, LATEST)
    return storage.stat(pointer) is not None and str(_document(pointer).get("schema")).startswith(LATEST_KIND)


def find_result(location: str) -> ResultFolder:
    """The folder itself, or the newest result that the `latest.json` in it names.

    Raises InputError where there is neither; where the input could not be scored, with what error.json says.
    """
    location = location.rstrip("/") or location
    if storage.name_of(location) in (REPORT, SAMPLES, ERRORS):
        location = location.rpartition("/")[0] or "."
    if storage.stat(storage.join(location, REPORT)) is not None:
        return ResultFolder(location)
    pointer = storage.join(location, LATEST)
    if storage.stat(pointer) is not None:
        name = _document(pointer).get("folder")
        if isinstance(name, str) and "/" not in name and name not in ("", ".", ".."):
            return ResultFolder(storage.join(location, name))
    problem = storage.join(location, ERROR)
    if storage.stat(problem) is not None:
        reason = _document(problem).get("message", "no reason is given")
        raise InputError(f"nothing was scored: {reason}", file=problem, hint="Mend the input and evaluate it again")
    raise InputError("there is no result here", file=location, hint=_hint(location))


def _hint(location: str) -> str:
    """What to name instead: a result that lies further in, or how to make one."""
    if storage.stat(location) is not None:
        return f"This is a file: `scenescore evaluate {one_line(location)}` makes a result of it"
    example = "scenescore-results/frames.csv"
    with contextlib.suppress(storage.NotFoundError):
        listed = itertools.islice(storage.list_objects(f"{location}/"), MOST_LISTED)
        inside = (one.location.rpartition("/")[0] for one in listed if storage.name_of(one.location) == LATEST)
        example = one_line(next(inside, example))
    return f"Name a result or the folder above it, e.g. {example}: one that holds report.json or latest.json"


def find_decision(location: str) -> str | None:
    """Where the calibration or comparison is that a person means by this file, or by the folder of a comparison."""
    if storage.name_of(location) in (REPORT, SAMPLES, ERRORS):
        return None
    if not location.endswith("/") and storage.stat(location) is not None:
        return location
    inside = storage.join(location, "comparison.json")
    return inside if storage.stat(inside) is not None else None


def read_document(location: str) -> dict[str, Any]:
    """A JSON object. Raises InputError for anything else."""
    found = _document(location)
    if not found:
        raise InputError("this is no JSON object", file=location, hint="Name a file that scenescore wrote")
    return found


def _document(location: str) -> dict[str, Any]:
    try:
        found = load_row(storage.read_bytes(location))
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}

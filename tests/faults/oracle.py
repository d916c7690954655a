"""What an undisturbed run leaves, and whether a disturbed one left the same."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from handler import storage

__all__ = ["Expected", "WrongError", "expected_of", "verify"]


class WrongError(AssertionError):
    """A result differs from the undisturbed one."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The files of an undisturbed result, and its report."""

    samples: bytes
    errors: bytes
    report: dict[str, Any]


def expected_of(location: str) -> Expected:
    """Read a finished result folder."""
    read = {name: storage.read_bytes(f"{location}/{name}") for name in ("samples.jsonl", "errors.jsonl", "report.json")}
    return Expected(read["samples.jsonl"], read["errors.jsonl"], json.loads(read["report.json"]))


def verify(location: str, expected: Expected) -> None:
    """Rows byte for byte, the report to 1e-9. Raises WrongError that counts what is lost, doubled and wrong."""
    try:
        found = expected_of(location)
    except storage.NotFoundError as error:
        raise WrongError(f"lost: {error}") from error
    for name, one, other in (
        ("samples", found.samples, expected.samples),
        ("errors", found.errors, expected.errors),
    ):
        if one != other:
            raise WrongError(f"{name}.jsonl: {_difference(one, other)}")
    for key in expected.report:
        if key not in ("timing", "request", "environment") and not close(found.report.get(key), expected.report[key]):
            raise WrongError(f"report.{key} is {found.report.get(key)!r}, undisturbed {expected.report[key]!r}"[:2000])


def _difference(found: bytes, expected: bytes) -> str:
    have, want = Counter(found.splitlines()), Counter(expected.splitlines())
    lost, more = want - have, have - want
    doubled = sum(n for row, n in more.items() if row in want)
    wrong = sum(more.values()) - doubled
    order = "" if lost or more else ", but in another order"
    return f"{max(0, sum(lost.values()) - wrong)} lost, {doubled} doubled, {wrong} wrong rows{order}"


def close(one: Any, other: Any) -> bool:
    """Whether two reports hold the same: numbers to 1e-9, everything else exactly."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return type(one) is type(other) and bool(one == other)

"""The made pairs as a file that a person can check."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler import storage
from handler.errors import RequestError
from handler.reports import dump_row, guarded

__all__ = ["check_output", "write_pairs"]

SUFFIXES = (".csv", ".jsonl")


def check_output(location: str) -> str:
    """The location, if its suffix says how to write. Raises RequestError otherwise."""
    if not location.lower().endswith(SUFFIXES):
        raise RequestError(
            f"--output {location!r} is neither a .csv nor a .jsonl file",
            field="output",
            hint="Name one, e.g. --output pairs.csv",
        )
    return location


def write_pairs(location: str, pairs: Sequence[Mapping[str, Any]]) -> None:
    """A row a pair: kind, reference, both versions, whose the true one is, per metric both scores and what it preferred.

    CSV has a byte order mark, without which spreadsheets do not read UTF-8, a cell that one would take for a formula gets an
    apostrophe before it, and an empty column `is_right` is for the person who checks: whether the true version is true and
    the false one false. JSON Lines has the pairs as they are.
    """
    if check_output(location).lower().endswith(".jsonl"):
        storage.write_bytes(location, b"".join(map(dump_row, pairs)))
        return
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    names = list(pairs[0]["scores"]) if pairs else []
    writer.writerow(["kind", "reference", "true", "source", "false", *_heads(names), "is_right"])
    writer.writerows([*_cells(pair), ""] for pair in pairs)
    storage.write_bytes(location, text.getvalue().encode("utf-8-sig", "backslashreplace"))


def _heads(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield from (f"{name}.true", f"{name}.false", f"{name}.preferred")


def _cells(pair: Mapping[str, Any]) -> Iterator[Any]:
    for key in ("kind", "reference", "true", "source", "false"):
        yield guarded(pair[key])
    words = {"win": "true", "loss": "false", "tie": "neither", None: ""}
    for name, scores in pair["scores"].items():
        yield from (scores["true"], scores["false"], words[pair["preferred"][name]])

"""samples.jsonl as columns: numbers and hashes, some 60 bytes a sample, so that a million samples fit."""

from __future__ import annotations

import hashlib
import json
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from handler.counting import many
from handler.decisions.comparison._figures import Figure
from handler.decisions.comparison._runs import Run
from handler.errors import InputError, RequestError

__all__ = ["FIELDS", "Columns", "Values", "hash_of", "read_columns", "rows_at"]

FIELDS = ("session_id", "assistant_id", "sample_id")
MAX_NAMES = 1000  # values of one field whose words are kept
MAX_SIDES = 20  # assistants, or whatever one result is parted by

Hashes = NDArray[np.uint64]


class Values:
    """One field of every row as 64-bit hashes, with the words of the first thousand values; absent is the word ""."""

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._known: dict[str, int] = {}
        self.names: dict[int, str] = {}
        self.is_complete = True

    def add(self, word: str) -> None:
        """The next row's."""
        hashed = self._known.get(word)
        if hashed is None:
            hashed = hash_of(word)
            if len(self._known) < MAX_NAMES:
                self._known[word] = hashed
                self.names[hashed] = word
            else:
                self.is_complete = False
        self._hashes.append(hashed)

    def add_absent(self, n: int) -> None:
        """Rows that came before the field was first seen."""
        if n:
            absent = hash_of("")
            self._known[""] = absent
            self.names[absent] = ""
            self._hashes.extend(array("Q", [absent]) * n)

    def __len__(self) -> int:
        return len(self._hashes)

    def array(self) -> Hashes:
        """(rows,) hashes."""
        return np.frombuffer(self._hashes, np.uint64) if self._hashes else np.zeros(0, np.uint64)


class Columns:
    """What is kept of the rows of one run.

    keys: hashes of what rows are joined by. fields: by name, the fields and tags that samples are clustered and sliced by.
    scores: by figure, (rows, 2) numerators and denominators, NaN where the row has none. places: (rows, 2) first byte and
    length of each line, with which a row can be read again.
    """

    def __init__(self, run: Run, on: Sequence[str], figures: Sequence[Figure]) -> None:
        self.run = run
        self.fields: dict[str, Values] = {name: Values() for name in ("session_id", "assistant_id")}
        self._on = on
        self._figures = figures
        self._keys = array("Q")
        self._scores = {figure: array("d") for figure in figures}
        self._places = array("Q")

    def add(self, row: Mapping[str, Any], start: int, length: int, group_by: Sequence[str]) -> None:
        """The next row."""
        n = len(self._keys)
        self._keys.append(hash_of("\0".join(_word(row, name) for name in self._on)))
        tags = row.get("tags") or {}
        for name in (*tags, *group_by):
            if name not in self.fields:
                self.fields[name] = Values()
                self.fields[name].add_absent(n)
        for name, values in self.fields.items():
            values.add(_word(row, name))
        for figure, scores in self._scores.items():
            pair = figure.read(row["metrics"].get(figure.metric) or {})
            scores.extend(pair or (math.nan, math.nan))
        self._places.extend((start, length))

    def __len__(self) -> int:
        return len(self._keys)

    def keys(self) -> Hashes:
        """(rows,) hashes of the joined fields."""
        return np.frombuffer(self._keys, np.uint64) if self._keys else np.zeros(0, np.uint64)

    def scores(self, figure: Figure) -> NDArray[np.float64]:
        """(rows, 2) numerators and denominators."""
        found = self._scores[figure]
        return np.frombuffer(found, np.float64).reshape(-1, 2) if found else np.zeros((0, 2))

    def known(self, name: str, option: str) -> Values:
        """A field that some row has. Raises RequestError, of the option that names it, for another one."""
        found = self.fields.get(name)
        if found is None or set(found.names.values()) <= {""}:
            there = ", ".join(name for name, values in self.fields.items() if set(values.names.values()) - {""})
            raise RequestError(f"no row has a tag or column {name!r}", field=option, hint=f"Rows have: {there}")
        return found

    def place(self, row: int) -> tuple[int, int]:
        """First byte and length of a row's line."""
        return self._places[2 * row], self._places[2 * row + 1]


def read_columns(
    run: Run, figures: Sequence[Figure], *, on: Sequence[str], group_by: Sequence[str], by: str | None = None
) -> dict[str, Columns]:
    """One pass over the rows. With `by`, rows are told apart by that field: {value: its columns}; else {"": all}."""
    found: dict[str, Columns] = {} if by else {"": Columns(run, on, figures)}
    start = 0
    for number, line in enumerate(run.lines(), 1):
        try:
            row = _loaded(line)
            side = _word(row, by) if by else ""
            if side not in found:
                if len(found) >= MAX_SIDES:
                    raise InputError(f"{by} has more than {MAX_SIDES} values to compare", file=run.location, field="by")
                found[side] = Columns(run, on, figures)
            found[side].add(row, start, len(line), group_by)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"the row cannot be read ({type(error).__name__})",
                file=f"{run.location}/samples.jsonl",
                line=number,
                hint="Evaluate again: the files of a result folder are not for editing",
            ) from error
        start += len(line)
    there, counted = sum(map(len, found.values())), run.document["counts"]["n_samples"]
    if there != counted:
        raise InputError(
            f"{many(there, 'row')} found where the report counts {counted:,}",
            file=f"{run.location}/samples.jsonl",
            hint="The result is damaged: evaluate again with --force",
        )
    return found


def rows_at(columns: Columns, rows: Iterable[int]) -> list[dict[str, Any]]:
    """A few rows, read again."""
    return [_loaded(columns.run.read(*columns.place(row))) for row in rows]


def _loaded(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return json.loads(line)  # half characters


def hash_of(text: str) -> int:
    """64 bits: among a million samples two share one with a probability of 3e-8."""
    return int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "little")


def _word(row: Mapping[str, Any], name: str) -> str:
    """A tag, column or field as text, as summaries by tag name it."""
    value: Any = None
    for holder in (row.get("tags"), row.get("columns")):
        if holder and name in holder:
            value = holder[name]
            break
    else:
        value = row.get(name) if name in FIELDS else None
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)

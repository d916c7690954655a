"""The rankings of a run: rows gathered by query, records as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from handler.errors import InputError
from handler.formats._limits import MAX_JOINED
from handler.formats._values import FieldError, clip, unreadable
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import mapping_of
from handler.formats.tasks._ranked import Ranking, Row, rankings
from handler.formats.tasks._stream import Item
from handler.samples import Unreadable

__all__ = ["MAX_HELD_ROWS", "Found", "runs"]

MAX_HELD_ROWS = 100_000
"""Rows held at once, about 20 MB. Up to so many may stand in any order; in longer runs those of a query stand together."""


class Found(NamedTuple):
    """What a run says about one query, or why that cannot be told. line, stem: where it starts."""

    run: str
    query: str
    record: Ranking | Unreadable
    line: int | None
    stem: str


class _Placed(NamedTuple):
    run: str
    query: str
    row: Row
    line: int | None
    stem: str


def runs(items: Iterator[Item], context: Context) -> Iterator[Found | Unreadable]:
    """What each query retrieved. Raises InputError when the rows of a query are too far apart to be gathered, or too
    many."""
    held: dict[tuple[str, str], list[_Placed]] = {}
    gone: set[tuple[str, str]] = set()
    last, n = None, 0
    for one in _read(items, context):
        if not isinstance(one, _Placed):
            yield one
            continue
        query = (one.run, one.query)
        if query in gone:
            raise _scattered(one, context)
        if n >= MAX_HELD_ROWS and query != last:
            for other in [other for other in held if other != query]:
                yield _gathered(held.pop(other), context)
                gone.add(other)
            n = len(held.get(query, ()))
        rows = held.setdefault(query, [])
        rows.append(one)
        if len(rows) > MAX_JOINED:
            raise InputError(
                f"query {clip(one.query)!r} has more than {MAX_JOINED:,} rows",
                file=_file_of(one, context),
                line=one.line,
                hint="Leave out the lowest ranks",
            )
        last, n = query, n + 1
    for rows in held.values():
        yield _gathered(rows, context)


def _read(items: Iterator[Item], context: Context) -> Iterator[Found | _Placed | Unreadable]:
    for number, item in enumerate(items, 1):
        if isinstance(item.value, Unreadable):
            yield item.value
            continue
        try:
            for run, query, found in rankings(mapping_of(item), context.options.mapping, number):
                if isinstance(found, Row):
                    yield _Placed(run, query, found, item.line, item.stem)
                else:
                    if isinstance(found, Ranking) and found.turned:
                        context.notices.add("rank_and_score_differ", f"query {clip(query)!r}")
                    record = _problem(found, query, item) if isinstance(found, FieldError) else found
                    yield Found(run, query, record, item.line, item.stem)
        except FieldError as error:
            yield _problem(error, None, item)


def _gathered(rows: Sequence[_Placed], context: Context) -> Found:
    """Ordered by rank where there are ranks and no scores; as they stand where there are none, or unclear ones."""
    run, query, _, line, stem = rows[0]
    scores = [one.row.score for one in rows if one.row.score is not None]
    ranks = [one.row.rank for one in rows if one.row.rank is not None]
    documents = [one.row.document for one in rows]
    record: Ranking | Unreadable
    if 0 < len(scores) < len(rows):
        first = next(one for one in rows if one.row.score is None)
        reason = f"score is missing (query {clip(query)!r}), and other documents of the query have one"
        record = unreadable(first.line, None, "score", reason)
    elif len(set(ranks)) < len(rows):
        if ranks and not scores:
            context.notices.add("unclear_ranks", f"query {clip(query)!r}")
        record = Ranking(tuple(documents), tuple(scores))
    else:
        by_rank = sorted(range(len(rows)), key=ranks.__getitem__)
        if not scores:
            documents = [documents[place] for place in by_rank]
        elif any(scores[one] < scores[following] for one, following in pairwise(by_rank)):
            context.notices.add("rank_and_score_differ", f"query {clip(query)!r}")
        record = Ranking(tuple(documents), tuple(scores))
    return Found(run, query, record, line, stem)


def _problem(error: FieldError, query: str | None, item: Item) -> Unreadable:
    where = f" (query {clip(query)!r})" if query is not None else ""
    return unreadable(item.line, item.column, error.field or None, f"{error}{where}")


def _file_of(one: _Placed, context: Context) -> str:
    answers = context.plan.answers
    return answers[0] if len(answers) == 1 else one.stem


def _scattered(one: _Placed, context: Context) -> InputError:
    return InputError(
        f"query {clip(one.query)!r} comes again, more than {MAX_HELD_ROWS:,} rows after its others",
        file=_file_of(one, context),
        line=one.line,
        hint="Sort the rows by query, for example with `sort -s -k1,1`, which keeps the order within a query",
    )

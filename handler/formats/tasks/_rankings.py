"""Rankings: what each query of a run retrieved, joined with what is relevant to it (qrels)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping

from handler.errors import InputError
from handler.formats._limits import MAX_JOINED
from handler.formats._opening import open_source
from handler.formats._values import FieldError, clip
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import mapping_of
from handler.formats.tasks._ranked import Judgement, Ranking, judgements
from handler.formats.tasks._ranking_doubts import Doubts
from handler.formats.tasks._ranking_values import FractionError
from handler.formats.tasks._runs import runs
from handler.formats.tasks._stream import Item, items_of
from handler.samples import UNKNOWN_ASSISTANT, RankingSample, Record, Unreadable

__all__ = ["ranking_records"]

_SHOWN = 5  # documents named in `answer`
_SWAPPED = "If these are scores, the two files are swapped: give the run as INPUT and the qrels with --references"
Qrels = dict[str, dict[str, int]]


def ranking_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """A sample per query of each run, in the run's order, then the queries that were not run: each run owes an answer to
    every query of the qrels file. Without one the items say themselves what is relevant.

    Raises InputError for a qrels file that cannot be read, or a long run whose rows do not stand by query.
    """
    references = context.plan.references
    qrels, stem = _read_qrels(references, context) if references is not None else (None, None)
    asked: dict[str, set[str]] = {}
    doubts = Doubts(qrels or {})
    index = 0
    for found in runs(items, context):
        if isinstance(found, Unreadable):
            yield found
            continue
        asked.setdefault(found.run, set()).add(found.query)
        if isinstance(found.record, Unreadable):
            yield found.record
            continue
        relevant = found.record.relevant if qrels is None else qrels.get(found.query)
        doubts.look(found.run, found.record, relevant or {})
        session_id = stem or found.stem
        context.watch.sample(session_id, found.run, found.query)
        yield _sample(index, (session_id, found.run, found.query), found.record, relevant or {}, found.line)
        index += 1
    doubts.tell(context.notices)
    for run, queries in (asked or {UNKNOWN_ASSISTANT: set()}).items():
        for query, grades in (qrels or {}).items():
            if query not in queries:
                yield _sample(index, (stem or "", run, query), Ranking(None), grades, None)
                index += 1


def _sample(
    index: int, ids: tuple[str, str, str], ranking: Ranking, relevant: Mapping[str, int], line: int | None
) -> RankingSample:
    """ids: session, assistant (the run's tag), sample (the query)."""
    documents = ranking.documents
    best = sorted((document for document, grade in relevant.items() if grade > 0), key=lambda one: -relevant[one])
    return RankingSample(
        index,
        *ids,
        answer=None if documents is None else _in_words(documents, ranking.scores),
        references=tuple(best),
        tags=ranking.tags,
        columns={"question": ranking.question} if ranking.question is not None else {},
        line=line,
        ranked=documents or (),
        scores=ranking.scores,
        relevant=relevant,
    )


def _in_words(documents: tuple[str, ...], scores: tuple[float, ...]) -> str:
    """The first documents, best first."""
    first = documents[:_SHOWN]
    if scores:
        best = heapq.nlargest(_SHOWN, zip(scores, documents, strict=True), key=lambda pair: pair[0])
        first = tuple(document for _, document in best)
    return ", ".join(first) + (", …" if len(documents) > _SHOWN else "")


def _read_qrels(location: str, context: Context) -> tuple[Qrels, str]:
    """{query: {document: grade}} and the file's stem. Raises InputError for the first thing that cannot be read."""
    qrels: Qrels = {}
    n = 0
    with open_source(location, context.options) as source:
        for number, item in enumerate(items_of(source, context.notices), 1):
            if isinstance(item.value, Unreadable):
                problem = item.value
                raise InputError(problem.reason, file=location, line=problem.line, column=problem.column)
            try:
                for judgement in judgements(mapping_of(item), context.options.mapping, number):
                    _add(qrels, judgement, item, context)
                    n += 1
            except FieldError as error:
                raise InputError(
                    str(error),
                    file=location,
                    line=item.line,
                    field=error.field or None,
                    hint=_SWAPPED if isinstance(error, FractionError) else None,
                ) from error
            if n > MAX_JOINED:
                raise InputError(
                    f"more than {MAX_JOINED:,} judgements, which are held in memory",
                    file=location,
                    hint="Split the file by query, and the run with it",
                )
    if not qrels:
        raise InputError("there is nothing in this file that says what is relevant", file=location)
    return qrels, source.stem


def _add(qrels: Qrels, judgement: Judgement, item: Item, context: Context) -> None:
    query, document, grade = judgement
    grades = qrels.setdefault(query, {})
    if document is None:
        return
    if grades.setdefault(document, grade) != grade:
        raise FieldError(
            "", f"query {clip(query)!r} has two grades for {clip(document)!r}: {grades[document]} and {grade}"
        )

"""What a file says that queries retrieved, and what it says is relevant to them: a TREC line, a row, a record, or a
document of many queries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from handler.counting import many
from handler.formats._fields import check_mapping, normal
from handler.formats._values import FieldError, as_id, as_tags, clip, describe, is_missing
from handler.formats.tasks._ranking_values import (
    are_texts,
    as_number,
    grade_of,
    id_at,
    id_of,
    number_of,
    shown,
    unfolded,
)
from handler.metrics.retrieval import plain_id
from handler.samples import UNKNOWN_ASSISTANT

__all__ = ["Judgement", "Keys", "Ranking", "Row", "judgements", "rankings"]

Keys = Mapping[str, str]
"""{our field: the column that `--map` names}."""

_NAMES = {  # in normal form, the likeliest first
    "query": ("queryid", "qid", "id", "query"),
    "document": ("docid", "corpusid", "documentid", "docno"),
    "score": ("score", "similarity"),
    "rank": ("rank",),
    "run": ("run", "runid", "runname", "assistantid", "model", "modelid", "modelname", "system"),
    "relevance": ("relevance", "rel", "grade", "label", "score"),
    "ranked": ("ranked", "ranking", "retrieved", "results"),
    "scores": ("scores",),
    "relevant": ("relevant", "positives", "qrels", "gold"),
    "question": ("query", "question"),
    "tags": ("tags",),
}
_MAPPED = {
    "sample_id": ("query",),
    "answer": ("document", "ranked"),
    "references": ("relevance", "relevant"),
    "assistant_id": ("run",),
}
_BESIDE_RANKED = ("relevant", "scores", "question", "run", "tags")
"""What shows that an object is the record of one query, though it does not name it."""
_MOST_KEYS = 40  # of a row or record; an object with more is a document of queries


class Ranking(NamedTuple):
    """What one query retrieved. documents: None when it was not run. relevant: None when the item does not say. turned:
    whether the scores give another order than the list that they stand beside."""

    documents: tuple[str, ...] | None
    scores: tuple[float, ...] = ()
    turned: bool = False
    relevant: Mapping[str, int] | None = None
    question: str | None = None
    tags: Mapping[str, Any] = {}


class Row(NamedTuple):
    """One document of a ranking. rank: as stated; it orders rows without scores."""

    document: str
    score: float | None
    rank: float | None


class Judgement(NamedTuple):
    """The grade of one document; document: None for a query that nothing is relevant to."""

    query: str
    document: str | None
    grade: int


def rankings(
    value: Mapping[str, Any], mapping: Keys, number: int
) -> Iterator[tuple[str, str, Ranking | Row | FieldError]]:
    """What an object of a run says, or what is wrong with it, by run and query. number: its 1-based place in the run, the
    id of a record's query that has none. Raises FieldError where no query can be told."""
    at = _keys_of(value, mapping)
    if "query" not in at and "ranked" in at and (len(value) == 1 or not at.keys().isdisjoint(_BESIDE_RANKED)):
        yield sys.intern(_run(value, at)), str(number), _tried(_record, value, at)
        return
    if "query" not in at or not ("document" in at or "ranked" in at):
        _refuse_texts(value)
        for query, found in value.items():
            yield UNKNOWN_ASSISTANT, plain_id(query), _tried(_listed, found, query)
        return
    run, query = sys.intern(_run(value, at)), sys.intern(id_at(value, at["query"]))
    yield run, query, _tried(_row if "document" in at else _record, value, at)


def judgements(value: Mapping[str, Any], mapping: Keys, number: int) -> Iterator[Judgement]:
    """What an object of a qrels file says. number: as in `rankings`. Raises FieldError."""
    at = _keys_of(value, mapping)
    if "query" in at and "document" in at:
        if "relevance" not in at:
            raise FieldError("relevance", "is missing")
        query, document = id_at(value, at["query"]), id_at(value, at["document"])
        yield Judgement(query, document, grade_of(value[at["relevance"]], at["relevance"]))
        return
    if "relevant" in at and ("query" in at or "ranked" in at or len(value) == 1):
        query = id_at(value, at["query"]) if "query" in at else str(number)
        found = {query: (value[at["relevant"]], at["relevant"])}
    else:
        _refuse_texts(value)
        found = {plain_id(query): (relevant, f"[{clip(query)!r}]") for query, relevant in value.items()}
    for query, (relevant, field) in found.items():
        grades = _relevant(relevant, field)
        for document, grade in grades.items():
            yield Judgement(query, document, grade)
        if not grades:
            yield Judgement(query, None, 0)


def _keys_of(value: Mapping[str, Any], mapping: Keys) -> Mapping[str, str]:
    """{our name: the key}, {} for a document of queries."""
    if len(value) > _MOST_KEYS:
        return {}
    return _found(tuple(value), tuple(mapping.items()))


@lru_cache(maxsize=64)
def _found(keys: tuple[str, ...], mapping: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    by_normal = {normal(key): key for key in reversed(keys)}
    found = {}
    for name, aliases in _NAMES.items():
        if alias := next((alias for alias in aliases if alias in by_normal), None):
            found[name] = by_normal[alias]
    for field, key in check_mapping(dict(mapping)).items():
        found |= {name: key for name in _MAPPED.get(field, ()) if key in keys}
    return found


def _tried(read: Callable[..., Ranking | Row], *given: Any) -> Ranking | Row | FieldError:
    try:
        return read(*given)
    except FieldError as error:
        return error


def _refuse_texts(value: Mapping[str, Any]) -> None:
    """Raises FieldError for captions by picture, which have the shape of rankings by query."""
    if are_texts(value.values()):
        raise FieldError(
            "",
            'this holds lists of texts, not of ids: captions go in as COCO results, [{"image_id": 1, "caption": "…"}], and '
            'ids with spaces as {"query_id": …, "ranked": […]}',
        )


def _listed(value: Any, query: str) -> Ranking:
    documents, scores, turned = _ranked(value, f"[{clip(query)!r}]")
    return Ranking(documents, scores, turned)


def _row(value: Mapping[str, Any], at: Mapping[str, str]) -> Row:
    score = _given(value, at, "score")
    stated = _given(value, at, "rank")
    rank = as_number(stated)
    if score is None and stated is not None and rank is None:
        raise FieldError(at["rank"], f"is {shown(stated)}, not a number, and there is no score")
    return Row(id_at(value, at["document"]), None if score is None else number_of(score, at["score"]), rank)


def _given(value: Mapping[str, Any], at: Mapping[str, str], name: str) -> Any:
    """The value of a cell, None for an empty one."""
    found = value[at[name]] if name in at else None
    return None if is_missing(found) or found == "" else found


def _record(value: Mapping[str, Any], at: Mapping[str, str]) -> Ranking:
    documents, scores, turned = _ranked(value[at["ranked"]], at["ranked"])
    given = unfolded(value[at["scores"]], at["scores"]) if "scores" in at else None
    if not is_missing(given):
        if not isinstance(given, list) or len(given) != len(documents or ()):
            held = many(len(given), "number") if isinstance(given, list) else describe(given)
            raise FieldError(at["scores"], f"holds {held} for {many(len(documents or ()), 'document')}")
        scores = tuple(number_of(score, at["scores"]) for score in given)
        turned = _rise(scores)
    question = value[at["question"]] if "question" in at and at["question"] != at["query"] else None
    return Ranking(
        documents=documents,
        scores=scores,
        turned=turned,
        relevant=_relevant(value[at["relevant"]], at["relevant"]) if "relevant" in at else None,
        question=question if isinstance(question, str) else None,
        tags=as_tags(value[at["tags"]], "tags") if "tags" in at else {},
    )


def _run(value: Mapping[str, Any], at: Mapping[str, str]) -> str:
    return (as_id(value[at["run"]], at["run"]) if "run" in at else None) or UNKNOWN_ASSISTANT


def _ranked(value: Any, field: str) -> tuple[tuple[str, ...] | None, tuple[float, ...], bool]:
    """Documents and scores of {id: score}, of ids, or of {id, score} objects, and whether the scores give another order
    than the list; None for null."""
    value = unfolded(value, field)
    if is_missing(value):
        return None, (), False
    if isinstance(value, Mapping):
        scored = [number_of(score, f"{field}[{clip(one)!r}]") for one, score in value.items()]
        return tuple(id_of(one, field) for one in value), tuple(scored), False
    if isinstance(value, (set, frozenset)):
        raise FieldError(field, "is a set, which has no order: give a list")
    if not isinstance(value, (list, tuple)):
        return (id_of(value, field),), (), False
    if not any(isinstance(one, Mapping) for one in value):
        return tuple(id_of(one, f"{field}[{place}]") for place, one in enumerate(value)), (), False
    pairs = [_hit(one, f"{field}[{place}]") for place, one in enumerate(value)]
    scores = [score for _, score in pairs if score is not None]
    if 0 < len(scores) < len(pairs):
        raise FieldError(field, f"has scores for {len(scores)} of {many(len(pairs), 'document')}")
    return tuple(document for document, _ in pairs), tuple(scores), _rise(scores)


def _rise(scores: Sequence[float]) -> bool:
    """Whether a score is greater than the one before it."""
    return any(one < following for one, following in pairwise(scores))


def _hit(value: Any, field: str) -> tuple[str, float | None]:
    at = _found(tuple(value), ()) if isinstance(value, Mapping) and len(value) <= _MOST_KEYS else {}
    key = at.get("document") or ("id" if isinstance(value, Mapping) and "id" in value else None)
    if key is None:
        raise FieldError(field, "has no doc_id")
    score = value[at["score"]] if "score" in at else None
    return id_at(value, key), None if is_missing(score) else number_of(score, f"{field}.{at['score']}")


def _relevant(value: Any, field: str) -> dict[str, int]:
    value = unfolded(value, field)
    if is_missing(value):
        return {}
    if isinstance(value, Mapping):
        return {id_of(one, field): grade_of(grade, f"{field}[{clip(one)!r}]") for one, grade in value.items()}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    ids = value if isinstance(value, (list, tuple)) else [value]
    return {id_of(one, field): 1 for one in ids}

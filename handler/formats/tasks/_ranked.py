"""What a file says that queries retrieved, and what it says is relevant to them: a TREC line, a row, a record, or a
document of many queries."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from handler.formats._fields import check_mapping, normal
from handler.formats._values import ABSENT, FieldError, as_id, as_tags, clip, describe, is_missing
from handler.formats.tasks._answers import UNKNOWN_ASSISTANT

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
_MOST_KEYS = 40  # of a row or record; an object with more is a document of queries


class Ranking(NamedTuple):
    """What one query retrieved. documents: None when it was not run. relevant: None when the item does not say."""

    documents: tuple[str, ...] | None
    scores: tuple[float, ...] = ()
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


def rankings(value: Mapping[str, Any], mapping: Keys) -> Iterator[tuple[str, str, Ranking | Row | FieldError]]:
    """What an object of a run says, or what is wrong with it, by run and query. Raises FieldError where no query can be
    told."""
    at = _keys_of(value, mapping)
    if "query" not in at or not ("document" in at or "ranked" in at):
        for query, found in value.items():
            yield UNKNOWN_ASSISTANT, query, _tried(_listed, found, query)
        return
    run, query = sys.intern(_run(value, at)), sys.intern(_id_at(value, at["query"]))
    yield run, query, _tried(_row if "document" in at else _record, value, at)


def judgements(value: Mapping[str, Any], mapping: Keys) -> Iterator[Judgement]:
    """What an object of a qrels file says. Raises FieldError."""
    at = _keys_of(value, mapping)
    if "query" in at and "document" in at:
        if "relevance" not in at:
            raise FieldError("relevance", "is missing")
        query, document = _id_at(value, at["query"]), _id_at(value, at["document"])
        yield Judgement(query, document, _grade(value[at["relevance"]], at["relevance"]))
        return
    if "query" in at and "relevant" in at:
        found = {_id_at(value, at["query"]): (value[at["relevant"]], at["relevant"])}
    else:
        found = {query: (relevant, f"[{clip(query)!r}]") for query, relevant in value.items()}
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


def _listed(value: Any, query: str) -> Ranking:
    return Ranking(*_ranked(value, f"[{clip(query)!r}]"))


def _row(value: Mapping[str, Any], at: Mapping[str, str]) -> Row:
    score = value[at["score"]] if "score" in at else None
    return Row(
        document=_id_at(value, at["document"]),
        score=None if is_missing(score) or score == "" else _number(score, at["score"]),
        rank=_as_number(value[at["rank"]]) if "rank" in at else None,
    )


def _record(value: Mapping[str, Any], at: Mapping[str, str]) -> Ranking:
    documents, scores = _ranked(value[at["ranked"]], at["ranked"])
    given = value[at["scores"]] if "scores" in at else None
    if not is_missing(given):
        if not isinstance(given, list) or len(given) != len(documents or ()):
            held = f"{len(given)} numbers" if isinstance(given, list) else describe(given)
            raise FieldError(at["scores"], f"holds {held} for {len(documents or ())} documents")
        scores = tuple(_number(score, at["scores"]) for score in given)
    question = value[at["question"]] if "question" in at and at["question"] != at["query"] else None
    return Ranking(
        documents=documents,
        scores=scores,
        relevant=_relevant(value[at["relevant"]], at["relevant"]) if "relevant" in at else None,
        question=question if isinstance(question, str) else None,
        tags=as_tags(value[at["tags"]], "tags") if "tags" in at else {},
    )


def _run(value: Mapping[str, Any], at: Mapping[str, str]) -> str:
    return (as_id(value[at["run"]], at["run"]) if "run" in at else None) or UNKNOWN_ASSISTANT


def _ranked(value: Any, field: str) -> tuple[tuple[str, ...] | None, tuple[float, ...]]:
    """Documents and scores of {id: score}, of ids, or of {id, score} objects; None for null."""
    if is_missing(value):
        return None, ()
    if isinstance(value, Mapping):
        return tuple(value), tuple(_number(score, f"{field}[{clip(one)!r}]") for one, score in value.items())
    if not isinstance(value, (list, tuple)):
        return (_id(value, field),), ()
    if not any(isinstance(one, Mapping) for one in value):
        return tuple(_id(one, f"{field}[{place}]") for place, one in enumerate(value)), ()
    pairs = [_hit(one, f"{field}[{place}]") for place, one in enumerate(value)]
    scores = [score for _, score in pairs if score is not None]
    if 0 < len(scores) < len(pairs):
        raise FieldError(field, f"has scores for {len(scores)} of {len(pairs)} documents")
    return tuple(document for document, _ in pairs), tuple(scores)


def _hit(value: Any, field: str) -> tuple[str, float | None]:
    at = _found(tuple(value), ()) if isinstance(value, Mapping) and len(value) <= _MOST_KEYS else {}
    key = at.get("document") or ("id" if isinstance(value, Mapping) and "id" in value else None)
    if key is None:
        raise FieldError(field, "has no doc_id")
    score = value[at["score"]] if "score" in at else None
    return _id_at(value, key), None if is_missing(score) else _number(score, f"{field}.{at['score']}")


def _relevant(value: Any, field: str) -> dict[str, int]:
    if is_missing(value):
        return {}
    if isinstance(value, Mapping):
        return {document: _grade(grade, f"{field}[{clip(document)!r}]") for document, grade in value.items()}
    ids = value if isinstance(value, (list, tuple)) else [value]
    return {_id(one, field): 1 for one in ids}


def _id_at(value: Mapping[str, Any], key: str) -> str:
    return _id(value.get(key, ABSENT), key)


def _id(value: Any, field: str) -> str:
    found = as_id(value, field)
    if found is None:
        raise FieldError(field, "is missing or empty")
    return found


def _number(value: Any, field: str) -> float:
    number = _as_number(value)
    if number is None:
        raise FieldError(field, f"is {_shown(value)}, not a finite number")
    return number


def _grade(value: Any, field: str) -> int:
    number = _as_number(value)
    if number is None or not number.is_integer() or abs(number) > 1 << 53:
        raise FieldError(field, f"is {_shown(value)}, not a whole number: relevant from 1 on, 0 for not relevant")
    return int(number)


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or (isinstance(value, str) and "_" in value):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _shown(value: Any) -> str:
    return repr(clip(value, 30)) if isinstance(value, str) else describe(value)

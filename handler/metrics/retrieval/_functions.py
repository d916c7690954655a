"""The same figures as functions, for one query or for many.

ranked: one query's document ids, the best first, or its {id: score}; or {query: either} for many. relevant: one id, ids,
or {id: grade} with grades from 1 on relevant; or {query: any of these}. Ids are text or whole numbers: 7, 7.0, "7" and
"7.0" are one.
Over many queries each figure is the mean over those with something relevant: one that was not run counts 0, one that is
only in `ranked` does not count. Nothing relevant at all: None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from handler.errors import InputError
from handler.metrics.retrieval import _figures
from handler.metrics.retrieval._ids import plain_id
from handler.metrics.retrieval._order import put_in_order

__all__ = ["average_precision", "hit_rate_at_k", "ndcg_at_k", "precision_at_k", "recall_at_k", "reciprocal_rank"]

Figure = Callable[[list[int], list[int]], float]


def recall_at_k(ranked: Any, relevant: Any, k: int) -> float | None:
    """The share of the relevant documents that is among the first k, 0..1.

    >>> ranked = {"q1": ["img4", "img1"], "q2": ["img2", "img7"]}
    >>> recall_at_k(ranked, {"q1": "img1", "q2": "img2"}, 1)
    0.5
    """
    k = _figures.checked_cutoff(k)
    return _mean(ranked, relevant, lambda grades, ideal: _figures.recall(grades, len(ideal), k))


def hit_rate_at_k(ranked: Any, relevant: Any, k: int) -> float | None:
    """The share of queries with something relevant among the first k: what image-text papers call R@k."""
    k = _figures.checked_cutoff(k)
    return _mean(ranked, relevant, lambda grades, _: _figures.hit(grades, k))


def precision_at_k(ranked: Any, relevant: Any, k: int) -> float | None:
    """The share of the first k places that holds something relevant; a ranking shorter than k leaves places empty."""
    k = _figures.checked_cutoff(k)
    return _mean(ranked, relevant, lambda grades, _: _figures.precision(grades, k))


def reciprocal_rank(ranked: Any, relevant: Any) -> float | None:
    """1 / the rank of the first relevant document, 0 when there is none; over many queries it is the MRR."""
    return _mean(ranked, relevant, lambda grades, _: _figures.reciprocal(grades))


def average_precision(ranked: Any, relevant: Any) -> float | None:
    """The precision at the rank of each relevant document, averaged over all of them; over many queries it is the MAP."""
    return _mean(ranked, relevant, lambda grades, ideal: _figures.precision_average(grades, len(ideal)))


def ndcg_at_k(ranked: Any, relevant: Any, k: int) -> float | None:
    """Normalised discounted cumulative gain of the first k, 0..1; the gain is the grade itself, as in trec_eval."""
    k = _figures.checked_cutoff(k)
    return _mean(ranked, relevant, lambda grades, ideal: _figures.ndcg(grades, ideal, k))


def _mean(ranked: Any, relevant: Any, figure: Figure) -> float | None:
    values = []
    for one, judged in _queries(ranked, relevant):
        grades = _grades_of(judged)
        ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
        if ideal:
            documents = _documents_of(one, grades)
            values.append(figure([grades.get(document, 0) for document in documents], ideal))
    return math.fsum(values) / len(values) if values else None


def _queries(ranked: Any, relevant: Any) -> Iterable[tuple[Any, Any]]:
    if not isinstance(ranked, Mapping) or (ranked and all(_is_number(one) for one in ranked.values())):
        return [(ranked, relevant)]
    if not isinstance(relevant, Mapping):
        raise InputError(
            f"ranked holds {len(ranked)} queries, and relevant is a {type(relevant).__name__}",
            field="relevant",
            hint="Give what is relevant to each as {query: ids}",
        )
    runs = {_id(query): one for query, one in ranked.items()}
    return [(runs.get(_id(query), ()), judged) for query, judged in relevant.items()]


def _documents_of(ranked: Any, grades: Mapping[str, int]) -> tuple[str, ...]:
    if isinstance(ranked, Mapping):
        scores = list(ranked.values())
        if not all(_is_number(score) and math.isfinite(score) for score in scores):
            raise InputError("a score is no finite number", field="ranked", hint="Give {document: score}")
        return put_in_order([_id(one) for one in ranked], scores, grades).documents
    return put_in_order(_ids(ranked), (), grades).documents


def _grades_of(relevant: Any) -> dict[str, int]:
    if not isinstance(relevant, Mapping):
        return dict.fromkeys(_ids(relevant), 1)
    if not all(isinstance(grade, int) for grade in relevant.values()):
        raise InputError("a grade is no whole number", field="relevant", hint="Give {document: grade}, relevant from 1")
    return {_id(document): max(grade, 0) for document, grade in relevant.items()}


def _ids(value: Any) -> list[str]:
    several = isinstance(value, Iterable) and not isinstance(value, (str, Mapping))
    return [_id(one) for one in value] if several else [_id(value)]


def _id(value: Any) -> str:
    if isinstance(value, str):
        return plain_id(value)
    if isinstance(value, bool) or not (hasattr(value, "__index__") or (_is_number(value) and value % 1 == 0)):
        raise InputError(f"{value!r:.60} is no id", field="ranked", hint="Ids are text or whole numbers")
    return str(int(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

"""Comparisons asked for over HTTP: finished results, compared while the caller waits."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from handler import storage
from handler.decisions.comparison import COMPARISON, compare
from handler.errors import ForbiddenError, RequestError
from handler.jobs._answer import MAX_REPLY
from handler.reports import find_result
from handler.settings import Settings, is_under

__all__ = ["MAX_COMPARED", "ComparisonRequest", "answer_comparison"]

MAX_COMPARED = 200_000  # rows of all results together; some 10 s
MAX_CUT = 100  # slices shown where all of them are too long for a reply

Word = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
Location = Annotated[str, StringConstraints(min_length=1, max_length=2048)]


class ComparisonRequest(BaseModel):
    """Which finished results to compare, and how; as the arguments of `compare`."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    results: list[Location] = Field(
        min_length=1, max_length=20, description="Result folders, the first the baseline; one alone goes with `by`"
    )
    by: Word | None = None
    baseline: Word | None = None
    on: list[Word] | None = Field(default=None, min_length=1, max_length=10)
    cluster_by: Word = "session_id"
    group_by: list[Word] = Field(default_factory=list, max_length=20)
    metrics: list[Word] | None = Field(default=None, min_length=1, max_length=100)
    tolerance: float = Field(default=0.0, ge=0)


def answer_comparison(request: ComparisonRequest, settings: Settings) -> dict[str, Any]:
    """`{"comparison", "location"}`: the content of comparison.json and where it was put. Raises ScenescoreError."""
    for location in request.results:
        _check(location, settings)
    n_rows = sum(_n_rows(location) for location in dict.fromkeys(request.results))
    if n_rows > MAX_COMPARED:
        raise RequestError(
            f"the results have {n_rows:,} rows; {MAX_COMPARED:,} are compared while a caller waits",
            field="results",
            hint="`scenescore compare` has no limit",
        )
    arguments = request.model_dump(exclude={"results"})
    found = compare(*request.results, **arguments, output=settings.output)
    location = storage.join(found.location or "", COMPARISON)
    document = dict(found)
    if len(orjson.dumps(document)) > MAX_REPLY:
        document["comparisons"] = [
            {**entry, "slices": sorted(entry["slices"], key=lambda one: float(one["p"]))[:MAX_CUT]}
            for entry in document["comparisons"]
        ]
    return {"comparison": document, "location": location}


def _n_rows(location: str) -> int:
    document = find_result(location).report()
    return document["counts"]["n_samples"] if document else 0


def _check(location: str, settings: Settings) -> None:
    """Results lie under SCENESCORE_OUTPUT; those of others may lie where inputs may."""
    allowed = (settings.output, *settings.inputs)
    if ".." in location.split("/") or not any(is_under(location, prefix) for prefix in allowed):
        raise ForbiddenError(
            f"{location} is not open to requests", field="results", hint=f"Allowed: under {', '.join(allowed)}"
        )

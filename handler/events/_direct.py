"""Direct invoke: a request body in, a reply body out, as over HTTP."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from handler.errors import RequestError, ScenescoreError
from handler.evaluation import EvaluationRequest
from handler.jobs import (
    Clock,
    ComparisonRequest,
    RunRequest,
    answer,
    answer_comparison,
    answer_datasets,
    check_locations,
    problem,
)
from handler.settings import Settings

__all__ = ["answer_direct"]

Body = TypeVar("Body", bound=BaseModel)


def answer_direct(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """Evaluate now, or queue what is too long; compare finished results.

    User errors come back as problem documents; other errors are raised.
    """
    try:
        if "datasets" in event:
            return answer_datasets(_parsed(RunRequest, event), settings, clock)[1]
        if "results" in event:
            return answer_comparison(_parsed(ComparisonRequest, event), settings)
        request = EvaluationRequest.parse(event)
        check_locations(request, settings)
        return answer(request, settings, clock)[1]
    except ScenescoreError as error:
        if not error.is_callers:
            raise
        return problem(error)


def _parsed(kind: type[Body], event: dict[str, Any]) -> Body:
    try:
        return kind.model_validate(event)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise RequestError(f"{field}: {first['msg']}", field=field) from error

"""Direct invoke: a request body in, a reply body out, as over HTTP."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from handler.errors import RequestError, ScenescoreError
from handler.evaluation import EvaluationRequest
from handler.jobs import Clock, RunRequest, answer, answer_datasets, check_locations, problem
from handler.settings import Settings

__all__ = ["answer_direct"]


def answer_direct(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """Evaluate now, or queue what is too long. User errors come back as problem documents; other errors are raised."""
    try:
        if "datasets" in event:
            return answer_datasets(_datasets(event), settings, clock)[1]
        request = EvaluationRequest.parse(event)
        check_locations(request, settings)
        return answer(request, settings, clock)[1]
    except ScenescoreError as error:
        if not error.is_callers:
            raise
        return problem(error)


def _datasets(event: dict[str, Any]) -> RunRequest:
    try:
        return RunRequest.model_validate(event)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise RequestError(f"{field}: {first['msg']}", field=field) from error

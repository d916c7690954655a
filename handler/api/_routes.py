"""The routes. What they do is done in `handler.jobs`."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, HTTPException, Request, Response

from handler.api._bodies import (
    EvaluationBody,
    EvaluationReply,
    HealthReply,
    MetricsReply,
    RunReply,
    StatusReply,
    WaitingReply,
    json_reply,
)
from handler.api._examples import EVALUATIONS, RUNS
from handler.api._problems import responses
from handler.api._reading import JsonRoute
from handler.jobs import Clock, RunRequest, answer, answer_datasets, check_locations, read_status
from handler.metrics import describe, list_metrics, metric_class
from handler.settings import Settings, compact_folder, has_model

__all__ = ["Set", "router"]

REPLY_MARGIN_S = 5.0  # of the function's own time limit, kept for the reply
_JOB_ID = re.compile(r"[0-9a-f]{20}")

router = APIRouter(route_class=JsonRoute)


async def _settings_of(request: Request) -> Settings:
    """The app's settings."""
    found: Settings = request.app.state.settings
    return found


async def _clock_of(request: Request) -> Clock:
    """The function's remaining time on Lambda, else the app's clock."""
    context: Any = request.scope.get("aws.context")
    if hasattr(context, "get_remaining_time_in_millis"):
        return Clock(lambda: context.get_remaining_time_in_millis() / 1000, REPLY_MARGIN_S)
    clock: Clock = request.app.state.clock()
    return clock


Set = Annotated[Settings, Depends(_settings_of)]
Time = Annotated[Clock, Depends(_clock_of)]


@router.post(
    "/v1/evaluations",
    operation_id="evaluate",
    summary="Evaluate",
    response_model=EvaluationReply,
    response_description="Finished: the report, and the rows of up to 200 samples",
    responses={
        202: {"model": WaitingReply, "description": "It goes on: see the Location header"},
        **responses(403, 404, 413, 415, 422, 500, 503),
    },
)
def evaluate(
    request: Request, body: Annotated[EvaluationBody, Body(openapi_examples=EVALUATIONS)], settings: Set, clock: Time
) -> Response:
    """Score frames in the body, or a file that this installation opens to requests.

    Up to 200 frames are answered at once. What is longer, or asked for with `wait: false`, is queued where there is a
    queue. The same request gives the same evaluation: it is not scored twice.
    """
    check_locations(body, settings)
    code, document = answer(body, settings, clock)
    return _evaluation_reply(request, code, document)


@router.get(
    "/v1/evaluations/{evaluation_id}",
    operation_id="evaluation",
    summary="What became of an evaluation",
    response_model=StatusReply,
    response_description="Its status",
    responses=responses(404, 422, 500, 503),
)
def evaluation(evaluation_id: str, settings: Set) -> Response:
    """Queued, running, done or failed, with the reason and the place of the results."""
    status = read_status(evaluation_id, settings) if _JOB_ID.fullmatch(evaluation_id) else None
    if status is None:
        raise HTTPException(404, f"there is no evaluation {evaluation_id[:40]!r}")
    return json_reply(status.document())


@router.get(
    "/v1/metrics",
    operation_id="metrics",
    summary="What can be measured",
    response_model=MetricsReply,
    response_description="The metrics",
)
def metrics() -> Response:
    """Each metric with its range, needs, modes and options."""
    return json_reply({"metrics": [describe(metric_class(name)) for name in list_metrics()]})


@router.get(
    "/health",
    operation_id="health",
    summary="Whether the service is up",
    response_model=HealthReply,
    response_description="It is up",
)
def health(settings: Set) -> Response:
    """The version, and whether the model is there; it is not loaded to say so."""
    places = [settings.model, *([compact_folder(settings.model)] if settings.precision == "int8" else [])]
    present = any(map(has_model, places))
    return json_reply({"status": "ok", "version": version("scenescore"), "model_present": present})


@router.post(
    "/run",
    operation_id="run",
    summary="fair-forge's body",
    response_model=RunReply,
    response_description="Finished: one entry per metric and session",
    responses={
        202: {"model": RunReply, "description": "It goes on: send the same body again"},
        **responses(413, 415, 422, 500, 503),
    },
)
def run(body: Annotated[RunRequest, Body(openapi_examples=RUNS)], settings: Set, clock: Time) -> Response:
    """Datasets as the Lambda examples of fair-forge take them, answered as they answer. A `connector` is refused."""
    code, document = answer_datasets(body, settings, clock)
    return json_reply(document, code)


def _evaluation_reply(request: Request, code: int, document: dict[str, object]) -> Response:
    """200 as it is; 202 with the place to ask, relative to the host so that it holds behind any gateway."""
    if code == 200:
        return json_reply(document)
    url = f"{request.scope.get('root_path', '')}/v1/evaluations/{document['id']}"
    waiting = {"id": document["id"], "state": document["state"], "location": url}
    return json_reply(waiting, code, {"Location": url})

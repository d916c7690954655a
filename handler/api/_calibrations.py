"""The route of calibrations, and what goes in and out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Response
from pydantic import BaseModel, Field

from handler.api._bodies import EvaluationBody, Word, json_reply
from handler.api._examples import CALIBRATIONS
from handler.api._problems import responses
from handler.api._reading import JsonRoute
from handler.api._routes import Set
from handler.evaluation import CalibrationRequest
from handler.jobs import MAX_CALIBRATED, answer_calibration

__all__ = ["calibrations"]

calibrations = APIRouter(route_class=JsonRoute)


class CalibrationBody(EvaluationBody, CalibrationRequest):
    """Frames with people's verdicts, or a finished result folder as `input`, and what the threshold should be best at."""

    verdict: Word | None = None
    words: dict[Word, Word] = Field(default_factory=dict, max_length=100)
    aim: Word = "balanced_accuracy"
    split_by: Word = "session_id"
    suggest: int | None = Field(default=None, ge=1, le=MAX_CALIBRATED)


class CalibrationReply(BaseModel):
    """calibration: the content of calibration.json; location: where it is, for `calibration` of an evaluation. frames:
    with `suggest`, what to label next."""

    calibration: dict[str, Any] | None
    frames: list[dict[str, Any]] | None
    location: str | None


@calibrations.post(
    "/v1/calibrations",
    operation_id="calibrate",
    summary="Find the threshold that people's verdicts support",
    response_model=CalibrationReply,
    response_description="The calibration, or the frames to label next",
    responses=responses(403, 404, 413, 415, 422, 500, 503),
)
def calibrate(body: Annotated[CalibrationBody, Body(openapi_examples=CALIBRATIONS)], settings: Set) -> Response:
    """Up to 400 frames are scored for it. More: evaluate them first, and name the result folder as `input`."""
    return json_reply(answer_calibration(body, settings))

"""The route of comparisons, and what comes out."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel

from handler.api._bodies import json_reply
from handler.api._problems import responses
from handler.api._reading import JsonRoute
from handler.api._routes import Set
from handler.jobs import ComparisonRequest, answer_comparison

__all__ = ["comparisons"]

comparisons = APIRouter(route_class=JsonRoute)


class ComparisonReply(BaseModel):
    """comparison: the content of comparison.json; location: where it is."""

    comparison: dict[str, Any]
    location: str


@comparisons.post(
    "/v1/comparisons",
    operation_id="compare",
    summary="Compare results on the same samples",
    response_model=ComparisonReply,
    response_description="The comparison",
    responses=responses(403, 404, 413, 415, 422, 500, 503),
)
def compare(body: ComparisonRequest, settings: Set) -> Response:
    """Finished results of assistants, prompts or versions on the same samples, up to 200,000 rows; nothing is scored."""
    return json_reply(answer_comparison(body, settings))

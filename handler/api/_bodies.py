"""What goes in and out over HTTP, with the limits that a body has and a file has not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import orjson
from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from handler.evaluation import EvaluationRequest
from handler.jobs import MAX_SAMPLES, State, count_frames

__all__ = [
    "MAX_FRAMES",
    "MAX_TEXT",
    "EvaluationBody",
    "EvaluationReply",
    "HealthReply",
    "MetricsReply",
    "Problem",
    "RunReply",
    "StatusReply",
    "WaitingReply",
    "json_reply",
]

MAX_FRAMES = 100_000  # in the body; a file may hold more
MAX_TEXT = 100_000  # characters; the model reads some 2,000 of them

Word = Annotated[str, StringConstraints(max_length=1024)]
Location = Annotated[str, StringConstraints(max_length=2048)]
Report = Annotated[dict[str, Any], Field(description="The content of report.json")]


_TEXT: dict[str, Any] = {"type": "string", "maxLength": MAX_TEXT}
_FRAME: dict[str, Any] = {
    "session_id": {"type": "string"},
    "assistant_id": {"type": "string"},
    "sample_id": {"type": "string"},
    "answer": {**_TEXT, "description": "What the model said; other names are known, see `map`"},
    "reference": {
        "anyOf": [_TEXT, {"type": "array", "items": _TEXT}],
        "description": "What a person saw, or several people",
    },
    "tags": {"type": "object"},
}
_ITEM: dict[str, Any] = {
    "type": "object",
    "description": "A frame, or a session with its frames as `conversation`",
    "properties": {**_FRAME, "conversation": {"type": "array", "items": {"type": "object"}}},
}


class EvaluationBody(EvaluationRequest):
    """What to score and how: `sessions` in the body, or an `input` that this installation opens to requests."""

    sessions: list[Any] | None = Field(
        default=None,
        max_length=MAX_FRAMES,
        description=f"Sessions or frames, at most {MAX_FRAMES:,} frames, each text at most {MAX_TEXT:,} characters",
        json_schema_extra={"items": _ITEM},
    )
    input: Location | None = None
    references: Location | None = None
    questions: Location | None = None
    calibration: Location | None = None
    output: Location | None = None
    format: Word = "auto"
    map: dict[Word, Word] = Field(default_factory=dict, max_length=100)
    encoding: Word | None = None
    metrics: list[Word] | None = Field(default=None, max_length=100)
    mode: Word = "strict"
    options: dict[Word, dict[Word, Any]] = Field(default_factory=dict, max_length=100)
    group_by: list[Word] = Field(default_factory=list, max_length=20)
    fail_if: list[Word] = Field(default_factory=list, max_length=100)

    @field_validator("sessions")
    @classmethod
    def _within_limits(cls, sessions: list[Any] | None) -> list[Any] | None:
        if count_frames(sessions) > MAX_FRAMES:
            raise ValueError(f"there are more than {MAX_FRAMES:,} frames; upload a file and name it as input")
        for number, session in enumerate(sessions or ()):
            if any(len(text) > MAX_TEXT for text in _texts(session)):
                raise ValueError(f"a text of item {number} is longer than {MAX_TEXT:,} characters")
        return sessions


class EvaluationReply(BaseModel):
    """A finished evaluation."""

    id: str
    state: Literal["done"]
    report: Report
    samples: list[dict[str, Any]] | None = Field(description=f"The rows, up to {MAX_SAMPLES}; null when there are more")
    location: str | None = Field(description="The result folder")
    gates: dict[str, Any] | None = Field(default=None, description="With `fail_if`: what passed and what failed")


class WaitingReply(BaseModel):
    """An evaluation that goes on after the reply."""

    id: str
    state: State
    location: str = Field(description="Where to ask for it, as in the Location header")


class StatusReply(BaseModel):
    """What is known of an evaluation. location: the result folder, or the folder with error.json."""

    model_config = ConfigDict(extra="allow")

    id: str
    state: State
    input: str | None
    location: str | None
    reason: str | None
    n_samples: int | None
    attempts: int
    updated: str


class MetricsReply(BaseModel):
    """What can be measured, and what each metric needs."""

    metrics: list[dict[str, Any]]


class HealthReply(BaseModel):
    """Whether the service is up; no model is loaded to say so."""

    status: Literal["ok"]
    version: str
    model_present: bool


class RunReply(BaseModel):
    """One entry per metric and session, with the fields of fair-forge's result models."""

    success: bool
    metrics: list[dict[str, Any]] | None = None
    count: int | None = None
    id: str | None = None
    state: State | None = None
    error: str | None = None


class Problem(BaseModel):
    """What went wrong (RFC 9457), with the members of error.json where they are known."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    field: str | None = None
    errors: list[dict[str, str]] | None = Field(default=None, description="Each wrong field: {field, message}")


def json_reply(document: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """The document as JSON; orjson makes NaN null."""
    return Response(orjson.dumps(document), status, headers, "application/json")


def _texts(value: Any) -> Iterable[str]:
    """Every string in a JSON value, keys included."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from one
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)

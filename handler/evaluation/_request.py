"""The one request: the same model for terminal, Python, HTTP, direct invoke, queue and sidecar."""

from __future__ import annotations

import difflib
import hashlib
import json
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from handler.decisions.gates import GateOn, parse_gate
from handler.errors import RequestError
from handler.settings import DEFAULT_MAX_ERROR_RATE, DEFAULT_THRESHOLD, Precision, default_precision

__all__ = ["EvaluationRequest"]


_APART = set("sessions input output wait metrics references questions calibration detections fail_if gate_on".split())


class EvaluationRequest(BaseModel):
    """What to score and how.

    Either `sessions` (records in the body) or `input` (a path or s3:// uri). `metrics` None means those that fit the
    format. `detections`: folder of the detections files of the input's videos. `group_by` names tags or pass-through
    columns. `max_error_rate` is the share of unreadable items (0..1) up to which a run goes on. `limit` scores only the
    first n samples. `precision`: of the text encoder, by default SCENESCORE_PRECISION, else fp32. `fail_if` holds gates,
    e.g. "vision.hallucination.hallucination_rate>0.10"; they change no result.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    sessions: list[Any] | None = None
    input: str | None = None
    references: str | None = None
    questions: str | None = None
    detections: str | None = None
    format: str = "auto"
    map: dict[str, str] = Field(default_factory=dict)
    encoding: str | None = None
    metrics: list[str] | None = None
    threshold: float = Field(default=DEFAULT_THRESHOLD, ge=-1, le=1)
    mode: str = "strict"
    options: dict[str, dict[str, Any]] = Field(default_factory=dict)
    group_by: list[str] = Field(default_factory=list)
    on_missing: Literal["error", "skip"] = "error"
    max_error_rate: float = Field(default=DEFAULT_MAX_ERROR_RATE, ge=0, le=1)
    limit: int | None = Field(default=None, ge=1, le=2**53)
    precision: Precision = Field(default_factory=default_precision)
    fail_if: list[str] = Field(default_factory=list, max_length=100)
    gate_on: GateOn = "sure"
    calibration: str | None = None
    output: str | None = None
    wait: bool = True

    @field_validator("fail_if")
    @classmethod
    def _are_gates(cls, expressions: list[str]) -> list[str]:
        for one in expressions:
            try:
                parse_gate(one)
            except RequestError as error:
                raise ValueError(str(error)) from error
        return expressions

    @classmethod
    def parse(cls, values: dict[str, Any]) -> Self:
        """Validate; raises RequestError naming the first wrong field."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or None
            raise RequestError(_in_words(field, first), field=field, hint=_nearest(field, first, cls)) from error

    def identity(self, metrics: dict[str, str], references: dict[str, str]) -> str:
        """12 hex digits over everything that can change a result, and nothing else.

        metrics: {name: signature}, which says the mode. references: {role: content hash} of files beside the input.
        """
        how = self.model_dump(mode="json", exclude=_APART)
        canonical = json.dumps([how, metrics, references], sort_keys=True, default=repr)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def _in_words(field: str | None, error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return f"a request has no field {field!r}"
    given = repr(error["input"])
    shown = given if len(given) <= 40 else f"{given[:39]}…"
    return f"{field}: {error['msg'][0].lower()}{error['msg'][1:]}, got {shown}"


def _nearest(field: str | None, error: ErrorDetails, model: type[BaseModel]) -> str | None:
    if error["type"] == "list_type" and isinstance(error["input"], str):
        return f"Write [{error['input']!r}]" if len(error["input"]) <= 40 else "Put it in brackets"
    if error["type"] != "extra_forbidden":
        return None
    near = difflib.get_close_matches(str(field), model.model_fields, n=1)
    return f"Did you mean {near[0]}?" if near else f"It has: {', '.join(model.model_fields)}"

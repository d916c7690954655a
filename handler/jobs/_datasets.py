"""The body of fair-forge's Lambda examples: `{"datasets": [...], "config": {...}}` in, `{"success": true, ...}` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, field_validator

from handler.errors import RequestError
from handler.evaluation import EvaluationRequest
from handler.jobs._answer import MAX_REPLY, outcome
from handler.jobs._perform import Clock
from handler.settings import DEFAULT_THRESHOLD, Settings

__all__ = ["RunConfig", "RunRequest", "answer_datasets"]

MetricName = Literal["VisionSimilarity", "VisionHallucination"]
_NAMES: dict[MetricName, str] = {
    "VisionSimilarity": "vision.similarity",
    "VisionHallucination": "vision.hallucination",
}


class RunConfig(BaseModel):
    """Which metric (None: both), and how. `verbose` is accepted and changes nothing."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    metric: MetricName | None = None
    threshold: float = Field(default=DEFAULT_THRESHOLD, ge=-1, le=1)
    mode: Literal["strict", "compat", "compat:fair-forge"] = "strict"
    verbose: bool = False


class RunRequest(BaseModel):
    """fair-forge's datasets: sessions with a `conversation` of frames. A `connector` is refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    datasets: list[dict[str, Any]] = Field(min_length=1)
    config: RunConfig = RunConfig()
    connector: dict[str, Any] | None = Field(default=None, description="Refused unless empty")

    @field_validator("connector")
    @classmethod
    def _no_connector(cls, value: dict[str, Any] | None) -> None:
        """A class path in a body would let whoever may call choose what code runs here, and with whose key."""
        if value:
            raise ValueError(
                "a connector is refused: bodies cannot name classes to import or carry keys, and no metric here calls a "
                "language model; leave it out"
            )


def answer_datasets(body: RunRequest, settings: Settings, clock: Clock) -> tuple[int, dict[str, Any]]:
    """Score the datasets. Returns an HTTP status and the body: 200 as fair-forge answers, or 202 while it goes on.

    `metrics` holds one entry per metric and session with the fields of fair-forge's result models. Raises ScenescoreError.
    """
    wanted = [body.config.metric] if body.config.metric else list(_NAMES)
    request = EvaluationRequest(
        sessions=body.datasets,
        metrics=[_NAMES[name] for name in wanted],
        threshold=body.config.threshold,
        mode=body.config.mode,
    )
    status, report = outcome(request, settings, clock)
    if report is None:
        error = f"evaluation {status.id} is {status.state}: send the same body again for its result"
        return 202, {"success": False, "id": status.id, "state": status.state, "error": error}
    compat = body.config.mode != "strict"
    metrics = [
        entry for name in wanted for entry in _entries(name, report["metrics"][_NAMES[name]], report.samples, compat)
    ]
    found = {"success": True, "metrics": metrics, "count": len(metrics)}
    if len(orjson.dumps(found)) > MAX_REPLY:
        raise RequestError(
            "the result of these datasets is larger than a reply may be",
            field="datasets",
            hint=f"It lies in {status.location}; send fewer frames, or use /v1/evaluations",
        )
    return 200, found


def _entries(
    name: MetricName, metric: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], compat: bool
) -> list[dict[str, Any]]:
    """A metric's sessions, each with its scored frames. compat merges the sessions of one id, as fair-forge does."""

    def key(one: Mapping[str, Any]) -> tuple[str, str]:
        return one["session_id"], "" if compat else one["assistant_id"]

    frames: dict[tuple[str, str], list[dict[str, Any]]] = {key(session): [] for session in metric["sessions"]}
    for row in rows:
        scored = row["metrics"][_NAMES[name]]
        if scored["state"] == "scored":
            frames[key(row)].append(_interaction(name, row["sample_id"], scored))
    return [{"metric": name, **session, "interactions": frames[key(session)]} for session in metric["sessions"]]


def _interaction(name: MetricName, qa_id: str, scored: Mapping[str, Any]) -> dict[str, Any]:
    if name == "VisionSimilarity":
        return {"qa_id": qa_id, "similarity_score": scored["score"]}
    return {
        "qa_id": qa_id,
        "similarity_score": scored["similarity_score"],
        "is_hallucination": scored["is_hallucination"],
    }

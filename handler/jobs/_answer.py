"""A request answered while the caller waits, or queued: the bodies of HTTP and direct invoke."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from handler import storage
from handler.errors import ForbiddenError, InputError, InternalError, ScenescoreError, error_from
from handler.evaluation import EvaluationRequest
from handler.jobs._gates import gates_of
from handler.jobs._job import make_job
from handler.jobs._perform import Clock, perform
from handler.jobs._queue import submit
from handler.jobs._status import BusyError, Status
from handler.reports import ERROR, REPORT, Report
from handler.settings import Settings
from handler.storage import LocationError, NotFoundError

__all__ = ["MAX_REPLY", "MAX_SAMPLES", "WAIT_S", "answer", "count_frames", "outcome", "problem", "reply"]

MAX_SAMPLES = 200  # samples answered at once and listed in the reply
MAX_REPLY = 5_500_000  # bytes; Lambda's limit is 6 MB with everything around it
WAIT_S = 25.0  # an HTTP API gives up after 30 s


def answer(request: EvaluationRequest, settings: Settings, clock: Clock) -> tuple[int, dict[str, Any]]:
    """Evaluate now, or queue. Returns an HTTP status and the body: 200 with the report, or 202 with where to look.

    Raises ScenescoreError: the caller turns it into its own kind of error.
    """
    status, report = outcome(request, settings, clock)
    if report is None:
        return 202, _later(status)
    gates = gates_of(request, report)
    return 200, {**reply(status, report), **({"gates": gates} if gates else {})}


def outcome(request: EvaluationRequest, settings: Settings, clock: Clock) -> tuple[Status, Report | None]:
    """What became of the request by the time the caller must be answered; without a report it goes on elsewhere.

    Raises ScenescoreError, also for an evaluation that failed.
    """
    job = make_job(request, settings)
    if settings.queue_url is not None and (not request.wait or count_frames(request.sessions) > MAX_SAMPLES):
        queued = submit(job, settings)
        if queued.state != "done":
            return queued, None
    remaining = clock.remaining() - clock.margin
    limit = (
        Clock() if settings.queue_url is None and math.isinf(remaining) else Clock.of_seconds(min(WAIT_S, remaining))
    )
    try:
        status, report = perform(job, settings, limit)
    except BusyError:
        return Status(job.id, "running"), None
    if status.state == "failed":
        raise _as_error(status)
    return status, report


def reply(status: Status, report: Report) -> dict[str, Any]:
    """The body of a finished evaluation, cut to what a reply may hold: rows go first, then the report's long lists."""
    few = report["counts"]["n_samples"] <= MAX_SAMPLES
    body = {"id": status.id, "state": status.state, "report": dict(report), "location": status.location}
    full = {**body, "samples": report.samples if few else None}
    if len(orjson.dumps(full)) <= MAX_REPLY:
        return full
    shorter = ({**body, "report": cut, "samples": None} for cut in _cuts(report, f"{status.location}/{REPORT}"))
    return next(body for body in shorter if len(orjson.dumps(body)) <= MAX_REPLY)


def _cuts(report: Mapping[str, Any], complete: str) -> Iterator[dict[str, Any]]:
    """The report, then less and less of it; each says what was cut and where the complete one is."""
    yield dict(report)
    for most in (1000, 100, 10, 0):
        note = {"code": "reply_cut", "count": 1, "examples": [f"lists end after {most} entries; complete: {complete}"]}
        metrics = {
            name: {key: value[:most] if isinstance(value, list) else value for key, value in one.items()}
            for name, one in report["metrics"].items()
        }
        yield {**report, "metrics": metrics, "warnings": [*report["warnings"], note]}
    yield {"schema": report["schema"], "counts": report["counts"], "metrics": {}, "warnings": [note]}


def problem(error: ScenescoreError) -> dict[str, Any]:
    """The error as a problem document (RFC 9457), with the members of error.json."""
    title = (type(error).__doc__ or error.code).split(": ")[0].split(";")[0].strip().rstrip(".")
    members = {
        key: value for key, value in error.document().items() if value is not None and key not in ("schema", "message")
    }
    return {
        "type": f"urn:scenescore:{error.code}",
        "title": title,
        "status": _status_code(error),
        "detail": str(error),
        **members,
    }


def _status_code(error: ScenescoreError) -> int:
    """The HTTP status that says whose fault it is and whether to try again."""
    if isinstance(error, ForbiddenError):
        return 403
    if isinstance(error, NotFoundError):
        return 404
    if isinstance(error, InternalError):
        return 500
    return 422 if error.is_callers else 503


def _later(status: Status) -> dict[str, Any]:
    return {"id": status.id, "state": status.state, "report": None, "samples": None, "location": status.location}


def _as_error(status: Status) -> ScenescoreError:
    """What a failed evaluation left in error.json, as the error it was."""
    hint = f"See {status.location}/{ERROR}"
    try:
        known = orjson.loads(storage.read_bytes(storage.join(status.location or "", ERROR)))
        return error_from({**known, "hint": known["hint"] or hint})
    except (NotFoundError, LocationError, ValueError, KeyError):
        return InputError(status.reason or "the evaluation failed", hint=hint)


def count_frames(sessions: Iterable[Any] | None) -> int:
    """Frames in a body: of sessions their conversations, of anything else itself."""
    n = 0
    for one in sessions or ():
        conversation = one.get("conversation") if isinstance(one, dict) else None
        n += len(conversation) if isinstance(conversation, list) else 1
    return n

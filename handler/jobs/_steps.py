"""A job in steps for a state machine: plan, score each shard, reduce. Each is small, and may be done twice.

Step Functions runs them: `scenescore.plan/1` reads the input once and writes the list of shards, a Distributed Map sends
each entry back as `scenescore.map/1`, and `scenescore.reduce/1` writes the result; `scenescore.failed/1` ends what cannot
go on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from handler import aws, storage
from handler.counting import many
from handler.errors import ForbiddenError, OutOfTimeError, RequestError, ScenescoreError, one_line
from handler.evaluation import (
    EvaluationRequest,
    Machine,
    ShardPlan,
    forget_shards,
    input_bytes,
    needs_model,
    plan_shards,
    reduce_shards,
    score_shard,
)
from handler.jobs._job import Job, make_job
from handler.jobs._locations import check_locations, stays_inside
from handler.jobs._perform import Clock, finish, perform, tell
from handler.jobs._queue import job_of_message, message_of
from handler.jobs._status import Status, read_status, settle
from handler.jobs._videos import belongs_to_batch
from handler.reports import Report, ResultFolder
from handler.settings import Settings, is_under

__all__ = ["STEPS", "perform_or_shard", "run_step"]

PLAN, MAP, REDUCE, FAILED = (f"scenescore.{name}/1" for name in ("plan", "map", "reduce", "failed"))


def perform_or_shard(
    job: Job, settings: Settings, clock: Clock, *, last_try: bool = False
) -> tuple[Status, Report | None]:
    """`perform`, or for a large input start the state machine: the status is then `queued`.

    The execution's name is the job's id, so that the same event ten times is one execution; after a failed one the next
    event starts another.
    """
    if settings.state_machine is None or belongs_to_batch(job, settings) or not _is_large(job.request, settings):
        return perform(job, settings, clock, last_try=last_try)
    output = settings.output
    known = read_status(job.id, settings)
    if known is not None and known.state == "done":
        return perform(job, settings, clock, last_try=last_try)
    attempts = known.attempts if known is not None else 0
    status = Status(job.id, "queued", input=job.request.input, attempts=attempts, reason="scored in shards")
    written = settle(status, output, only_if=(None, "failed", "queued"))
    if written.state == "queued":
        message = {**message_of(job, output), "schema": PLAN}
        aws.start_execution(settings.state_machine, f"{job.id}-{attempts}" if attempts else job.id, message)
    return written, None


def run_step(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """One step of a sharded evaluation. Returns what the state machine passes on. Raises ScenescoreError."""
    return STEPS[event["schema"]](event, settings, clock)


def _plan(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """Cut the input. `state` is `planned`, or `done` or `failed` where nothing is left to do."""
    job = _job_of(event, settings)
    if job is None:
        return {"state": "done"}
    known = read_status(job.id, settings)
    status = known or Status(job.id, "queued", input=job.request.input)
    machine = Machine(model=settings.model, sequencer=job.sequencer)
    try:
        plan = plan_shards(job.request, machine, run=job.id, samples_each=settings.shard_samples)
    except ScenescoreError as error:
        if not error.is_callers:
            raise
        location = tell(job, settings, error, status)
        failed = replace(status, state="failed", reason=str(error), location=location)
        finish(job, settings, failed)
        return {"state": "failed", "id": job.id, "location": location, "reason": str(error)}
    if isinstance(plan, Report):
        return _done(job.id, job.request, plan, settings)
    settle(replace(status, state="queued", reason=f"scored in {many(len(plan.shards), 'shard')}"), settings.output)
    items = storage.join(plan.location, "items.json")
    shards = [{"schema": MAP, "plan": plan.location, "shard": number} for number in range(len(plan.shards))]
    storage.write_bytes(items, orjson.dumps(shards))
    bucket, _, key = items.removeprefix("s3://").partition("/")
    return {
        "schema": REDUCE,
        "state": "planned",
        "id": job.id,
        "plan": plan.location,
        "result": plan.result,
        "items": {"bucket": bucket, "key": key},
        "n_shards": len(shards),
        "concurrency": settings.shard_concurrency,
    }


def _map(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """Score one shard; `unfinished` when time ran out: the same event goes on from there."""
    number = event.get("shard")
    if type(number) is not int:
        raise RequestError(f"shard is {number!r}, not a whole number", field="shard")
    plan = ShardPlan.load(_own(event, "plan", settings))
    try:
        score_shard(plan, number, Machine(model=settings.model, must_stop=clock.is_up))
    except OutOfTimeError:
        return {"shard": number, "state": "unfinished"}
    return {"shard": number, "state": "done"}


def _reduce(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """Write the result of all shards. Done twice, it finds the result."""
    location, result = _own(event, "plan", settings), _own(event, "result", settings)
    try:
        plan = ShardPlan.load(location)
    except storage.NotFoundError:
        document = ResultFolder(result).report()
        if document is None:
            raise
        return _done(_id_of(event), None, Report(document, location=result, already_done=True), settings)
    report = reduce_shards(plan, Machine(model=settings.model, sequencer=plan.sequencer), keep=True)
    answer = _done(_id_of(event), plan.request, report, settings)
    forget_shards(plan)  # last: should this step be cut off before, it is done again
    return answer


def _failed(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """The state machine gave up; the shards that are finished are kept for the next try."""
    error = event.get("error")
    cause = error.get("Cause") or error.get("Error") if isinstance(error, dict) else None
    job_id = _id_of(event)
    status = read_status(job_id, settings) or Status(job_id, "queued")
    reason = one_line(str(cause or "unknown"))[:1000]
    failed = replace(status, state="failed", reason=reason, attempts=status.attempts + 1)
    finish(None, settings, failed)
    return {"state": "failed", "id": job_id, "reason": reason}


STEPS = {PLAN: _plan, MAP: _map, REDUCE: _reduce, FAILED: _failed}


def _done(job_id: str, request: EvaluationRequest | None, report: Report, settings: Settings) -> dict[str, Any]:
    """Say so, and hold the gates of the request; without one, that has been done before."""
    n_samples = report["counts"]["n_samples"]
    known = read_status(job_id, settings) or Status(job_id, "queued")
    status = replace(known, state="done", location=report.location, n_samples=n_samples, reason=None)
    if known.state != "done":
        job = Job(job_id, request) if request is not None else None
        finish(job, settings, status, report)
    return {"state": "done", "id": job_id, "location": report.location, "n_samples": n_samples}


def _job_of(event: dict[str, Any], settings: Settings) -> Job | None:
    """The job that an upload started, or one that the event itself asks for."""
    if "id" in event:
        return job_of_message(event, settings)
    request = event.get("request")
    if not isinstance(request, dict):
        raise RequestError("a plan needs a request", field="request", hint='Send {"schema": …, "request": {…}}')
    parsed = EvaluationRequest.parse(request)
    check_locations(parsed, settings)
    return make_job(parsed, settings)


def _id_of(event: dict[str, Any]) -> str:
    job_id = event.get("id")
    if not isinstance(job_id, str) or not job_id.isalnum():
        raise RequestError("the step names no evaluation", field="id")
    return job_id


def _own(event: dict[str, Any], field: str, settings: Settings) -> str:
    """A location of the event, which must lie under the results of this installation."""
    location = event.get(field)
    if not isinstance(location, str):
        raise RequestError(f"the step names no {field}", field=field)
    if not stays_inside(location) or not is_under(location, settings.output):
        raise ForbiddenError(f"{field} {location} is not open to requests", field=field)
    return location


def _is_large(request: EvaluationRequest, settings: Settings) -> bool:
    """Whether one invocation would not be enough. Without a model a file of any size is read in a few of them."""
    if request.input is None or not storage.is_remote(request.input):
        return False
    try:
        return input_bytes(request.input) > settings.shard_above_bytes and needs_model(request)
    except ScenescoreError:  # whatever it is, the evaluation will meet it and say so
        return False

"""Doing a job once, whoever else was told to."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from handler import aws
from handler.errors import InternalError, OutOfTimeError, ScenescoreError
from handler.evaluation import Machine, run, write_error
from handler.jobs._gates import tell_gates
from handler.jobs._job import Job
from handler.jobs._queue import forget_parked, message_of
from handler.jobs._status import Status, claim, read_status, settle
from handler.jobs._videos import belongs_to_batch, submit_videos, submitted_before
from handler.reports import Report, ResultFolder, update_latest
from handler.settings import Settings

__all__ = ["Clock", "end_badly", "end_well", "finish", "perform", "tell"]

LEASE_MARGIN_S = 5.0  # a lease outlives the worker's own time limit by this much
NO_LIMIT_LEASE_S = 3600.0


@dataclass(frozen=True, slots=True)
class Clock:
    """How long a worker may go on. remaining: seconds left, infinity without a limit. margin: seconds kept for saving."""

    remaining: Callable[[], float] = lambda: math.inf
    margin: float = 10.0

    @classmethod
    def of_seconds(cls, seconds: float, *, margin: float = 0.0) -> Clock:
        """A clock that runs out after some seconds from now."""
        end = time.monotonic() + seconds
        return cls(lambda: end - time.monotonic(), margin)

    def is_up(self) -> bool:
        """Whether it is time to save and stop."""
        return self.remaining() < self.margin


def perform(job: Job, settings: Settings, clock: Clock, *, last_try: bool = False) -> tuple[Status, Report | None]:
    """Claim the job, evaluate, and write what became of it. Returns the status, and the report when it is done.

    What the user got wrong (bad file, missing object) is a finished job with state `failed` and an error.json. When time
    runs out the rest goes back to the queue, and videos go to AWS Batch where there is one: then the status is `queued`.
    Raises BusyError while somebody else is at it, and what may be better next time (throttling, a full disk), which is
    recorded as failed too on the last try.
    """
    output = settings.output
    waiting = submitted_before(job, settings)
    if waiting is not None:
        return waiting, None
    first = Status(job.id, "queued", input=job.request.input)
    limit = clock.remaining()
    lease = (NO_LIMIT_LEASE_S if math.isinf(limit) else limit) + LEASE_MARGIN_S
    status = claim(first, output, lease)
    if status.state == "done":
        report = _done_before(status, job)
        if report is not None:
            return status, report
        status = claim(first, output, lease, again=True)  # the result is gone or torn: make it once more
    machine = Machine(
        model=settings.model, must_stop=None if math.isinf(limit) else clock.is_up, sequencer=job.sequencer
    )
    try:
        if belongs_to_batch(job, settings):
            return settle(replace(status, state="queued", reason=submit_videos(job, settings)), output), None
        report = _run(job, machine)
    except OutOfTimeError as error:
        return _hand_back(job, settings, replace(status, state="queued", reason=error.message)), None
    except ScenescoreError as error:
        if not error.is_callers and not last_try:
            settle(replace(status, state="queued", reason=str(error)), output)
            raise
        return end_badly(job, settings, error, status), None
    return end_well(job, settings, report, status), report


def end_well(job: Job, settings: Settings, report: Report, status: Status | None = None) -> Status:
    """Write that the job is done. status: what it was, read where it is not given."""
    was = status or read_status(job.id, settings) or Status(job.id, "queued", input=job.request.input)
    n_samples = report["counts"]["n_samples"]
    done = replace(was, state="done", location=report.location, n_samples=n_samples, reason=None)
    return finish(job, settings, done, report)


def end_badly(job: Job, settings: Settings, error: ScenescoreError, status: Status | None = None) -> Status:
    """Write that the job failed, and error.json."""
    was = status or read_status(job.id, settings) or Status(job.id, "queued", input=job.request.input)
    location = tell(job, settings, error, was)
    return finish(job, settings, replace(was, state="failed", reason=str(error), location=location))


def _done_before(status: Status, job: Job) -> Report | None:
    """The finished report. An upload that brings back old content makes its result the latest again."""
    document = ResultFolder(status.location).report() if status.location else None
    if document is None or status.location is None:
        return None
    if job.sequencer is not None:
        update_latest(status.location, job.etag or "", job.sequencer)
    return Report(document, location=status.location, already_done=True)


def _run(job: Job, machine: Machine) -> Report:
    try:
        return run(job.request, machine)
    except ScenescoreError:
        raise
    except Exception as error:  # whatever it was, the claim must be given up and the reason kept
        raise InternalError(f"unexpected {type(error).__name__}: {error}") from error


def tell(job: Job, settings: Settings, error: ScenescoreError, status: Status) -> str:
    """Write error.json. Where that is refused too, the claim is given up, or nobody could try before the lease ends."""
    try:
        return write_error(job.request, error, job.etag or "unknown", job.id[:12])
    except ScenescoreError as refused:
        settle(replace(status, state="queued", reason=str(refused)), settings.output)
        raise


def _hand_back(job: Job, settings: Settings, status: Status) -> Status:
    left = settle(status, settings.output)
    if settings.queue_url is None:
        raise OutOfTimeError("time ran out and there is no queue to go on from", hint="Set SCENESCORE_QUEUE_URL")
    aws.send_message(settings.queue_url, message_of(job, settings.output))
    return left


def finish(job: Job | None, settings: Settings, status: Status, report: Report | None = None) -> Status:
    """Tell the bus, then write the end: a retry after a failure tells it twice rather than never."""
    try:
        if report is not None and job is not None:
            tell_gates(job.request, report, status, settings)
        if settings.event_bus is not None:
            aws.put_event(settings.event_bus, "Evaluation Finished", status.document())
    except ScenescoreError as error:
        settle(replace(status, state="queued", reason=str(error)), settings.output)
        raise
    final = settle(status, settings.output)
    if job is not None:
        forget_parked(job, settings.output)
    return final

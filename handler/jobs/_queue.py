"""Work for later: through the queue that uploads use."""

from __future__ import annotations

from typing import Any

import orjson

from handler import aws, storage
from handler.errors import RequestError
from handler.evaluation import EvaluationRequest
from handler.jobs._job import Job
from handler.jobs._status import Status, read_status, settle
from handler.settings import Settings, is_under

__all__ = ["JOB", "forget_parked", "head_of", "job_of_message", "message_of", "submit"]

JOB = "scenescore.job/1"
MAX_INLINE = 128 << 10  # bytes of a request sent inside the message; a larger one is parked beside the results


def submit(job: Job, settings: Settings) -> Status:
    """Queue a job, unless it is queued, running or done already. Raises when there is no queue or it does not answer."""
    if settings.queue_url is None:
        raise RequestError(
            "this installation has no queue for long work", hint="Set SCENESCORE_QUEUE_URL, or ask for less"
        )
    output = settings.output
    status = Status(job.id, "queued", input=job.request.input)
    written = settle(status, output, only_if=(None, "failed", "queued"))
    if written.state == "queued":
        aws.send_message(settings.queue_url, message_of(job, output))
    return written


def message_of(job: Job, output: str) -> dict[str, Any]:
    """The message that stands for a job. Inline records that are too large are parked first."""
    request = job.request.model_dump(mode="json", exclude_none=True)
    data = orjson.dumps(request)
    if len(data) <= MAX_INLINE:
        return {**head_of(job), "request": request}
    location = _parked(job.id, output)
    storage.write_bytes(location, data)
    return {**head_of(job), "request_at": location}


def head_of(job: Job) -> dict[str, Any]:
    """A message but for its request."""
    return {"schema": JOB, "id": job.id, "etag": job.etag, "sequencer": job.sequencer}


def job_of_message(message: dict[str, Any], settings: Settings) -> Job | None:
    """The job a message stands for; None when it is over and its parked request is gone. Raises RequestError."""
    try:
        texts = [message.get(name) for name in ("etag", "sequencer", "request_at")]
        if not isinstance(message["id"], str) or not all(one is None or isinstance(one, str) for one in texts):
            raise TypeError("id, etag, sequencer and request_at are texts")
        if not message["id"].isalnum():
            raise ValueError("its id is no evaluation's")
        request = message["request"] if "request" in message else orjson.loads(storage.read_bytes(texts[2] or ""))
        parsed = EvaluationRequest.parse(request)
        if parsed.output is None or not is_under(parsed.output, settings.output):
            raise ValueError("its request names no output of this installation")
        return Job(message["id"], parsed, texts[0], texts[1])
    except storage.NotFoundError:
        known = read_status(message["id"], settings)
        if known is None or known.state not in ("done", "failed"):
            raise
        return None
    except (KeyError, TypeError, ValueError) as error:
        raise RequestError(
            f"the queued message is damaged: {error}", hint="It was not written by this product"
        ) from error


def forget_parked(job: Job, output: str) -> None:
    """Remove the parked request of a finished job."""
    if job.request.sessions is not None:
        storage.delete(_parked(job.id, output))


def _parked(job_id: str, output: str) -> str:
    return storage.join(output, "_requests", f"{job_id}.json")

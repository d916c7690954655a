"""Videos are looked at in AWS Batch: an array of tasks, then one that reduces. The Lambda function submits them."""

from __future__ import annotations

import math

import orjson

from handler import aws, storage
from handler.counting import many
from handler.errors import InputError, RequestError
from handler.evaluation import count_videos, reads_videos
from handler.jobs._job import Job
from handler.jobs._queue import head_of, job_of_message
from handler.jobs._status import Status, read_status
from handler.settings import Settings

__all__ = ["belongs_to_batch", "detections_of", "forget_batch", "job_of_batch", "submit_videos", "submitted_before"]

VIDEOS_EACH = 50  # per task: 800 frames, beside which starting a container and loading the model are little
MOST_TASKS = 10_000  # of an array in AWS Batch
TASK_SECONDS = 1800  # of an attempt: a machine's start, the image, the model
VIDEO_SECONDS = 120  # of a video: 16 frames at a tenth of what the slowest GPU does
REDUCE_SECONDS = 7200
_WAITS = "AWS Batch looks at the videos: "


def belongs_to_batch(job: Job, settings: Settings) -> bool:
    """Whether the request is about videos that somebody must look at. One that names its detections is scored here."""
    request = job.request
    if settings.job_queue is None or request.input is None or not storage.is_remote(request.input):
        return False
    return request.detections is None and reads_videos(request)


def submitted_before(job: Job, settings: Settings) -> Status | None:
    """The status of a job that Batch is at."""
    known = read_status(job.id, settings) if settings.job_queue is not None else None
    return known if known is not None and known.state == "queued" and (known.reason or "").startswith(_WAITS) else None


def submit_videos(job: Job, settings: Settings) -> str:
    """Submit the array and the job that depends on it, each once under a name made of the job's id.

    Returns what the status says of it. Raises InputError for an input without videos, CallError when Batch does not answer.
    """
    assert settings.job_queue is not None
    assert settings.detect_job is not None
    assert settings.reduce_job is not None
    n_videos = count_videos(job.request)
    if not n_videos:
        raise InputError("there is no video in this input that can be looked at", file=job.request.input)
    size = min(math.ceil(n_videos / VIDEOS_EACH), MOST_TASKS)
    _park(job, settings)
    environment = {
        "SCENESCORE_JOB": _parked(job.id, settings),
        "SCENESCORE_MANIFEST": job.request.input or "",
        "SCENESCORE_OUTPUT": settings.output,
        "SCENESCORE_ARRAY_SIZE": str(size),
        "SCENESCORE_MAX_ATTEMPTS": str(aws.ATTEMPTS),
    }
    array = aws.submit_job(
        f"scenescore-{job.id}-detect",
        queue=settings.job_queue,
        definition=settings.detect_job,
        environment=environment,
        timeout=TASK_SECONDS + VIDEO_SECONDS * math.ceil(n_videos / size),
        size=size,
    )
    last = aws.submit_job(
        f"scenescore-{job.id}-reduce",
        queue=settings.job_queue,
        definition=settings.reduce_job,
        environment=environment,
        timeout=REDUCE_SECONDS,
        after=array,
    )
    return f"{_WAITS}{n_videos} in {many(size, 'task')}, jobs {array} and {last}"


def detections_of(output: str) -> str:
    """Where the detections files of all evaluations with an output lie: a video is looked at once."""
    return storage.join(output, "_detections")


def job_of_batch(location: str, settings: Settings) -> Job:
    """The job that a Batch task was started for. Raises RequestError when it is over and what was parked is gone."""
    try:
        message = orjson.loads(storage.read_bytes(location))
    except (storage.NotFoundError, orjson.JSONDecodeError) as error:
        raise RequestError("there is no such job", field="SCENESCORE_JOB", hint="Upload the manifest again") from error
    job = job_of_message(message, settings)
    assert job is not None
    return job


def forget_batch(job: Job, settings: Settings) -> None:
    """Remove what was parked: the job is over."""
    storage.delete(_parked(job.id, settings))


def _park(job: Job, settings: Settings) -> None:
    request = job.request.model_dump(mode="json", exclude_none=True)
    storage.write_bytes(_parked(job.id, settings), orjson.dumps({**head_of(job), "request": request}))


def _parked(job_id: str, settings: Settings) -> str:
    return storage.join(settings.output, "_requests", f"{job_id}.videos.json")

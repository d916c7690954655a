"""AWS Batch: a job is submitted once under its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.aws._calls import call

__all__ = ["ATTEMPTS", "WRONG_INPUT", "submit_job"]

ATTEMPTS = 5
WRONG_INPUT = 2  # the exit code that no other attempt can better


def submit_job(
    name: str,
    *,
    queue: str,
    definition: str,
    environment: Mapping[str, str],
    timeout: int,
    size: int = 1,
    after: str | None = None,
) -> str:
    """The id of the job of this name, which is submitted unless it is in the queue already. Raises CallError.

    environment: added to the definition's. timeout: seconds of one attempt. size: of the array, 1 for none, at most 10,000.
    after: id of the job that must have succeeded. An attempt that ends, or is ended, for another reason than wrong input is
    followed by another, ATTEMPTS in all.
    """
    there = _find(name, queue)
    if there is not None:
        return there
    wanted: dict[str, Any] = {
        "jobName": name,
        "jobQueue": queue,
        "jobDefinition": definition,
        "containerOverrides": {"environment": [{"name": key, "value": one} for key, one in environment.items()]},
        "retryStrategy": {
            "attempts": ATTEMPTS,
            "evaluateOnExit": [{"onExitCode": str(WRONG_INPUT), "action": "EXIT"}],
        },
        "timeout": {"attemptDurationSeconds": timeout},
    }
    if size > 1:
        wanted["arrayProperties"] = {"size": size}
    if after is not None:
        wanted["dependsOn"] = [{"jobId": after}]
    answer: dict[str, Any] = call("batch", "submit_job", queue, **wanted)
    return str(answer["jobId"])


def _find(name: str, queue: str) -> str | None:
    """The newest job of this name that has not failed."""
    answer = call("batch", "list_jobs", queue, jobQueue=queue, filters=[{"name": "JOB_NAME", "values": [name]}])
    alive = [one for one in answer["jobSummaryList"] if one.get("status") != "FAILED"]
    if not alive:
        return None
    newest: str = max(alive, key=lambda one: one.get("createdAt", 0))["jobId"]
    return newest.partition(":")[0]  # of a child the array

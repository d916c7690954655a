"""The status object of a job: queued, running, done or failed, and who is at it until when."""

from __future__ import annotations

import time
import uuid
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, get_args

import orjson

from handler import storage
from handler.errors import ScenescoreError
from handler.settings import Settings

__all__ = ["BusyError", "State", "Status", "claim", "read_status", "settle"]

State = Literal["queued", "running", "done", "failed"]


class BusyError(ScenescoreError):
    """Another worker is at this job; come back when its lease has run out."""

    code = "busy"


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of a job.

    location: the result folder once it is done, or the folder with error.json. reason: why it failed or waits.
    n_samples: scored so far. owner, lease_until (Unix seconds): who is at it; another worker may take over afterwards.
    attempts: how often somebody began.
    """

    id: str
    state: State
    input: str | None = None
    location: str | None = None
    reason: str | None = None
    n_samples: int | None = None
    owner: str | None = None
    lease_until: float | None = None
    attempts: int = 0
    updated: str = ""

    def document(self) -> dict[str, Any]:
        """The public part: what `GET /v1/evaluations/{id}` answers."""
        shown = {key: value for key, value in asdict(self).items() if key not in ("owner", "lease_until")}
        return {"schema": "scenescore.evaluation/1", **shown}

    @classmethod
    def parse(cls, data: bytes) -> Self | None:
        """Read what `dump` wrote; None for anything else."""
        try:
            fields: dict[str, Any] = orjson.loads(data)
            fields.pop("schema")
            found = cls(**fields)
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            return None
        return found if isinstance(found.id, str) and found.state in get_args(State) else None

    def dump(self) -> bytes:
        """The stored form."""
        return orjson.dumps({"schema": "scenescore.evaluation/1", **asdict(self)})


def location_of(job_id: str, output: str) -> str:
    """Where a job's status lies."""
    return storage.join(output, "_evaluations", f"{job_id}.json")


def read_status(job_id: str, settings: Settings) -> Status | None:
    """The status of a job, None when nobody has heard of it."""
    if not job_id.isalnum():
        return None
    location = location_of(job_id, settings.output)
    return Status.parse(storage.read_bytes(location)) if storage.stat(location) else None


def claim(first: Status, output: str, seconds: float, *, again: bool = False) -> Status:
    """Take the job for some seconds. Returns what it is now: `running` under our name, or `done` by somebody.

    again: take it though it is done. Raises BusyError while another worker's lease runs.
    """
    found: list[Status] = []
    owner = uuid.uuid4().hex

    def take(data: bytes | None) -> bytes | None:
        known = (Status.parse(data) if data else None) or first
        if known.state == "done" and not again:
            found[:] = [known]
            return None
        if known.state == "running" and (known.lease_until or 0) > time.time():
            raise BusyError(f"another worker is at evaluation {known.id}", hint="It is tried again later")
        lease = time.time() + seconds
        mine = replace(
            known,
            state="running",
            owner=owner,
            lease_until=lease,
            attempts=known.attempts + 1,
            reason=None,
            updated=_now(),
        )
        found[:] = [mine]
        return mine.dump()

    storage.update_bytes(location_of(first.id, output), take)
    return found[0]


def settle(status: Status, output: str, *, only_if: tuple[State | None, ...] | None = None) -> Status:
    """Write what became of a job, with the lease given up. only_if: states (None: no status yet) that may be replaced.

    A `done` is never replaced by anything but `done`: results do not go away.
    """
    final = replace(status, owner=None, lease_until=None, updated=_now())
    left: list[Status] = [final]

    def write(data: bytes | None) -> bytes | None:
        known = Status.parse(data) if data else None
        state = known.state if known else None
        if (state == "done" and final.state != "done") or (only_if is not None and state not in only_if):
            left[:] = [known or final]
            return None
        left[:] = [final]
        return final.dump()

    storage.update_bytes(location_of(status.id, output), write)
    return left[0]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

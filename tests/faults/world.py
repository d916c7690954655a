"""A small world in which everything can go wrong on purpose: storage, a queue, a clock, and workers that die.

All chance comes from one seeded generator and no thread runs on its own, so a run is its seed.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

from handler import aws
from handler.aws._calls import CallError
from handler.evaluation import _run
from handler.events import _sqs, _uploads
from handler.jobs import Clock, _status
from handler.reports import _parts
from handler.settings import Settings
from handler.storage import _s3, _s3_copy, _s3_read, _s3_write
from handler.storage._s3_client import S3Options
from tests.faults.memory_s3 import URL, Body, MemoryS3, Weather, refused
from tests.faults.stub import use_stub

__all__ = ["Dead", "Storm", "Time", "Worker", "World"]

BUCKET = "b"


class Dead(BaseException):
    """The worker was killed: nothing it still tries has any effect, its clean-up included."""


class Time:
    """What the product takes for the `time` module: it passes when the world says so."""

    def __init__(self) -> None:
        self.wall, self.steady = 1_800_000_000.0, 1000.0

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    strftime = staticmethod(time.strftime)
    gmtime = staticmethod(time.gmtime)

    def monotonic(self) -> float:
        return self.steady

    def time(self) -> float:
        return self.wall


class Worker:
    """One invocation. deadline: on the steady clock, when it is killed. calls_left: S3 calls until it is killed."""

    def __init__(self, deadline: float, calls_left: int | None = None) -> None:
        self.deadline, self.calls_left, self.is_dead = deadline, calls_left, False


class Storm(Weather):
    """Faults by chance. Each rate is the probability per call (of a body, per read)."""

    def __init__(self, world: World, **rates: float) -> None:
        self._world, self._rates, self._chance = world, rates, world.chance

    def before(self, operation: str, key: str) -> None:
        world, worker = self._world, self._world.worker
        world.pass_on()
        if worker.is_dead:
            raise Dead
        world.time.pass_by(self._chance.expovariate(1 / self._rates["seconds"]) if "seconds" in self._rates else 0.01)
        if self._hits("jump"):
            world.time.wall += self._chance.choice((-3000, -100, 100, 3000, 90_000))
        if self._hits("freeze"):
            world.time.pass_by(self._chance.uniform(1, 600))
        self._die_if(world.time.steady > worker.deadline or self._hits("kill"))
        if worker.calls_left is not None:
            worker.calls_left -= 1
            self._die_if(worker.calls_left < 0)
        if self._hits("throttle"):
            code, status = self._chance.choice((("SlowDown", 503), ("InternalError", 500), ("RequestTimeout", 400)))
            raise refused(code, operation, status, retries=4)
        if self._hits("unreachable"):
            raise EndpointConnectionError(endpoint_url=URL)
        if operation in ("put_object", "complete_multipart_upload") and self._hits("conflict"):
            raise refused("ConditionalRequestConflict", operation, 409)

    def repeats(self, operation: str) -> bool:
        return self._hits("repeat")

    def after(self, operation: str, key: str) -> None:
        self._die_if(self._hits("kill"))
        self._world.pass_on()
        if self._hits("lose_answer"):
            raise ReadTimeoutError(endpoint_url=URL)

    def body(self, data: bytes) -> Body:
        piece = self._chance.choice((3, 50, 1000)) if self._hits("slow_body") else None
        cut = self._chance.randrange(len(data)) if data and self._hits("cut_body") else None
        return Body(data, piece=piece, cut=cut)

    def _die_if(self, hit: bool) -> None:
        if hit:
            self._world.worker.is_dead = True
            raise Dead

    def _hits(self, kind: str) -> bool:
        rate = self._rates.get(kind, 0.0)
        return rate > 0 and self._chance.random() < rate


class World:
    """The installation of one run: memory for S3, a list for the queue."""

    def __init__(self, seed: int, model: Path) -> None:
        self.chance = random.Random(seed)
        self.s3, self.time = MemoryS3(), Time()
        self.queue: list[dict[str, Any]] = []
        self.lose_messages = 0.0
        self.internal_faults: list[dict[str, Any]] = []
        self.settings = Settings(
            model=model, output="s3://b/out", inputs=("s3://b/in",), queue_url="queue", max_receives=10**9
        )
        self.pass_on = lambda: None  # lets another worker go on, where there are several
        self._present = threading.local()

    @property
    def worker(self) -> Worker:
        """Who is at work in this thread."""
        found: Worker = self._present.worker
        return found

    @contextmanager
    def working(self, seconds: float = 60.0, calls: int | None = None) -> Iterator[Clock]:
        """An invocation of at most so many seconds."""
        deadline = self.time.steady + seconds
        self._present.worker = Worker(deadline, calls)
        yield Clock(lambda: deadline - self.time.steady, margin=seconds / 3)

    def put(self, key: str, data: bytes) -> None:
        """An object that somebody else wrote."""
        self.s3.objects[f"{BUCKET}/{key}"] = (data, {})

    def send(self, queue_url: str, body: dict[str, Any]) -> None:
        """The queue's side of `aws.send_message`: it may arrive twice, or arrive and say that it did not."""
        if self.worker.is_dead:
            raise Dead
        hit = self.chance.random() < self.lose_messages
        if hit and self.chance.random() < 0.5:
            raise CallError("not sent, says the test", file=queue_url)
        self.queue += [body] * (1 + (hit and self.chance.random() < 0.5))
        if hit and self.chance.random() < 0.5:
            raise CallError("sent, but the answer is lost", file=queue_url)

    def install(self) -> None:
        """Make this world the one in which the product of this process lives."""
        use_stub()
        _s3._stores.clear()
        _s3._stores[os.getpid()] = _s3.S3Store(self.s3, S3Options())
        aws.send_message = self.send
        for module in (_status, _parts):
            module.time = self.time
        for module in (_s3, _s3_read, _s3_write):
            module.pause = lambda attempt: self.pass_on()
        _s3_write.part_bytes = lambda number: 700
        _s3_copy.SMALLEST_PART = self.chance.choice((50, 400, 5 << 20))
        _sqs.log = self._log
        _sqs.log_status = _uploads.log_status = _uploads.log = lambda *args, **fields: None
        set_sizes(self.chance)

    def _log(self, message: str, /, **fields: Any) -> None:
        if fields.get("code") == "internal":
            self.internal_faults.append({"message": message, **fields})


def set_sizes(chance: random.Random) -> None:
    """Small chunks and parts, so that short inputs are stopped and carried on often."""
    _run.CHUNK = chance.choice((3, 8, 20))
    _parts.ROTATE_AT = chance.choice((1, 900, 4000))

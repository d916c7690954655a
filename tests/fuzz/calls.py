"""Damaged events, request bodies, queued messages and steps, met by the function's own door in an installation in memory."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import handler.lambda_handler as door
from handler import aws
from handler.errors import ScenescoreError
from tests.aws import events
from tests.faults.memory_s3 import Weather
from tests.faults.world import BUCKET, World
from tests.fuzz.damage import ODD, damage, replace_part
from tests.fuzz.seeds import Seed, seeds
from tests.fuzz.watch import UnhandledError, check_refusal

__all__ = ["Site"]

CONTEXT = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000, aws_request_id="r", function_name="f")
SIDECAR = ".scenescore.json"
FRESH_EVERY = 2000  # events after which results and queue are forgotten
FRAMES = [{"session_id": "s", "qa_id": "f", "answer": "A dog.", "reference": ["A cat.", "A dog."], "tags": {"odd": 1}}]
PATHS = (
    "/v1/evaluations",
    "/v1/evaluations/abc",
    "/v1/metrics",
    "/health",
    "/run",
    "/docs",
    "/openapi.json",
    "/",
    "/x",
)


class Site:
    """The function as deployed, with a few uploads in its bucket."""

    def __init__(self, model: Path) -> None:
        self._world = World(0, model)
        self._world.install()
        self._sent: list[Any] = []
        aws.send_message = lambda queue_url, body: self._sent.append(body)
        aws.start_execution = lambda machine, name, what: self._sent.append(what)
        names = {"OUTPUT": "s3://b/out", "INPUTS": "s3://b/in", "QUEUE_URL": "queue", "MODEL": str(model)}
        names |= {"STATE_MACHINE": "arn:x", "SHARD_ABOVE_BYTES": "9000", "MAX_RECEIVES": "3"}
        os.environ.update({f"SCENESCORE_{name}": value for name, value in names.items()})
        os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
        self._keys: list[str] = []

    def meet(self, number: int, chance: random.Random) -> str:
        """One event. Returns how it ended. Raises UnhandledError, or what the door let through."""
        if number % FRESH_EVERY == 0 or not self._keys:
            self._fill()
        event = _damaged(chance, self._event(chance))
        self._world.internal_faults.clear()
        try:
            event = json.loads(json.dumps(event))
        except (ValueError, RecursionError):
            return "no event"
        try:
            reply = door.lambda_handler(event, CONTEXT)
        except ScenescoreError as error:
            check_refusal(error)
            return f"raised {error.code}"
        json.dumps(reply, allow_nan=False)
        if self._world.internal_faults:
            raise UnhandledError(f"{self._world.internal_faults} after {json.dumps(event)[:3000]}")
        status = reply.get("statusCode", reply.get("status"))
        if isinstance(status, int) and status >= 500 and status != 503:
            raise UnhandledError(f"{reply} after {json.dumps(event)[:3000]}")
        return f"answered {status}" if status else "answered"

    @property
    def faults(self) -> list[dict[str, Any]]:
        """What a batch swallowed."""
        return self._world.internal_faults

    def put(self, key: str, data: bytes) -> None:
        """Upload an object."""
        self._world.put(key, data)

    def use(self, weather: Weather) -> None:
        """What happens to S3 calls from now on."""
        self._world.s3.weather = weather

    def _fill(self) -> None:
        chance = random.Random(1)
        self._world.s3.objects.clear()
        self._world.s3.uploads.clear()
        self._sent.clear()
        self._keys = []
        whole = seeds()
        everything = [data for seed in whole for data in seed.files.values()]
        for number, seed in enumerate((*whole, *whole)):
            files = dict(seed.files)
            if number >= len(whole):
                name = chance.choice(list(files))
                files[name] = damage(chance, files[name], everything)
            self._keys += self._put(f"in/{number}", seed, files)

    def _put(self, prefix: str, seed: Seed, files: dict[str, bytes]) -> list[str]:
        for name, data in files.items():
            self._world.put(f"{prefix}/{name}", data)
        sidecar = f"{prefix}/{seed.request['input']}{SIDECAR}"
        self._world.put(sidecar, json.dumps(seed.request).encode())
        return [f"{prefix}/{name}" for name in files] + [sidecar]

    def _event(self, chance: random.Random) -> Any:
        kind = chance.random()
        if kind < 0.25:
            return events.sqs(*(self._message(chance) for _ in range(chance.choice((1, 1, 2, 3)))))
        if kind < 0.4:
            return self._notification(chance)
        if kind < 0.6:
            return self._request(chance)
        if kind < 0.75:
            return self._step(chance)
        if kind < 0.8:
            return self._job(chance)
        body = chance.choice((self._request, self._datasets))(chance)
        text = json.dumps(_damaged(chance, body)) if chance.random() < 0.8 else _odd_text(chance, json.dumps(body))
        return events.http(chance.choice(("GET", "POST", "POST", "POST", "HEAD", "DELETE")), chance.choice(PATHS), text)

    def _upload(self, chance: random.Random) -> events.Upload:
        key = chance.choice(self._keys)
        return events.Upload(BUCKET, key, f"{chance.getrandbits(64):032x}", 1, f"{chance.getrandbits(40):X}")

    def _notification(self, chance: random.Random) -> Any:
        makers = (events.s3_put, events.s3_put, events.eventbridge_created, events.s3_delete, events.s3_folder_marker)
        return chance.choice(makers)(self._upload(chance))

    def _request(self, chance: random.Random) -> dict[str, Any]:
        if chance.random() < 0.5:
            whole: dict[str, Any] = {"input": f"s3://{BUCKET}/{chance.choice(self._keys)}"}
        else:
            whole = {"sessions": json.loads(json.dumps(FRAMES))}
        more = {
            "threshold": 0.5,
            "metrics": ["vision"],
            "group_by": ["odd"],
            "mode": "compat",
            "limit": 1,
            "wait": False,
        }
        more |= {"options": {"pope": {"x": 1}}, "map": {"answer": "caption"}, "format": "jsonl", "max_error_rate": 1.0}
        return {**whole, **{name: more[name] for name in chance.sample(list(more), chance.randrange(3))}}

    def _datasets(self, chance: random.Random) -> dict[str, Any]:
        frame = {"qa_id": "f", "query": "q", "assistant": "A.", "ground_truth_assistant": "B."}
        session = {
            "session_id": "s",
            "assistant_id": "m",
            "language": "english",
            "context": "",
            "conversation": [frame],
        }
        return {"datasets": [session], "config": {"metric": "VisionSimilarity", "threshold": 0.5}}

    def _job(self, chance: random.Random) -> dict[str, Any]:
        request = {**self._request(chance), "output": "s3://b/out"}
        job = {"schema": "scenescore.job/1", "id": f"{chance.getrandbits(40):x}", "etag": None, "sequencer": "0A"}
        return {**job, "request": request}

    def _step(self, chance: random.Random) -> dict[str, Any]:
        name = chance.choice(("plan", "map", "reduce", "failed"))
        step = {"schema": f"scenescore.{name}/1", "id": "abc", "plan": "s3://b/out/in/0/x/shards/abc"}
        return {
            **step,
            "result": "s3://b/out/in/0/x",
            "shard": 0,
            "request": self._request(chance),
            "error": {"Cause": "x"},
        }

    def _message(self, chance: random.Random) -> Any:
        kind = chance.random()
        if kind < 0.6:
            body = self._notification(chance)
        elif kind < 0.85:
            body = self._job(chance)
        else:
            body = chance.choice((self._request(chance), events.s3_test_event(BUCKET), *ODD))
        body = _damaged(chance, body)
        if isinstance(body, str):
            return body.encode("utf-8", "replace").decode()
        return _odd_text(chance, json.dumps(body)) if chance.random() < 0.1 else body


def _damaged(chance: random.Random, event: Any) -> Any:
    for _ in range(chance.choice((0, 1, 1, 1, 2))):
        event = replace_part(chance, event)
    return event


def _odd_text(chance: random.Random, text: str) -> str:
    """Text that is hardly JSON any more."""
    return damage(chance, text.encode(), [b"[" * 3000, b'{"a":' * 1500, b"\xff\xfe"]).decode("utf-8", "replace")

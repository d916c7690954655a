"""Uploads told of twice, late and out of order, to one worker or to several at once."""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from handler import storage
from handler.events import handle_messages
from handler.jobs import read_status
from tests.aws import events
from tests.evaluation.shard_files import FORMS, TASKS
from tests.faults.inputs import files_of, undisturbed
from tests.faults.oracle import WrongError, verify
from tests.faults.world import BUCKET, Dead, Storm, World

__all__ = ["delivered"]

POLLS = 600  # rounds after which a queue that is not empty counts as lost; in the last half nothing is disturbed
SIDECAR = ".scenescore.json"


def delivered(seed: int, model: Path, *, workers: int = 1, kill: float = 0.3, **rates: float) -> None:
    """Up to three uploads with a request beside each; see `Storm` for the rates. Raises WrongError."""
    chance = random.Random(seed)
    names = chance.sample([name for name in [*FORMS, *TASKS] if name != "folder"], chance.randrange(1, 4))
    expected = {name: undisturbed(name, f"s3://b/in/{name}", model) for name in names}
    world = World(seed, model)
    world.install()
    world.lose_messages = 0.1
    for name in names:
        world.queue += _uploaded(world, name)
    world.chance.shuffle(world.queue)
    storm = Storm(world, **rates)
    loops = [_Loop(world, storm, kill / workers, 600 if workers == 1 else 15) for _ in range(workers)]
    if workers == 1:
        loops[0].work(lambda: None)
    else:
        _Baton(world).run([loop.work for loop in loops])
    world.s3.weather = Storm(world)
    with world.working():
        if world.queue:
            raise WrongError(f"lost: {len(world.queue)} messages are never done with")
        if world.internal_faults:
            raise WrongError(f"unhandled: {world.internal_faults}")
        for name in names:
            _check(world, name, lambda location, name=name: verify(location, expected[name]))


def _uploaded(world: World, name: str) -> Iterator[dict[str, Any]]:
    """Put the files and the request beside them; the messages that tell of it, one to three times each."""
    asked, files = files_of(name)
    for file, data in files.items():
        world.put(f"in/{name}/{file}", data)
    key = f"in/{name}/{asked['input']}"
    sidecar = f"in/{name}/{asked['input'].partition('.')[0]}{SIDECAR}"
    request = json.dumps(asked).encode()
    world.put(sidecar, request)
    for at, data, sequencer in ((key, files[asked["input"]], "0A"), (sidecar, request, "0B")):
        upload = events.Upload(BUCKET, at, hashlib.md5(data).hexdigest(), len(data), sequencer)
        for _ in range(world.chance.randrange(1, 3)):
            yield world.chance.choice((events.s3_put, events.eventbridge_created))(upload)


def _check(world: World, name: str, check: Callable[[str], None]) -> None:
    """Every report that stands is right, latest.json points at one, and the job is done."""
    key = f"in/{name}/{files_of(name)[0]['input']}"
    folders = {info.location.rpartition("/")[0] for info in storage.list_objects(f"s3://b/out/{key}/")}
    reports = [at for at in folders if storage.stat(f"{at}/report.json") is not None]
    if len(reports) != 1:
        raise WrongError(f"{len(reports)} reports of {key}: {sorted(folders)}")
    check(reports[0])
    latest = json.loads(storage.read_bytes(f"s3://b/out/{key}/latest.json"))
    if not reports[0].endswith(f"/{latest['folder']}"):
        raise WrongError(f"latest.json of {key} names {latest['folder']}")
    for info in storage.list_objects("s3://b/out/_evaluations/"):
        status = read_status(storage.name_of(info.location).removesuffix(".json"), world.settings)
        if status is None or status.state != "done":
            raise WrongError(f"an evaluation is left {status}")


class _Loop:
    """A worker: takes messages, a few at a time, until there are none."""

    def __init__(self, world: World, storm: Storm, kill: float, pause: float) -> None:
        self._world, self._storm, self._kill, self._pause = world, storm, kill, pause

    def work(self, between: Callable[[], None]) -> None:
        world, chance = self._world, self._world.chance
        for poll in range(POLLS):
            between()
            if not world.queue:
                return
            calm = poll >= POLLS // 2
            world.s3.weather = Storm(world) if calm else self._storm
            if calm:
                world.lose_messages = 0.0
            n = min(len(world.queue), chance.choice((1, 1, 2, 3)))
            batch = [world.queue.pop(chance.randrange(len(world.queue))) for _ in range(n)]
            if not calm and chance.random() < 0.05:
                world.queue.append(batch[0])  # delivered to another worker as well
            calls = chance.randrange(200) if not calm and chance.random() < self._kill else None
            with world.working(1e7 if calm else 60.0, calls) as clock:
                try:
                    reply = handle_messages(_batch(batch), world.settings, clock)
                    failed = [int(one["itemIdentifier"]) for one in reply["batchItemFailures"]]
                except Dead:
                    failed = list(range(len(batch)))
            world.queue += [batch[place] for place in failed]
            # Others are at work meanwhile, and their time is short. In the end even the lease of a worker that died before
            # the clock was set back by hours runs out.
            world.time.pass_by(chance.uniform(0, 1000 if calm else self._pause) if failed else 0.1)


def _batch(bodies: list[dict[str, Any]]) -> dict[str, Any]:
    attributes = {"ApproximateReceiveCount": "1"}
    records = [
        {"messageId": str(place), "eventSource": "aws:sqs", "body": json.dumps(body), "attributes": attributes}
        for place, body in enumerate(bodies)
    ]
    return {"Records": records}


class _Baton:
    """Threads of which one runs at a time; at every S3 call chance says who goes on. So a race is its seed, too."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._turns: list[threading.Event] = []
        self._alive: list[int] = []
        self._me = threading.local()
        self._failure: BaseException | None = None

    def run(self, works: list[Callable[[Callable[[], None]], None]]) -> None:
        self._turns = [threading.Event() for _ in works]
        self._alive = list(range(len(works)))
        self._world.pass_on = self._pass_on
        threads = [threading.Thread(target=self._one, args=(place, work)) for place, work in enumerate(works)]
        for thread in threads:
            thread.start()
        self._turns[self._world.chance.choice(self._alive)].set()
        for thread in threads:
            thread.join()
        self._world.pass_on = lambda: None
        if self._failure is not None:
            raise self._failure

    def _one(self, place: int, work: Callable[[Callable[[], None]], None]) -> None:
        self._me.place = place
        self._wait()
        try:
            work(self._pass_on)
        except BaseException as error:
            self._failure = error
        self._alive.remove(place)
        if self._alive:
            self._turns[self._world.chance.choice(self._alive)].set()

    def _pass_on(self) -> None:
        chosen = self._world.chance.choice(self._alive)
        if chosen != self._me.place:
            self._turns[chosen].set()
            self._wait()

    def _wait(self) -> None:
        turn = self._turns[self._me.place]
        turn.wait()
        turn.clear()

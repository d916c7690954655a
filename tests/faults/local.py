"""Faults of one machine: processes that end by SIGKILL in the middle of a write, and disks that are full."""

from __future__ import annotations

import errno
import os
import random
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from handler.errors import StorageError
from handler.evaluation import (
    EvaluationRequest,
    Machine,
    ShardPlan,
    UnfinishedError,
    plan_shards,
    reduce_shards,
    run,
    score_shard,
)
from handler.evaluation import _local_shards as shards
from handler.reports import Report
from handler.storage import _local
from tests.faults.inputs import files_of, one_of, request_of, undisturbed
from tests.faults.oracle import WrongError, verify
from tests.faults.stub import use_stub
from tests.faults.world import set_sizes

__all__ = ["fast_folder", "full_disk", "killed", "torn"]

MOST_KILLS = 4
STEPS = 150  # looks at the file system, writes and chunks within which a process dies
FULL = 0.05  # probability that a write finds the disk full
ATTEMPTS = 200

Point = Callable[[Any, Any], None]


def killed(seed: int, model: Path) -> None:
    """A child is killed by SIGKILL at a random point, again and again; the last one is left alone. Raises WrongError."""
    chance, name, base = _begin(seed, model)
    with tempfile.TemporaryDirectory(dir=fast_folder()) as output:
        request, n_shards = request_of(name, base, output), chance.choice((None, 1, 2, 7))
        for _ in range(chance.randrange(1, MOST_KILLS + 1)):
            _in_child(lambda: _evaluate(request, model, n_shards), chance.randrange(STEPS), chance.random())
        report = _evaluate(request, model, n_shards)
        verify(report.location or "", undisturbed(name, base, model))


def torn(seed: int, model: Path) -> None:
    """After each kill, documents are found cut short, as some file systems leave them after a power cut, and half-written
    files lie about. Raises WrongError."""
    chance, name, base = _begin(seed, model)
    with tempfile.TemporaryDirectory(dir=fast_folder()) as output:
        request, n_shards = request_of(name, base, output), chance.choice((None, 1, 2, 7))
        for _ in range(chance.randrange(1, MOST_KILLS + 1)):
            _in_child(lambda: _evaluate(request, model, n_shards), chance.randrange(STEPS), chance.random())
            _tear(chance, Path(output))
        report = _evaluate(request, model, n_shards)
        verify(report.location or "", undisturbed(name, base, model))


def _tear(chance: random.Random, output: Path) -> None:
    documents = sorted(path for path in output.rglob("*.json") if path.is_file() and not path.name.startswith("."))
    for path in chance.sample(documents, min(len(documents), chance.randrange(3))):
        data = path.read_bytes()
        path.write_bytes(data[: chance.randrange(len(data) + 1)])
        path.with_name(f".{chance.randrange(10**9)}.part").write_bytes(data[:9])


def full_disk(seed: int, model: Path) -> None:
    """Writes find the disk full, some of them after half of their bytes; space comes back in the end."""
    chance, name, base = _begin(seed, model)

    def refuse(write: Any, data: Any) -> None:
        if chance.random() < FULL:
            if write is not None:
                write(memoryview(data)[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with tempfile.TemporaryDirectory(dir=fast_folder()) as output:
        request, n_shards = request_of(name, base, output), chance.choice((None, 1, 2, 7))
        report = None
        for attempt in range(ATTEMPTS):
            try:
                with _watched(refuse if attempt < ATTEMPTS // 2 else lambda write, data: None):
                    report = _evaluate(request, model, n_shards)
                break
            except StorageError as error:
                if "disk is full" not in str(error):
                    raise WrongError(f"{type(error).__name__}: {error}") from error
        assert report is not None
        verify(report.location or "", undisturbed(name, base, model))


def _begin(seed: int, model: Path) -> tuple[random.Random, str, str]:
    use_stub()
    chance = random.Random(seed)
    set_sizes(chance)
    name = one_of(chance)
    base = _folder_of(name)
    undisturbed(name, base, model)  # before anything is watched
    return chance, name, base


def _evaluate(request: EvaluationRequest, model: Path, n_shards: int | None) -> Report:
    """As `scenescore evaluate --resume` does, with the shards in this process where there are any, until nothing is left."""
    while True:
        try:
            return _evaluate_once(request, model, n_shards)
        except UnfinishedError:  # it says which shard's state was damaged, and has removed it
            continue


def _evaluate_once(request: EvaluationRequest, model: Path, n_shards: int | None) -> Report:
    machine = Machine(model=model, resume=True)
    if n_shards is None:
        return run(request, machine)
    plan = shards.planned_before(request, machine) or plan_shards(request, machine, run="r", n_shards=n_shards)
    if isinstance(plan, Report):
        return plan
    for number in list(plan.unfinished()):
        score_shard(ShardPlan.load(plan.location), number, machine)
    return reduce_shards(plan, machine)


def _in_child(work: Callable[[], object], steps: int, part: float) -> None:
    """Fork, and die by SIGKILL at step number `steps`, having written `part` of what was to be written there."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise WrongError("the child failed; its message is above")
        return
    left = steps

    def die(write: Any, data: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            if write is not None:
                write(memoryview(data)[: int(len(data) * part)])
            os.kill(os.getpid(), signal.SIGKILL)

    code = 1
    try:
        with _watched(die):
            work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


@contextmanager
def _watched(point: Point) -> Iterator[None]:
    """`point(write, data)` is called before every write, and `point(None, None)` before every other change on the disk."""
    write, real = _local._File.write, _local.os

    def watched(self: Any, data: Any) -> int:
        point(lambda some: write(self, some), data)
        return write(self, data)

    _local._File.write, _local.os = watched, _Os(point)
    try:
        yield
    finally:
        _local._File.write, _local.os = write, real


class _Os:
    """The `os` of local storage."""

    watched = ("fsync", "link", "open", "replace", "stat")

    def __init__(self, point: Point) -> None:
        self._point = point

    def __getattr__(self, name: str) -> Any:
        if name in self.watched:
            self._point(None, None)
        return getattr(os, name)


@cache
def _folder_of(name: str) -> str:
    """The files of an input in a folder of this process's."""
    at = Path(tempfile.mkdtemp(prefix="scenescore-faults-", dir=fast_folder()))
    for file, data in files_of(name)[1].items():
        (at / file).parent.mkdir(parents=True, exist_ok=True)
        (at / file).write_bytes(data)
    return str(at)


def fast_folder() -> str | None:
    """Memory, where there is such a folder: the disk's own speed is not the matter."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

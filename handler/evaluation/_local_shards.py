"""Shards in processes of this machine: a parent that plans and reduces, workers that score."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import orjson

from handler import storage
from handler.errors import InputError, RequestError, ScenescoreError, error_from
from handler.evaluation._metrics import Machine
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import run
from handler.evaluation._shard_plan import ShardPlan
from handler.evaluation._shards import give_up, plan_shards, planned_before, reduce_shards
from handler.reports import Report, ResultFolder
from handler.settings import available_threads

__all__ = ["MOST_SHARDS", "WorkerError", "run_shards"]

MOST_SHARDS = 10_000
MOST_WORKERS = 8  # each holds the model: some 0.6 GB


class WorkerError(ScenescoreError):
    """A process that scored a shard was ended from outside; what was saved is kept, and --resume goes on from there."""

    code = "worker_lost"
    exit_code = 3


def run_shards(request: EvaluationRequest, machine: Machine) -> Report:
    """Evaluate a file in `machine.shards` shards, scored by as many processes as there are cores to use, at most 8.

    With `machine.resume` the plan of an earlier run that was killed is carried on, however many shards it has, and where
    there is none and no number is given, so is an evaluation in one piece; without it all is scored again. Rows and report
    are those of `run`; `timing.seconds` adds up the time of all shards. Raises ScenescoreError.
    """
    n = 1 if machine.shards is None else machine.shards
    if not 1 <= n <= MOST_SHARDS:
        raise RequestError(f"shards must be from 1 to {MOST_SHARDS:,}, got {n}", field="shards")
    if request.input is None or request.output is None:
        raise RequestError("only a file with an output can be cut into shards", field="input")
    plan: ShardPlan | Report | None = planned_before(request, machine) if machine.resume else None
    if plan is None and machine.shards is None:
        return _tidied(run(request, machine), machine)
    plan = plan or plan_shards(request, machine, run=secrets.token_hex(6), n_shards=n)
    if isinstance(plan, Report):
        return _tidied(plan, machine)
    try:
        _score(plan, machine)
        return reduce_shards(plan, machine)
    except ScenescoreError as error:
        done = None if machine.force else ResultFolder(plan.result).report()
        if done is not None:  # another process was faster, and tidied up
            return Report(done, location=plan.result, already_done=True)
        if isinstance(error, InputError | RequestError):
            give_up(plan, error)
        raise


def _tidied(report: Report, machine: Machine) -> Report:
    """A run that was killed once its result was complete may have left its shards."""
    if machine.resume and report.already_done and report.location is not None:
        storage.delete_tree(f"{storage.join(report.location, 'shards')}/")
    return report


def _score(plan: ShardPlan, machine: Machine) -> None:
    todo = deque(plan.unfinished())
    cores = machine.threads or available_threads()
    n_workers = min(len(todo), cores, MOST_WORKERS)
    if not n_workers:
        return
    threads = [cores // n_workers + (place < cores % n_workers) for place in range(n_workers)]
    with ThreadPoolExecutor(n_workers) as pool:
        for _ in pool.map(lambda one: _drive(plan, machine, one, todo), threads):
            pass


def _drive(plan: ShardPlan, machine: Machine, threads: int, todo: deque[int]) -> None:
    """Feed one worker until nothing is left; a failure of one ends them all after their present shard."""
    with _worker(plan, machine, threads) as worker:
        while todo:
            try:
                number = todo.popleft()
            except IndexError:  # another worker took it
                return
            try:
                _tell(worker, number)
                _await(worker, number, machine)
            except BaseException:
                todo.clear()
                raise


def _await(worker: subprocess.Popen[bytes], number: int, machine: Machine) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        message = orjson.loads(line)
        if "error" in message:
            raise error_from(message["error"])
        if "shard" in message:
            return
        if machine.on_progress:
            machine.on_progress(message["scored"])
    code = worker.wait()
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    raise WorkerError(
        f"the process that scored shard {number} ended with {how}",
        hint="Was there memory enough? --resume goes on from what is saved; --threads 1 needs less",
    )


def _tell(worker: subprocess.Popen[bytes], what: Any) -> None:
    assert worker.stdin is not None
    try:
        worker.stdin.write(orjson.dumps(what) + b"\n")
        worker.stdin.flush()
    except BrokenPipeError:  # it has ended, and reading from it will show how
        pass


@contextmanager
def _worker(plan: ShardPlan, machine: Machine, threads: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-P", "-m", "handler.evaluation._shard_worker"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(one or os.getcwd() for one in sys.path),
    }  # our own modules
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe) as worker:  # noqa: S603 - our own module
        try:
            folders = {name: str(at) if at else None for name, at in (("model", machine.model), ("clip", machine.clip))}
            order = {
                "plan": plan.location,
                "threads": threads,
                "cache": machine.cache,
                "parent": os.getpid(),
                **folders,
            }
            _tell(worker, order)
            yield worker
            assert worker.stdin is not None
            worker.stdin.close()  # it writes its cache and ends
        except BaseException:
            worker.terminate()
            raise

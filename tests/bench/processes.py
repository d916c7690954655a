"""Processes timed from outside, each held to as many cores as it may use threads."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["Failed", "Run", "run"]

TIME_LIMIT_S = 900


class Run(NamedTuple):
    """seconds: of the whole process. peak_mb: its most resident memory. printed: the JSON document it wrote on stdout."""

    seconds: float
    peak_mb: float
    printed: dict[str, Any]


class Failed(Exception):
    """The process ended with an exit code other than 0; the text is the last line it wrote on stderr."""


def run(command: Sequence[object], threads: int) -> Run:
    """Run to the end. The start is in the environment as BENCH_STARTED, in seconds since the epoch. Raises Failed."""
    limits = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=output,
            stderr=errors,
            env={**os.environ, **limits, **quiet, "BENCH_STARTED": repr(time.time())},
            preexec_fn=_held_to(threads),
        )
        limit = threading.Timer(TIME_LIMIT_S, process.kill)
        limit.start()
        _, status, usage = os.wait4(process.pid, 0)
        limit.cancel()
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            words = errors.read().decode(errors="replace").strip().splitlines()
            late = (
                f"no result within {TIME_LIMIT_S} s" if seconds >= TIME_LIMIT_S else f"exit code {process.returncode}"
            )
            raise Failed(words[-1] if words and seconds < TIME_LIMIT_S else late)
        return Run(seconds, usage.ru_maxrss / 1024, json.load(output))


def _held_to(threads: int) -> Callable[[], None] | None:
    """A library that counts the machine's cores must not get more of them than the others."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))[:threads]
    return lambda: os.sched_setaffinity(0, cores)

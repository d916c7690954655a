"""The container task: `python -m handler.batch_task` looks at a share of the videos, `... reduce` scores all of them.

Exit codes: 0 done, 2 the input or the call is wrong, 75 told to stop (SIGTERM): what is done is kept, and the same call goes
on; 3 anything else, which another attempt may better.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from handler import aws
from handler.batch_task._arguments import Task, parse_arguments
from handler.batch_task._log import log, progress
from handler.errors import InternalError, OutOfTimeError, ScenescoreError

__all__ = ["main"]

STOPPED = 75  # EX_TEMPFAIL of sysexits.h


def main(argv: Sequence[str] | None = None) -> int:
    """Do one task. Returns the exit code."""
    stop = threading.Event()
    with suppress(ValueError):  # not in the main thread: then signals are somebody else's
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
    task: Task | None = None
    try:
        task = parse_arguments(sys.argv[1:] if argv is None else argv)
        _reduce(task) if task.verb == "reduce" else _look(task, stop)
    except OutOfTimeError:
        log("stopped", detail="what is done is kept; the same call goes on")
        return STOPPED
    except ScenescoreError as error:
        return _fail(task, error)
    except Exception as error:  # the log must name what a person has to report
        return _fail(task, InternalError(f"unexpected {type(error).__name__}: {error}"))
    return 0


def _look(task: Task, stop: threading.Event) -> None:
    from handler.evaluation import look_at_share, open_videos

    work = open_videos(task.request, task.machine)
    if work.is_done and not task.machine.force:
        log("done before", result=work.folder.location)
        return
    provider = work.watcher.provider if work.watcher else None
    log("share begins", index=task.index, size=task.size, provider=provider)
    started = time.monotonic()
    with progress(f"share {task.index} of {task.size}") as on_seen:
        n_videos = look_at_share(
            work, task.index, task.size, must_stop=stop.is_set, on_seen=on_seen, budget=task.budget
        )
    seconds = time.monotonic() - started
    log("share done", index=task.index, videos=n_videos, frames=on_seen.n_frames, seconds=round(seconds, 1))


def _reduce(task: Task) -> None:
    from handler.evaluation import open_videos, reduce_videos

    work = open_videos(task.request, task.machine)
    report = reduce_videos(work, task.machine, task.size)
    if task.job is not None:
        from handler.jobs import end_well, forget_batch

        end_well(task.job, task.settings, report)
        forget_batch(task.job, task.settings)
    log("report written", result=report.location, samples=report["counts"]["n_samples"])


def _fail(task: Task | None, error: ScenescoreError) -> int:
    """Say it; a job that no other attempt can save is over."""
    log("failed", code=error.code, error=str(error))
    is_final = error.exit_code == 2
    if task is not None and task.job is not None and (is_final or task.is_last_attempt):
        from handler.jobs import end_badly

        end_badly(task.job, task.settings, error)
    return aws.WRONG_INPUT if is_final else 3

"""A process that scores shards: `python -m handler.evaluation._shard_worker`.

Its first line on stdin is a JSON object with the plan's location, the machine's settings and the parent's process id, every
further line a shard's number. On stdout it says {"scored": n} as it goes on, and {"shard": number} or {"error": ...} when it
is through with one. It ends with its stdin, and within a second of its parent: a worker may die at any point.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from handler.errors import InternalError, ScenescoreError
from handler.evaluation._metrics import Machine
from handler.evaluation._shard_plan import ShardPlan
from handler.evaluation._shards import score_shard

__all__ = ["main"]


def main(lines: Iterable[bytes], out: BinaryIO) -> int:
    """Work until there are no more lines. Returns the exit code."""
    source = iter(lines)
    order = orjson.loads(next(source))

    def say(message: dict[str, Any]) -> None:
        out.write(orjson.dumps(message) + b"\n")
        out.flush()

    threading.Thread(target=_end_with, args=(order["parent"],), daemon=True).start()
    try:
        plan = ShardPlan.load(order["plan"])
        machine = Machine(
            model=_path(order["model"]),
            clip=_path(order["clip"]),
            threads=order["threads"],
            cache=order["cache"],
            on_progress=lambda n: say({"scored": n}),
        )
        for line in source:
            number = int(line)
            score_shard(plan, number, machine)
            say({"shard": number})
    except BrokenPipeError:  # nobody is there to be told
        return 1
    except ScenescoreError as error:
        say({"error": error.document()})
    except Exception as error:
        say({"error": InternalError(f"unexpected {type(error).__name__}: {error}").document()})
    return 0


def _end_with(parent: int) -> None:
    """What is scored since the last save is lost, as when a machine fails; whoever resumes scores it."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _path(given: str | None) -> Path | None:
    return Path(given) if given is not None else None


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))

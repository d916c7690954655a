"""The parent's side of the child process that decodes: it waits with a limit, and ends what hangs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from handler.video._protocol import DECODED, HEAD, PROGRESS
from handler.video._resize import Pixels

__all__ = ["Decoder"]

_COMMAND = (sys.executable, "-m", "handler.video._child")
_PACKAGES = str(Path(__file__).parents[2])  # where the child finds `handler`, too
_GRACE = 2.0  # seconds until a child that was asked to end is killed
Answer = tuple[dict[str, Any], list[Pixels]]


class Decoder:
    """One child process, started on first use and again after its end."""

    def __init__(self, *, stall_limit: float, time_limit: float) -> None:
        self._limits = {"stalled": stall_limit, "out_of_time": time_limit}
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, request: Mapping[str, Any]) -> Answer:
        """What the child answers, and the pixels it sends; `reason` and `detail` where it hung or crashed."""
        child = self._running()
        watch = _Watch(child, self._limits)
        try:
            return _exchange(child, request, watch)
        except (EOFError, OSError):
            self.close(at_once=True)
            if watch.fired:
                return {"reason": watch.fired, "detail": f"{self._limits[watch.fired]:g} seconds"}, []
            return {"reason": "crashed", "detail": f"exit status {child.returncode}"}, []
        finally:
            watch.stop()

    def close(self, *, at_once: bool = False) -> None:
        """End the child: stdin ends, then it does; else it is killed."""
        child, self._child = self._child, None
        if child is None:
            return
        if at_once:
            child.kill()
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(OSError):
            child.stdin.close()
        try:
            child.wait(_GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is not None:
            self.close()
        if self._child is None:
            paths = filter(None, (_PACKAGES, os.environ.get("PYTHONPATH")))
            self._child = subprocess.Popen(  # noqa: S603 - our own module, no shell
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a signal to our group is ours to answer
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )
        return self._child


def _exchange(child: subprocess.Popen[bytes], request: Mapping[str, Any], watch: _Watch) -> Answer:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(request).encode() + b"\n")
    child.stdin.flush()
    while True:
        tag, length = HEAD.unpack(_exactly(child.stdout, HEAD.size))
        watch.progress()
        if tag != PROGRESS:
            break
    answer = json.loads(_exactly(child.stdout, length))
    if tag != DECODED:
        return answer, []
    pixels = []
    for image in answer["images"]:
        found = np.empty(image["shape"], image["dtype"])
        _fill(child.stdout, memoryview(cast("Any", found)).cast("B"))
        watch.progress()
        pixels.append(found)
    return answer, pixels


def _exactly(stream: IO[bytes], length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


def _fill(stream: IO[bytes], space: memoryview) -> None:
    while space:
        count = cast("Any", stream).readinto(space)
        if not count:
            raise EOFError
        space = space[count:]


class _Watch:
    """Kills the child when a limit is passed; `fired` says which."""

    def __init__(self, child: subprocess.Popen[bytes], limits: Mapping[str, float]) -> None:
        self._child = child
        self._limits = limits
        self.fired: str | None = None
        self._timers = {name: self._timer(name) for name in limits}

    def progress(self) -> None:
        """The child shows signs of life."""
        self._timers["stalled"].cancel()
        self._timers["stalled"] = self._timer("stalled")

    def stop(self) -> None:
        """Watch no longer."""
        for timer in self._timers.values():
            timer.cancel()

    def _timer(self, name: str) -> threading.Timer:
        timer = threading.Timer(self._limits[name], self._kill, (name,))
        timer.daemon = True
        timer.start()
        return timer

    def _kill(self, name: str) -> None:
        self.fired = self.fired or name
        self._child.kill()

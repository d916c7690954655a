"""A bar on a terminal, JSON lines elsewhere. Never a word of a prompt or of what was seen: places, counts and codes only."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from handler.detection import Seen

__all__ = ["Progress", "log", "progress"]

EVERY = 30.0  # seconds between two lines


def log(message: str, /, **fields: Any) -> None:
    """One line on stderr."""
    if sys.stderr.isatty():
        shown = ", ".join(f"{name} {value}" for name, value in fields.items() if value is not None)
        print(f"scenescore: {message}{f': {shown}' if shown else ''}", file=sys.stderr)
        return
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    entry = {"timestamp": now, "service": "scenescore", "message": message, **fields}
    print(json.dumps(entry, default=str), file=sys.stderr, flush=True)


class Progress:
    """Told of each video. n_frames: distinct frames that were looked at now."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._last = time.monotonic()
        self.n_videos = 0
        self.n_frames = 0

    def __call__(self, seen: Seen) -> None:
        self.n_videos += 1
        if seen.state == "detected" and seen.detections is not None:
            self.n_frames += len(set(seen.detections.sampling.indices))
        if seen.state == "unreadable":
            log("unreadable video", video=seen.look.location, reason=seen.reason)
        if self._bar is not None:
            self._bar.update()
        elif time.monotonic() - self._last > EVERY:
            self._last = time.monotonic()
            log("share goes on", videos=self.n_videos, frames=self.n_frames)


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """Counts what is seen, and shows it."""
    if not sys.stderr.isatty():
        yield Progress(None)
        return
    from tqdm import tqdm

    with tqdm(unit=" videos", leave=False, desc=title) as bar:
        yield Progress(bar)

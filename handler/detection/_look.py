"""The pipeline: the next videos are fetched and decoded while the watcher looks at this one."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from handler import storage
from handler.detection._detector import StoppedError, Watcher
from handler.detection._finding import find_of_any_detector, names_in
from handler.detection._partial import forget_partial, keep_partial, read_partial
from handler.detection._rules import SAMPLING
from handler.errors import InputError, OutOfTimeError, StorageError
from handler.video import (
    Detections,
    DetectionsKey,
    ReadVideo,
    VideoError,
    VideoReader,
    find_detections,
    local_video,
    store_detections,
)

__all__ = ["BUDGET", "Look", "Seen", "look_at"]

BUDGET = 512 << 20  # bytes of decoded frames; 16 frames of 720p as floats have 177 MB
AHEAD = 4  # videos
PATIENCE = 0.5  # seconds
_STOPPED = "told to stop; what was seen until now is kept"


class Look(NamedTuple):
    """One video to look at. at: whatever the caller knows it by. rule: the resize rule."""

    at: int
    location: str
    rule: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of one video.

    state: `detected` now, `present` before, `measured` without a detector (then there are no detections), or `unreadable`
    for `reason`, in words `message`. file: the name of the detections file. reading: what decoding noted.
    """

    look: Look
    state: Literal["detected", "present", "measured", "unreadable"]
    detections: Detections | None = None
    file: str | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None
    message: str | None = None


def look_at(
    looks: Iterable[Look],
    *,
    watcher: Watcher | None,
    folder: str | None,
    measure: bool = True,
    must_stop: Callable[[], bool] | None = None,
    budget: int = BUDGET,
) -> Iterator[Seen]:
    """What is seen in each video, in order.

    watcher: None finds what is there and, with `measure`, how much frames differ where nothing is. folder: where detections
    files are looked for and written; None for nowhere. budget: bytes of decoded frames, those that are looked at among them,
    from which on no other video is decoded; memory holds one more at most. What is wrong with one video is its state; what
    may be better next time is raised. Raises OutOfTimeError when must_stop says so: what was seen until then is in the
    folder.
    """
    room = _Room(budget)
    finder = _Finder(room, watcher, folder, measure)
    pool = ThreadPoolExecutor(1, thread_name_prefix="decode")
    waiting: deque[tuple[Look, Future[Seen | ReadVideo]]] = deque()
    rest = iter(looks)
    try:
        while True:
            while len(waiting) < AHEAD and (look := next(rest, None)) is not None:
                waiting.append((look, pool.submit(finder.find, look)))
            if not waiting:
                return
            look, future = waiting.popleft()
            found = _result(future, must_stop)
            if isinstance(found, Seen):
                yield found
                continue
            seen = _watched(look, found, watcher, folder, must_stop)
            room.leave(found)
            yield seen
    finally:
        finder.is_over = True
        room.close()
        pool.shutdown(wait=False, cancel_futures=True)
        finder.close()  # a decoder at work is ended, and the pool's thread with it
        pool.shutdown()
        finder.close()  # which may have begun another meanwhile


def _result(future: Future[Seen | ReadVideo], must_stop: Callable[[], bool] | None) -> Seen | ReadVideo:
    """What the decoding side says. Decoding may take minutes, so the question whether to stop is asked meanwhile."""
    while must_stop is not None:
        done, _ = wait([future], timeout=PATIENCE)
        if must_stop():
            raise OutOfTimeError(_STOPPED)
        if done:
            break
    return future.result()


class _Room:
    """Decoded frames that wait or are looked at, in bytes. The decoding side begins no video while it is full."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._used = 0
        self._is_closed = False
        self._changed = threading.Condition()

    def wait(self) -> None:
        """Until there is room, or nobody wants more."""
        with self._changed:
            self._changed.wait_for(lambda: self._used < self._budget or self._is_closed)

    def enter(self, video: ReadVideo) -> None:
        """Its frames are there."""
        with self._changed:
            self._used += _bytes_of(video)

    def leave(self, video: ReadVideo) -> None:
        """Its frames are no longer needed."""
        with self._changed:
            self._used -= _bytes_of(video)
            self._changed.notify_all()

    def close(self) -> None:
        """Nobody wants more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


def _bytes_of(video: ReadVideo) -> int:
    return sum(frame.pixels.nbytes for frame in video.frames)


class _Finder:
    """The decoding side: what is known of a video, or its frames."""

    def __init__(self, room: _Room, watcher: Watcher | None, folder: str | None, measure: bool) -> None:
        self._reader: VideoReader | None = None  # made for the first video that is to be decoded
        self._room = room
        self._watcher = watcher
        self._folder = folder
        self._measure = measure
        self._names: tuple[str, ...] | None = None
        self.is_over = False

    def close(self) -> None:
        """End the decoder."""
        if self._reader is not None:
            self._reader.close()

    def find(self, look: Look) -> Seen | ReadVideo:
        """Frames where they must be looked at. Raises what may be better next time."""
        try:
            return self._find(look)
        except VideoError as error:
            return Seen(look, "unreadable", reason=error.reason, message=str(error))
        except (storage.NotFoundError, storage.BucketNotFoundError, storage.LocationError) as error:
            return Seen(look, "unreadable", reason="video_not_found", message=str(error))
        except (storage.TransientStorageError, storage.CredentialsError):
            raise
        except StorageError as error:
            return Seen(look, "unreadable", reason="video_unreadable", message=str(error))

    def _find(self, look: Look) -> Seen | ReadVideo:
        rule, n = SAMPLING
        with local_video(look.location) as video:
            if self._folder is not None:
                there = self._there(self._folder, DetectionsKey(video.sha256, rule, n, look.rule, ""))
                if there is not None:
                    return Seen(look, "present", there, there.key.name, there.reading)
            if self._watcher is None and not self._measure:
                return Seen(look, "measured")
            self._room.wait()
            if self.is_over:
                return Seen(look, "measured")
            self._reader = self._reader or VideoReader()
            found = self._reader.read(video, n=n, rule=rule, resize=look.rule, differences=True)
        if self._watcher is None:
            return Seen(look, "measured", reading=found.reading)
        self._watcher.check(found.frames[0].pixels, look.location)
        self._room.enter(found)
        return found

    def _there(self, folder: str, key: DetectionsKey) -> Detections | None:
        if self._watcher is not None:
            return find_detections(folder, replace(key, detector=self._watcher.detector.signature))
        if self._names is None:
            self._names = names_in(folder)
        return find_of_any_detector(folder, self._names, key)


def _watched(
    look: Look, found: ReadVideo, watcher: Watcher | None, folder: str | None, must_stop: Callable[[], bool] | None
) -> Seen:
    assert watcher is not None
    key = found.key(watcher.detector.signature)
    before = read_partial(folder, key) if folder is not None else []
    try:
        seen = watcher.look([frame.pixels for frame in found.frames], before=before, must_stop=must_stop)
    except StoppedError as stopped:
        if folder is not None and stopped.found:
            keep_partial(folder, key, stopped.found)
        raise OutOfTimeError(_STOPPED) from stopped
    except InputError as error:
        return Seen(look, "unreadable", reason="not_a_video", message=str(error))
    by_index = {frame.index: one for frame, one in zip(found.frames, seen, strict=True)}
    detections = found.detections(watcher.detector, by_index)
    if folder is not None:
        store_detections(folder, detections)
        if before:
            forget_partial(folder, key)
    return Seen(look, "detected", detections, key.name, detections.reading)

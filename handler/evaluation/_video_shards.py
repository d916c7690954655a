"""An evaluation of videos in tasks: each looks at its share and notes what became of it; the last step scores everything.

Looking may be stopped at any moment and done again: detections files are kept under names made of what they are about, and
the notes of a share (`<result>/shards/00001-of-00003.json`) say which videos are done. Scoring from detections takes
seconds, so it is done once over all of them, by the same code as an evaluation in one piece.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from handler import storage
from handler.counting import many
from handler.detection import BUDGET, Look, Seen, Watcher, look_at, resize_rule
from handler.errors import InputError, OutOfTimeError, RequestError
from handler.evaluation import _identity
from handler.evaluation._metrics import Machine, make_metrics
from handler.evaluation._opened import open_input
from handler.evaluation._pictures import locator
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import run
from handler.evaluation._shards import UnfinishedError
from handler.evaluation._videos import fields_of, locate_video, needs_detector, version_of, watcher_of, with_frames
from handler.formats import Notices
from handler.reports import Report, ResultFolder, dump_json
from handler.samples import VideoSample
from handler.video import read_detections, sample_fields

__all__ = ["VideoWork", "look_at_share", "open_videos", "reduce_videos"]

SCHEMA = "scenescore.video-shard/1"
SAVE_EVERY = 20.0  # seconds between two writings of the notes


@dataclass(frozen=True, slots=True)
class VideoWork:
    """What is to be looked at. folder: where the result goes. watcher: None when no metric reads detections."""

    request: EvaluationRequest
    folder: ResultFolder
    watcher: Watcher | None

    @property
    def is_done(self) -> bool:
        """Whether the report stands."""
        return self.folder.report() is not None

    def samples(self) -> Iterator[VideoSample]:
        """The videos, read from the manifest now."""
        records = open_input(self.request, None, Notices()).records
        videos = (one for one in records if isinstance(one, VideoSample))
        return itertools.islice(videos, self.request.limit)

    def notes_at(self, index: int, size: int) -> str:
        """Where the notes of a share lie."""
        return storage.join(self.folder.location, "shards", f"{index:05d}-of-{size:05d}.json")


def open_videos(request: EvaluationRequest, machine: Machine) -> VideoWork:
    """Read what the input is. Raises ScenescoreError, among them RequestError for an input that holds no videos."""
    if request.input is None or request.output is None or request.detections is None:
        raise RequestError("tasks need an input, an output and a place for detections", field="input")
    opened = open_input(request, None, Notices())
    if not issubclass(opened.sample, VideoSample):
        raise RequestError("the input holds no videos", field="input", hint="`scenescore inspect` says how it is read")
    metrics = make_metrics(request, machine, opened.sample)
    named = with_frames(opened, request, machine, metrics)
    location = _identity.folder_location(request, named.source, metrics, named.companions)
    return VideoWork(request, ResultFolder(location), watcher_of(machine) if needs_detector(metrics) else None)


def look_at_share(
    work: VideoWork,
    index: int,
    size: int,
    *,
    must_stop: Callable[[], bool] | None = None,
    on_seen: Callable[[Seen], object] | None = None,
    budget: int = BUDGET,
) -> int:
    """Look at every size-th video from the index on that nobody has looked at. Returns how many videos the share has.

    on_seen: told of each. budget: bytes of decoded frames that may wait. Raises OutOfTimeError when must_stop says so: call
    it again.
    """
    if not 0 <= index < size:
        raise RequestError(f"there is no share {index} of {size}", field="index")
    location = work.notes_at(index, size)
    notes = _Notes(location, index, size)
    if notes.finished:
        return len(notes.rows)
    seen = look_at(
        _looks(work, notes),
        watcher=work.watcher,
        folder=work.request.detections,
        must_stop=must_stop,
        budget=budget,
    )
    try:
        for one in seen:
            notes.add(one)
            if on_seen is not None:
                on_seen(one)
    except OutOfTimeError:
        notes.save()
        raise
    notes.finished = True
    notes.save()
    return len(notes.rows)


def reduce_videos(work: VideoWork, machine: Machine, size: int) -> Report:
    """Score what all shares saw. Raises UnfinishedError when one is missing."""
    if work.is_done and not machine.force:
        return run(work.request, replace(machine, seen=lambda _: {}))
    all_notes = [_Notes(work.notes_at(index, size), index, size) for index in range(size)]
    missing = [index for index, notes in enumerate(all_notes) if not notes.finished]
    if missing:
        raise UnfinishedError(
            f"not finished: {len(missing)} of {many(size, 'share')}, the first is {missing[0]}",
            file=work.folder.location,
        )
    rows = {at: row for notes in all_notes for at, row in notes.rows.items()}
    report = run(work.request, replace(machine, seen=lambda sample: _fields(sample, rows, work.request)))
    for index in range(size):
        storage.delete(work.notes_at(index, size))
    return report


def _fields(
    sample: VideoSample, rows: Mapping[int, Mapping[str, Any]], request: EvaluationRequest
) -> Mapping[str, Any]:
    row = rows.get(sample.index)
    if row is None or row["video"] != sample.video:
        raise InputError("the input is not the one that was looked at", file=request.input, line=sample.line)
    if row["file"] is not None:
        return sample_fields(read_detections(storage.join(request.detections or "", row["file"])))
    return {"problem": row["problem"], **row["measured"]}


class _Notes:
    """What became of the videos of one share, by the position of their samples."""

    def __init__(self, location: str, index: int, size: int) -> None:
        self._location = location
        self._saved = time.monotonic()
        self._names: dict[int, tuple[str, str | None]] = {}
        self.finished = False
        self.rows: dict[int, dict[str, Any]] = {}
        self.index, self.size = index, size
        self._head = {"schema": SCHEMA, "index": index, "size": size}
        known = self._read()
        if known is not None:
            self.finished = known["finished"]
            self.rows = {row["at"]: row for row in known["videos"]}

    def expect(self, sample: VideoSample, version: str | None) -> bool:
        """Whether the video must be looked at: it is new, or its file is another one."""
        row = self.rows.get(sample.index)
        if row is not None and (row["video"], row["version"]) == (sample.video, version):
            return False
        self._names[sample.index] = (sample.video or "", version)
        return True

    def forbid(self, sample: VideoSample) -> None:
        """Note a video that requests may not read."""
        self.rows[sample.index] = {**_row(sample.index, sample.video or "", None), "problem": sample.problem}

    def add(self, seen: Seen) -> None:
        """Note what became of a video."""
        row = _row(seen.look.at, *self._names.pop(seen.look.at))
        if seen.file is not None:
            row["file"] = seen.file
        elif seen.state == "unreadable":
            row |= {"problem": seen.reason, "message": seen.message}
        else:
            row["measured"] = fields_of(seen)
        self.rows[seen.look.at] = row
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Write the notes."""
        videos = [self.rows[at] for at in sorted(self.rows)]
        storage.write_bytes(self._location, dump_json({**self._head, "finished": self.finished, "videos": videos}))
        self._saved = time.monotonic()

    def _read(self) -> dict[str, Any] | None:
        if storage.stat(self._location) is None:
            return None
        try:
            found: dict[str, Any] = orjson.loads(storage.read_bytes(self._location))
        except orjson.JSONDecodeError:
            return None
        return found if {name: found.get(name) for name in self._head} == self._head else None


def _row(at: int, video: str, version: str | None) -> dict[str, Any]:
    return {"at": at, "video": video, "version": version, "file": None, "problem": None, "measured": {}}


def _looks(work: VideoWork, notes: _Notes) -> Iterator[Look]:
    locate = locator(work.request)
    for sample in work.samples():
        if sample.index % notes.size != notes.index:
            continue
        location = locate_video(locate, sample)
        if location is None:
            notes.forbid(sample)
        elif notes.expect(sample, version_of(location)):
            yield Look(sample.index, location, resize_rule(sample))

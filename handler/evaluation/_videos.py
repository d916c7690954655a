"""Videos: what a detector saw in each is put into its sample, from files that are there or by looking now."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from handler import storage
from handler.detection import Look, Seen, Watcher, look_at, names_in, open_watcher, resize_rule
from handler.errors import RequestError
from handler.evaluation._metrics import Machine
from handler.evaluation._opened import Opened, open_input
from handler.evaluation._pictures import locator
from handler.evaluation._request import EvaluationRequest
from handler.formats import Notices
from handler.metrics import BaseMetric
from handler.models import PictureError
from handler.samples import Record, VideoSample
from handler.settings import Settings, has_model
from handler.video import sample_fields

__all__ = ["fields_of", "locate_video", "needs_detector", "put_fields", "version_of", "watcher_of", "with_frames"]

READ_AHEAD = 16  # detections files that are fetched at a time


def with_frames(opened: Opened, request: EvaluationRequest, machine: Machine, metrics: Sequence[BaseMetric]) -> Opened:
    """The samples of videos with what is seen in them; which detector that was becomes part of the result's name.

    Raises RequestError when a metric reads detections and there is nothing to have them from.
    """
    if not issubclass(opened.sample, VideoSample):
        if request.detections is not None:
            raise RequestError("no metric of this request reads detections", field="detections")
        return opened
    detects = needs_detector(metrics)
    watcher = watcher_of(machine) if detects else None
    has_files = request.detections is not None and watcher is None and bool(names_in(request.detections))
    if detects and watcher is None and machine.seen is None and not has_files:
        names = ", ".join(metric.name for metric in metrics if metric.needs_gpu)
        raise RequestError(
            f"nothing says what is in the videos, which {names} read",
            field="detections",
            hint="Give --detector DIR (`scenescore export grit` makes one) or --detections DIR; "
            "vbench.temporal_flickering needs neither",
        )
    companions = {**opened.companions, **_detector_name(watcher, request, detects=detects), **_versions(request)}
    if machine.seen is not None:
        return replace(opened, records=_known(opened.records, machine.seen), companions=companions)
    records = _looked_at(opened.records, request, machine, watcher, measure=_measures(metrics))
    return replace(opened, records=records, companions=companions)


def needs_detector(metrics: Sequence[BaseMetric]) -> bool:
    """Whether a metric reads what a detector saw."""
    return any(metric.needs_gpu for metric in metrics)


def watcher_of(machine: Machine) -> Watcher | None:
    """The detector that was named, else that of the settings where there is one. Raises ModelError for a damaged folder."""
    folder = machine.detector
    if folder is None:
        folder = Settings.from_environment().detector
        if not has_model(folder):
            return None
    return open_watcher(folder, provider=machine.provider, threads=machine.threads)


def locate_video(locate: Callable[[str], str], sample: VideoSample) -> str | None:
    """Where the video is; None, and the sample's problem, when requests may not read there."""
    try:
        return locate(sample.video or "")
    except PictureError:
        sample.problem = "video_forbidden"
        return None


def fields_of(seen: Seen) -> dict[str, Any]:
    """What looking at a video says, as fields of its sample."""
    if seen.state == "unreadable":
        return {"problem": seen.reason}
    if seen.detections is not None:
        return sample_fields(seen.detections)
    return {name: seen.reading.get(name) for name in ("frame_difference", "n_frame_pairs")}


def version_of(location: str) -> str | None:
    """What tells a video from another one of its name: S3's etag, or size and time of a local file; None for no file."""
    if not storage.is_remote(location):
        try:
            facts = os.stat(location)
        except OSError:
            return None
        return f"{facts.st_size}-{facts.st_mtime_ns}"
    found = storage.stat(location)
    return found.etag if found else None


def _versions(request: EvaluationRequest) -> dict[str, str]:
    """A local video may be made anew under its old name; then the result is another. On S3 each video would cost a call."""
    if request.output is None or request.input is None or storage.is_remote(request.input):
        return {}
    locate = locator(request)
    digest = hashlib.sha256()
    for record in open_input(request, None, Notices()).records:
        if isinstance(record, VideoSample) and (location := locate_video(locate, record)) is not None:
            version = None if storage.is_remote(location) else version_of(location)
            digest.update(f"{record.video}\0{version}\n".encode("utf-8", "replace"))
    return {"videos": digest.hexdigest()[:16]}


def _measures(metrics: Sequence[BaseMetric]) -> bool:
    return any(metric.name in ("vbench.temporal_flickering", "vbench.total") for metric in metrics)


def _detector_name(watcher: Watcher | None, request: EvaluationRequest, *, detects: bool) -> dict[str, str]:
    if watcher is not None:
        return {"detector": watcher.detector.signature}
    if not detects or request.detections is None:
        return {}
    return {"detections": hashlib.sha256("\n".join(names_in(request.detections)).encode()).hexdigest()[:16]}


def _looked_at(
    records: Iterable[Record],
    request: EvaluationRequest,
    machine: Machine,
    watcher: Watcher | None,
    *,
    measure: bool,
) -> Iterator[Record]:
    locate = locator(request)
    order: deque[Record] = deque()

    def looks() -> Iterator[Look]:
        for record in records:
            order.append(record)
            if isinstance(record, VideoSample) and record.frames is None:
                location = locate_video(locate, record)
                if location is not None:
                    yield Look(record.index, location, resize_rule(record))

    for seen in look_at(
        looks(), watcher=watcher, folder=request.detections, measure=measure, must_stop=machine.must_stop
    ):
        while not (isinstance(record := order.popleft(), VideoSample) and record.index == seen.look.at):
            yield record
        yield put_fields(record, fields_of(seen))
    yield from order


def _known(records: Iterable[Record], seen: Callable[[VideoSample], Mapping[str, Any]]) -> Iterator[Record]:
    """The same where others looked: their files are fetched some at a time."""
    waiting: deque[tuple[Record, Future[Mapping[str, Any]] | None]] = deque()

    def first() -> Record:
        record, future = waiting.popleft()
        return record if future is None else put_fields(record, future.result())

    with ThreadPoolExecutor(READ_AHEAD) as pool:
        for record in records:
            future = pool.submit(seen, record) if isinstance(record, VideoSample) else None
            waiting.append((record, future))
            if len(waiting) > READ_AHEAD:
                yield first()
        while waiting:
            yield first()


def put_fields(record: Record, fields: Mapping[str, Any]) -> Record:
    """The record, changed in its place."""
    for name, value in fields.items():
        setattr(record, name, value)
    return record

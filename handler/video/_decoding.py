"""Decoding with PyAV. It runs in the child process alone, where a damaged file may hang or crash it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import av
import numpy as np
from av.container import InputContainer
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

from handler.video._facts import Seen, facts_of, rgb
from handler.video._resize import Pixels, resize
from handler.video._sampling import frame_indices

__all__ = ["Decoded", "DecodingError", "decode"]

MOST_PIXELS = 64_000_000  # per frame; 8K has 33 million
_PICTURES = (  # first bytes, and the demuxer that takes them for what they are, whatever the name
    (b"\xff\xd8\xff", "jpeg_pipe"),
    (b"\x89PNG\r\n\x1a\n", "png_pipe"),
    (b"BM", "bmp_pipe"),
)
# What a file may be. Playlists and scripts, which name other files and hosts, are none of these.
_FORMATS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,gif,mpegts,mpeg,mpegvideo,flv,asf,ogg,h264,hevc,ivf,obu,av1,dv,wtv,mxf,nut,"
    "yuv4mpegpipe,apng,jpeg_pipe,png_pipe,bmp_pipe,webp_pipe,webp_anim,aac,mp3,wav,flac,m4v,mjpeg,mjpeg_2000"
)
# Tags that are not UTF-8 spoil nothing: PyAV 19 reads them unasked and has no such option any more.
_TAGS: dict[str, Any] = {} if int(av.__version__.partition(".")[0]) >= 19 else {"metadata_errors": "replace"}


class DecodingError(Exception):
    """A reason out of `handler.video.REASONS`, and what the decoder says."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


@dataclass(slots=True)
class Decoded:
    """indices: one per frame asked for. times: of all frames, seconds. pixels: by index, after the resize rule."""

    indices: tuple[int, ...]
    times: list[float | None]
    pixels: dict[int, Pixels]
    facts: dict[str, Any]


@dataclass(slots=True)
class _Pass:
    """One pass over all frames. difference: sum over pairs of frames of one size of their mean absolute difference."""

    kept: dict[int, VideoFrame] = field(default_factory=dict)
    times: list[float | None] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    end: float | None = None
    difference: float = 0.0
    n_pairs: int = 0


def decode(
    path: str, *, rule: str, n: int, rule_of_size: str, differences: bool, progress: Callable[[], None]
) -> Decoded:
    """Frames by a sampling rule, resized. Raises DecodingError.

    Which frames those are is planned from the packets, and planned anew from the frames when fewer or others decode.
    differences: whether to measure how much successive frames differ.
    """
    times, end = _planned_times(path, progress)
    plan = frame_indices(rule, n, times, end)
    done = _pass(path, plan or (), differences=differences, progress=progress)
    indices = frame_indices(rule, n, done.times, done.end)
    if indices is None:
        raise DecodingError("no_timestamps")
    if not set(indices) <= done.kept.keys():
        again = _pass(path, indices, differences=False, progress=progress)
        if again.times != done.times:
            raise DecodingError("unsteady", f"{len(done.times)} frames, then {len(again.times)}")
        done.kept = again.kept
    facts = facts_of(done.seen, done.times, n_packets=len(times), indices=indices)
    if differences:
        facts["n_frame_pairs"] = done.n_pairs
        facts["frame_difference"] = done.difference / done.n_pairs if done.n_pairs else None
    pixels = {}
    for index in sorted(set(indices)):
        pixels[index] = resize(done.seen.shape.upright(done.kept.pop(index)), rule_of_size)
        progress()
    return Decoded(indices, done.times, pixels, facts)


def _planned_times(path: str, progress: Callable[[], None]) -> tuple[list[float | None], float | None]:
    """Presentation times of all packets, in order, and the end of the last."""
    found: list[tuple[int | None, int]] = []
    with _Opened(path) as (container, stream):
        with suppress(av.FFmpegError):
            for packet in container.demux(stream):
                progress()
                if packet.size:
                    found.append((packet.pts if packet.pts is not None else packet.dts, packet.duration or 0))
        base = float(stream.time_base or 0)
    known = sorted(((pts, duration) for pts, duration in found if pts is not None))
    if len(known) < len(found) or not known:
        return [None] * len(found), None
    return [pts * base for pts, _ in known], (known[-1][0] + known[-1][1]) * base


def _pass(path: str, wanted: tuple[int, ...], *, differences: bool, progress: Callable[[], None]) -> _Pass:
    """Decode every frame, keep the wanted ones."""
    done, keep = _Pass(), set(wanted)
    before: NDArray[np.uint8] | None = None
    with _Opened(path) as (container, stream):
        done.seen.look_at_stream(container, stream)
        for index, frame in enumerate(_frames(container, stream, done.seen)):
            progress()
            _check_size(frame.width, frame.height)
            done.seen.look_at_frame(frame)
            done.times.append(frame.time)
            done.end = None if frame.time is None else frame.time + _duration(frame, stream)
            if index in keep:
                done.kept[index] = frame
            if differences:
                pixels = rgb(frame, frame.width, frame.height)
                if before is not None and before.shape == pixels.shape:
                    done.difference += _mean_difference(before, pixels)
                    done.n_pairs += 1
                before = pixels
    if not done.times:
        raise DecodingError("no_frames")
    return done


def _mean_difference(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    return int((np.maximum(one, other) - np.minimum(one, other)).sum(dtype=np.int64)) / one.size


def _duration(frame: VideoFrame, stream: VideoStream) -> float:
    if frame.duration and frame.time_base:
        return float(frame.duration * frame.time_base)
    return float(1 / stream.average_rate) if stream.average_rate else 0.0


def _frames(container: InputContainer, stream: VideoStream, seen: Seen) -> Iterator[VideoFrame]:
    """All frames that decode, in order of presentation; packets that do not are counted and passed over."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            return
        except av.FFmpegError:  # the file ends in the middle of a packet
            seen.n_failed += 1
            with suppress(av.FFmpegError):
                yield from stream.codec_context.decode(None)
            return
        try:
            frames = packet.decode()
        except av.FFmpegError:
            seen.n_failed += 1
            continue
        yield from (frame for frame in frames if isinstance(frame, VideoFrame))


class _Opened:
    """A context: the container and its first stream of moving pictures, decoded by one thread so that errors repeat."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> tuple[InputContainer, VideoStream]:
        try:
            self._container: InputContainer = av.open(
                f"file:{os.path.abspath(self._path)}",
                format=_picture_format(self._path),
                options={"protocol_whitelist": "file", "format_whitelist": _FORMATS},
                **_TAGS,
            )
        except (av.FFmpegError, ValueError) as error:
            raise DecodingError("not_a_video", getattr(error, "strerror", None) or str(error)) from error
        try:
            return self._container, self._stream()
        except BaseException:
            self._container.close()
            raise

    def __exit__(self, *_: object) -> None:
        self._container.close()

    def _stream(self) -> VideoStream:
        streams = self._container.streams.video
        moving = [one for one in streams if not one.disposition & Disposition.attached_pic]
        if not moving:
            raise DecodingError("no_video", "but for a cover picture" if streams else "")
        stream = moving[0]
        if stream.codec_context is None:
            raise DecodingError("not_a_video", "no decoder for its codec")
        _check_size(stream.codec_context.width, stream.codec_context.height)
        stream.codec_context.thread_count = 1
        return stream


def _picture_format(path: str) -> str | None:
    with open(path, "rb") as file:
        start = file.read(12)
    if start[:4] == b"RIFF" and start[8:] == b"WEBP":
        return "webp_pipe"
    return next((name for first, name in _PICTURES if start.startswith(first)), None)


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise DecodingError("too_large", f"{width}x{height} pixels")

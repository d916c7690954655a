"""Frames of videos and pictures, by a sampling rule and a resize rule."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from handler.errors import RequestError
from handler.samples import DetectedFrame, Detection
from handler.video._detections import Detections, DetectionsKey, Detector, Sampling
from handler.video._errors import VideoError
from handler.video._files import LocalVideo
from handler.video._process import Decoder
from handler.video._resize import UNRESIZED, Pixels, resized_size
from handler.video._sampling import MIDDLE

__all__ = ["Frame", "ReadVideo", "VideoReader"]

STALL_LIMIT = 8.0  # seconds without any progress until a decoder is taken for hung
TIME_LIMIT = 600.0  # seconds for one video
_HINT = "Look at it with ffprobe; make it or download it again"


@dataclass(frozen=True, slots=True)
class Frame:
    """index: 0-based, among the frames that decode. pts: seconds; None when the file has no times.

    pixels: (height, width, 3) RGB after the resize rule, upright; uint8, or float32 in 0..255 (see `resize`).
    """

    index: int
    pts: float | None
    pixels: Pixels


@dataclass(frozen=True, slots=True)
class ReadVideo:
    """Frames of one video.

    frames: the distinct ones, in order; `sampling.indices` says how often each counts. resize: the rule they went through,
    `none` where it changed nothing. size: width and height in pixels after it. reading: what decoding noted (frames asked,
    decoded, substituted; rotation; notes), and `frame_difference` and `n_frame_pairs` where they were asked for.
    """

    video: LocalVideo
    sampling: Sampling
    resize: str
    size: tuple[int, int]
    frames: tuple[Frame, ...]
    reading: dict[str, Any]

    def key(self, detector: str) -> DetectionsKey:
        """Under which key the detections of a detector with this signature are stored."""
        return DetectionsKey(self.video.sha256, self.sampling.rule, self.sampling.n, self.resize, detector)

    def detections(self, detector: Detector, seen: Mapping[int, Sequence[Detection]]) -> Detections:
        """The content of the detections file. seen: by index of a frame, the most certain box first."""
        pts = {frame.index: frame.pts for frame in self.frames}
        return Detections(
            source=self.video.source,
            sha256=self.video.sha256,
            sampling=self.sampling,
            resize=self.resize,
            size=self.size,
            detector=detector,
            frames=tuple(DetectedFrame(index, pts[index], tuple(seen[index])) for index in self.sampling.indices),
            reading=self.reading,
        )


class VideoReader:
    """Reads videos one after the other in one child process, which is replaced after it hung or crashed.

    stall_limit: seconds without progress, time_limit: seconds for one video, after which decoding is given up. A reader is
    for one thread; several read at once. Close it, or use it as a context. Raises RequestError when PyAV is missing.
    """

    def __init__(self, *, stall_limit: float = STALL_LIMIT, time_limit: float = TIME_LIMIT) -> None:
        if importlib.util.find_spec("av") is None:
            raise RequestError(
                "reading videos needs the video extra, which is not installed", hint="pip install 'scenescore[video]'"
            )
        self._decoder = Decoder(stall_limit=stall_limit, time_limit=time_limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child process."""
        self._decoder.close()

    def read(
        self, video: LocalVideo, *, n: int = 16, rule: str = MIDDLE, resize: str = UNRESIZED, differences: bool = False
    ) -> ReadVideo:
        """Frames of a video by a sampling rule (`middle`, `time`, `image`), after a resize rule.

        differences: also measure how much successive frames differ, which converts every frame. Raises VideoError when
        there are no frames to be had, RequestError for an unknown rule.
        """
        resized_size((1, 1), resize)
        request = {"path": video.path, "rule": rule, "n": n, "rule_of_size": resize, "differences": differences}
        answer, pixels = self._decoder.ask(request)
        if "refused" in answer:
            raise RequestError(answer["refused"], field=answer["field"], hint=answer["hint"])
        if "reason" in answer:
            raise VideoError(answer["reason"], file=video.source, detail=answer["detail"], hint=_HINT)
        images = [Frame(one["index"], one["pts"], found) for one, found in zip(answer["images"], pixels, strict=True)]
        height, width = images[0].pixels.shape[:2]
        facts = answer["facts"]
        before = (facts["width"], facts["height"])
        return ReadVideo(
            video=video,
            sampling=Sampling(n, rule, tuple(answer["indices"])),
            resize=UNRESIZED if resized_size(before, resize) == before else resize,
            size=(width, height),
            frames=tuple(images),
            reading=facts,
        )

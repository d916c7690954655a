"""What the VBench metrics on detections share: which videos they read, and what a video without detections is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from handler.errors import RequestError
from handler.metrics._base import BaseMetric, Mode
from handler.metrics.vbench._tally import UNSEEN, VideoTally
from handler.results import MetricResult
from handler.samples import DetectedFrame, Sample, VideoSample
from handler.video import UNRESIZED, VBENCH_FLOAT, VBENCH_UINT8

__all__ = ["DetectionMetric", "Frames", "ProblemError"]

Frames = Sequence[DetectedFrame]
SAMPLING = "middle:16"  # VBench's, which compat stands for
_ON_EMPTY = ("skip", "zero")


class ProblemError(Exception):
    """Why a video has no score: a skip, or with `wrong` a fault of what was asked."""

    def __init__(self, reason: str, *, wrong: bool = False, **details: Any) -> None:
        super().__init__(reason)
        self.details = {("error" if wrong else "skipped"): reason, **details}


class DetectionMetric(BaseMetric):
    """A metric that reads what a detector saw in the sampled frames of a video.

    on_empty: what a video counts as in which there is nothing to score, e.g. nothing was detected in any frame: `skip`
    (left out, and counted by its reason) or `zero`. It is an option of strict; each original has its own rule.
    """

    requires_reference = False
    needs_gpu = True
    sample = VideoSample
    ancestors = ("vbench", "fastvideo")
    options: ClassVar = {"on_empty": "skip or zero: a video with nothing to score is left out, or counts as 0"}
    counted: ClassVar[tuple[str, ...]] = ("n_frames", "n_frames_empty", "n_frames_right")
    reads_captions: ClassVar[bool] = False
    by_frames: ClassVar[bool] = True  # whether VBench's dimension score is that of all frames together

    def __init__(self, *, mode: Mode | str = "strict", on_empty: str = "skip") -> None:
        super().__init__(mode=mode)
        if on_empty not in _ON_EMPTY:
            raise RequestError(f"on_empty is {on_empty!r}", field=f"options.{self.name}.on_empty", hint="skip or zero")
        self.on_empty = on_empty

    @property
    def dimension(self) -> str:
        """VBench's name of what is measured."""
        return self.name.rpartition(".")[2]

    def signature_parts(self) -> dict[str, Any]:
        """What a video with nothing to score counts as."""
        return {} if self.mode.compat else {"on_empty": self.on_empty}

    def tally(self) -> VideoTally:
        """Scores and counts of frames."""
        return VideoTally(counted=self.counted, by_frames=self.mode.tool == "vbench" and self.by_frames)

    def compute(self, sample: Sample) -> MetricResult:
        """Score one video."""
        video = cast("VideoSample", sample)
        try:
            frames = self._frames(video)
            score, details = self._score(video, frames)
            if not self.mode.compat and not any(frame.detections for frame in frames):
                raise ProblemError("no_detections", n_frames=len(frames), n_frames_empty=len(frames))
        except ProblemError as problem:
            return self._without_score(problem.details)
        details = {"n_frames": len(frames), "n_frames_empty": sum(not frame.detections for frame in frames), **details}
        if warnings := self._warnings(video):
            details["warnings"] = warnings
        return MetricResult(self.name, score, details)

    def _score(self, video: VideoSample, frames: Frames) -> tuple[float, dict[str, Any]]:
        """The video's score and what it rests on. Raises ProblemError."""
        raise NotImplementedError

    def _frames(self, video: VideoSample) -> Frames:
        if video.dimensions and self.dimension not in video.dimensions:
            raise ProblemError("other_dimension")
        if video.frames is None:
            raise ProblemError("missing_detections")
        seen = [one for frame in video.frames for one in frame.detections]
        if any(one.object is None for one in seen):
            raise ProblemError("no_object_words")
        if self.reads_captions and any(one.caption is None for one in seen):
            raise ProblemError("no_captions")
        return video.frames

    def _without_score(self, details: dict[str, Any]) -> MetricResult:
        reason = details.get("skipped")
        if reason in UNSEEN and not self.mode.compat and self.on_empty == "zero":
            kept = {name: value for name, value in details.items() if name != "skipped"}
            return MetricResult(self.name, 0.0, {"n_frames_right": 0, **kept, "unseen": reason})
        return MetricResult(self.name, None, details)

    def _reads_prompt(self, video: VideoSample) -> bool:
        """Whether strict takes from the prompt's words what no field of the sample says."""
        return not (video.object or video.objects)

    def _warnings(self, video: VideoSample) -> list[str]:
        """strict: where a prompt's words were read; compat: where the frames are not those that the original looks at."""
        if not self.mode.compat:
            return ["object_from_prompt"] if self._reads_prompt(video) else []
        uint8 = self.reads_captions and self.mode.tool == "vbench"
        rules = (None, UNRESIZED, VBENCH_UINT8 if uint8 else VBENCH_FLOAT)
        found = [] if video.resize in rules else ["resize_rule"]
        return found if video.sampling in (None, SAMPLING) else [*found, "sampling"]

"""`vbench.object_class` and `vbench.multiple_objects`: are the things of the prompt in the frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from handler.metrics._registry import register
from handler.metrics.vbench._base import DetectionMetric, Frames, ProblemError
from handler.metrics.vbench._words import Words, thing, things, words
from handler.samples import DetectedFrame, VideoSample

__all__ = ["VBenchMultipleObjects", "VBenchObjectClass", "frames_with_all"]

_AND = " and "


def frames_with_all(seen: Iterable[Iterable[str]], wanted: Iterable[str]) -> int:
    """VBench's count: frames whose object words hold every wanted one, letter for letter."""
    names = set(wanted)
    return sum(names <= set(words_of) for words_of in seen)


def _object_words(frame: DetectedFrame) -> list[str]:
    return [one.object or "" for one in frame.detections]


def _share(frames: Frames, is_right: Callable[[DetectedFrame], bool], wanted: str) -> tuple[float, dict[str, Any]]:
    wrong = [place for place, frame in enumerate(frames) if not is_right(frame)]
    n_right = len(frames) - len(wrong)
    details = {"object": wanted, "n_frames_right": n_right, **({"wrong_frames": wrong} if wrong else {})}
    return n_right / len(frames), details


@register("vbench.object_class")
class VBenchObjectClass(DetectionMetric):
    """Frames in which a box has the object's class word, per sampled frame; 0..1.

    Words are compared without case and articles. The object is the sample's, else the thing that the prompt begins with. A
    video without any detection has no score. `compat:vbench` compares letter by letter, and scores such a video 0;
    `compat:fastvideo` also skips an object with " and " in it.
    Source: Huang et al., VBench (CVPR 2024), `vbench/object_class.py`; FastVideo's `vbench.object_class`.
    """

    title = "VBench: is the object in the frames"

    def _score(self, video: VideoSample, frames: Frames) -> tuple[float, dict[str, Any]]:
        if self.mode.compat:
            if video.object is None:
                raise ProblemError("missing_object")
            if self.mode.tool == "fastvideo" and _AND in video.object:
                raise ProblemError("several_objects", object=video.object)
            wanted = video.object
            return _share(frames, lambda frame: wanted in _object_words(frame), wanted)
        if len(things(video.object or video.prompt or "")) > 1:
            raise ProblemError("several_objects", object=video.object or video.prompt)
        name = words(video.object) if video.object else thing(video.prompt or "")
        if not name:
            raise ProblemError("missing_object")
        return _share(frames, lambda frame: any(words(one) == name for one in _object_words(frame)), " ".join(name))


@register("vbench.multiple_objects")
class VBenchMultipleObjects(DetectionMetric):
    """Frames in which all the prompt's objects are seen together, per sampled frame; 0..1.

    Two or more objects: the sample's list, else those that its object or prompt lists with commas and `and`. A thing asked
    for twice needs two boxes. A video without any detection has no score. `compat:vbench` takes exactly two, split at
    " and " and compared letter by letter ("dog and dog" is content with one dog), and scores such a video 0; another number
    is an error, as it is there. `compat:fastvideo` skips an object without " and ".
    Source: Huang et al., VBench (CVPR 2024), `vbench/multiple_objects.py`; FastVideo's `vbench.multiple_objects`.
    """

    title = "VBench: are all the objects in the frames together"

    def _score(self, video: VideoSample, frames: Frames) -> tuple[float, dict[str, Any]]:
        if not self.mode.compat:
            wanted = Counter(_wanted(video))
            return _share(frames, lambda frame: _has_all(frame, wanted), " and ".join(map(" ".join, wanted.elements())))
        if video.object is None:
            raise ProblemError("missing_object")
        parts = [part.strip() for part in video.object.split(_AND)]
        if len(parts) == 1 and self.mode.tool == "fastvideo":
            raise ProblemError("one_object", object=video.object)
        if len(parts) != 2:
            raise ProblemError("not_two_objects", wrong=True, object=video.object)
        return _share(frames, lambda frame: frames_with_all([_object_words(frame)], parts) == 1, video.object)


def _wanted(video: VideoSample) -> tuple[Words, ...]:
    found = tuple(map(words, video.objects)) if video.objects else things(video.object or video.prompt or "")
    if not all(found) or not found:
        raise ProblemError("missing_object")
    if len(found) == 1:
        raise ProblemError("one_object", object=" ".join(found[0]))
    return found


def _has_all(frame: DetectedFrame, wanted: Counter[Words]) -> bool:
    return wanted <= Counter(map(words, _object_words(frame)))

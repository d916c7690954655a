"""`vbench.color`: is the object of the prompt in the colour that the prompt asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from handler.metrics._registry import register
from handler.metrics.vbench._base import DetectionMetric, Frames, ProblemError
from handler.metrics.vbench._words import COLOR_WORDS, SYNONYMS, contains, thing_of_color, words
from handler.samples import DetectedFrame, VideoSample

__all__ = ["VBenchColor", "color_frames", "object_of_prompt"]

# In VBench's code, where they are looked for anywhere in a caption, inside words too.
VBENCH_COLORS = (
    "white", "red", "pink", "blue", "silver", "purple", "orange", "green", "gray", "yellow", "black", "grey",
)  # fmt: skip


def object_of_prompt(prompt: str, color: str) -> str:
    """VBench's object of a prompt: what is left when every "a ", "an " and colour is cut out, inside words too."""
    for part in ("a ", "an ", color):
        prompt = prompt.replace(part, "")
    return prompt.strip()


def color_frames(pairs: Iterable[Sequence[tuple[str, str]]], *, color: str, wanted: str) -> tuple[int, int]:
    """VBench's two counts: frames in which the object is seen with a listed colour, and with the wanted one.

    pairs: per frame, (caption, object word). wanted: the object. The second count can exceed the first.
    """
    n_object = n_color = 0
    for frame in pairs:
        captions = [caption for caption, word in frame if word == wanted]
        n_object += any(one in caption for caption in captions for one in VBENCH_COLORS)
        n_color += any(color in caption for caption in captions)
    return n_object, n_color


def _vbench_pairs(frame: DetectedFrame) -> list[tuple[str, str]]:
    """Every caption with the top box's object word, as VBench pairs them."""
    if not frame.detections:
        return [("", "")]
    top = frame.detections[0].object or ""
    return [(one.caption or "", top) for one in frame.detections]


@register("vbench.color")
class VBenchColor(DetectionMetric):
    """Frames in which the object's caption names the prompt's colour, per frame in which it names any colour; 0..1.

    A caption counts when its own box is the object. Colours are whole words; gray is grey, purple is violet, gold is
    golden. The object is the sample's, else the words after the colour in the prompt. A video in which the object is never
    seen, or never with a colour, has no score. Any colour can be asked for.
    `compat:vbench` is VBench's own rule: the object is cut out of the prompt letter by letter, every caption counts for the
    top box's object, colours are found inside words ("red" in "covered"), and a colour outside VBench's twelve can score
    above 1. `compat:fastvideo` scores such a video 0.
    Source: Huang et al., VBench (CVPR 2024), `vbench/color.py`; FastVideo's `vbench.color`.
    """

    title = "VBench: is the object in the colour that the prompt asks for"
    counted = ("n_frames", "n_frames_empty", "n_frames_object", "n_frames_colored", "n_frames_right")
    reads_captions = True
    by_frames = False

    def signature_parts(self) -> dict[str, Any]:
        """The words that are taken for one."""
        same = {} if self.mode.compat else {"synonyms": ",".join(f"{one}={other}" for one, other in SYNONYMS.items())}
        return {**super().signature_parts(), **same}

    def _score(self, video: VideoSample, frames: Frames) -> tuple[float, dict[str, Any]]:
        if video.color is None:
            raise ProblemError("missing_color")
        if self.mode.compat:
            return self._compat(video.prompt or "", video.color, frames)
        return _strict(video, video.color, frames)

    def _compat(self, prompt: str, color: str, frames: Frames) -> tuple[float, dict[str, Any]]:
        wanted = object_of_prompt(prompt, color)
        n_object, n_color = color_frames(map(_vbench_pairs, frames), color=color, wanted=wanted)
        details: dict[str, Any] = {"object": wanted, "n_frames_colored": n_object, "n_frames_right": n_color}
        if n_object:
            return n_color / n_object, details
        if self.mode.tool == "vbench":
            raise ProblemError("object_not_seen", n_frames=len(frames), **details)
        return 0.0, details


def _strict(video: VideoSample, asked: str, frames: Frames) -> tuple[float, dict[str, Any]]:
    color = words(asked)
    if not color:
        raise ProblemError("missing_color")
    wanted = words(video.object) if video.object else thing_of_color(video.prompt or "", color)
    if not wanted:
        raise ProblemError("object_unclear", prompt=video.prompt)
    captions = [
        [words(one.caption or "") for one in frame.detections if words(one.object or "") == wanted] for frame in frames
    ]
    right = [any(contains(said, color) for said in frame) for frame in captions]
    colored = [
        is_right or any(not COLOR_WORDS.isdisjoint(said) for said in frame)
        for frame, is_right in zip(captions, right, strict=True)
    ]
    details: dict[str, Any] = {
        "object": " ".join(wanted),
        "n_frames_object": sum(map(bool, captions)),
        "n_frames_colored": sum(colored),
        "n_frames_right": sum(right),
    }
    if not any(colored):
        n_empty = sum(not frame.detections for frame in frames)
        unseen = "no_detections" if n_empty == len(frames) else "object_not_seen"
        reason = "no_color_named" if any(captions) else unseen
        raise ProblemError(reason, n_frames=len(frames), n_frames_empty=n_empty, **details)
    wrong = [place for place in range(len(frames)) if colored[place] and not right[place]]
    return sum(right) / sum(colored), {**details, **({"wrong_frames": wrong} if wrong else {})}

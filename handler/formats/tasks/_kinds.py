"""The tasks: what each is called in formats, samples and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from handler.formats.tasks._layout import Role, Task
from handler.samples import (
    BenchSample,
    CaptionSample,
    JudgedSample,
    RankingSample,
    Sample,
    SequenceSample,
    SpeechSample,
    VideoSample,
    VqaSample,
    YesNoSample,
)

__all__ = ["HOLDS", "KINDS", "TASK_FORMATS", "Kind"]


class Kind(NamedTuple):
    """formats: names for --format. holds: what its records are, in words; noun: one of them; unit: what it is about.
    needs: the file that answers are compared with, where they do not bring it along."""

    formats: tuple[str, ...]
    sample: type[Sample]
    holds: str
    noun: str = "answer"
    unit: str = "question"
    needs: Role = "questions"


KINDS: Mapping[Task, Kind] = {
    "yesno": Kind(("pope", "llava", "lmms-eval"), YesNoSample, "answers to yes/no questions"),
    "vlm2bench": Kind(("vlm2bench",), BenchSample, "VLM2-Bench answers"),
    "sequences": Kind(("sequences",), SequenceSample, "answers about image sequences"),
    "vqa": Kind(("vqa",), VqaSample, "answers to questions about pictures", needs="references"),
    "captions": Kind(("coco-captions",), CaptionSample, "captions of pictures", "caption", "picture", "references"),
    "speech": Kind(("speech",), SpeechSample, "transcripts of speech", "utterance", "utterance", "references"),
    "retrieval": Kind(("trec", "rankings"), RankingSample, "rankings", "query", "query", "references"),
    "judge": Kind(("judge", "label-studio"), JudgedSample, "grades of a judge and of people", "item"),
    "videos": Kind(("videos",), VideoSample, "videos and what their prompts ask for", "video", "prompt"),
}
TASK_FORMATS: Mapping[str, Task] = {name: task for task, kind in KINDS.items() for name in kind.formats}
HOLDS: Mapping[type[Sample], str] = {Sample: "descriptions", **{kind.sample: kind.holds for kind in KINDS.values()}}
"""What an input of such samples holds, in words."""

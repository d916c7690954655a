"""The records that flow in: what a reader yields and a metric reads.

A *sample* is one scored item. A frame description is the sample of the vision metrics.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

__all__ = [
    "UNKNOWN_ASSISTANT",
    "BenchSample",
    "CaptionSample",
    "DetectedFrame",
    "Detection",
    "EmptySession",
    "Grade",
    "JudgedSample",
    "RankingSample",
    "Record",
    "Sample",
    "SequenceSample",
    "SpeechSample",
    "Unreadable",
    "VideoSample",
    "VqaSample",
    "YesNoSample",
    "is_blank",
]

UNKNOWN_ASSISTANT = "unknown"  # the id where the input names none

_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  # Unicode categories of characters that show nothing


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: empty, or only spaces, controls and zero-width characters."""
    return not text or text.isspace() or all(unicodedata.category(c) in _INVISIBLE for c in text)


_NOTHING: Mapping[str, Any] = {}


@dataclass(slots=True)
class Sample:
    """One description of one frame, with what a person (or several) saw.

    index: 0-based position among the samples of the input; the order of rows.
    session_id, assistant_id, sample_id: always strings; the format fills in defaults (file stem, "unknown", line number).
    answer: what the model said; None when the field is missing or null and the caller asked to skip such samples.
    references: what people said about the same frame; () when missing and the caller asked to skip.
    language: as the file declares it, or None.
    tags: values that summaries can be grouped by. columns: pass-through values, kept in the rows.
    line: 1-based line in the file where the sample starts, when the format has lines.
    are_texts: whether answer and references are what was written, or only words for it, which no metric of texts reads.
    """

    are_texts: ClassVar[bool] = True
    index: int
    session_id: str
    assistant_id: str
    sample_id: str
    answer: str | None
    references: tuple[str, ...]
    language: str | None = None
    tags: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    columns: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    line: int | None = None


@dataclass(slots=True)
class YesNoSample(Sample):
    """One answer to one yes/no question; `references` holds the label, () when the answer has no question.

    session_id: the split. question: its text, where the file has it.
    """

    question: str | None = None


@dataclass(slots=True)
class VqaSample(Sample):
    """One answer to one question about a picture; `references` holds what people answered, in the file's order.

    record_keys: per reference, what else its record says (its answer_id). VQA's own tool drops twins by it.
    """

    question: str | None = None
    question_type: str | None = None
    answer_type: str | None = None
    record_keys: tuple[str, ...] = ()


@dataclass(slots=True)
class SequenceSample(Sample):
    """The answers about one image sequence: `answer` and `references` are those of the coarse question.

    coarse_type: count, mcq, tf or text. fine_answers: in order, None where missing. fine_labels: yes or no.
    session_id: the task.
    """

    coarse_type: str = "text"
    fine_answers: tuple[str | None, ...] = ()
    fine_labels: tuple[str, ...] = ()


@dataclass(slots=True)
class BenchSample(Sample):
    """One answer of a VLM2-Bench file, with what its own scripts look at.

    kind: matching (GC), comparison (OC and PC), counting or grouping. pair, half: which pair of questions it belongs to,
    and which half of it (p or n). n_images: length of the image sequence; None when nothing says it.
    """

    kind: str = "grouping"
    pair: str | None = None
    half: str | None = None
    n_images: int | None = None


@dataclass(frozen=True, slots=True)
class Detection:
    """One thing that a detector saw in a frame.

    box: x0, y0, x1, y1 in pixels of the image that the detector was given. Scores: 0..1. caption: a dense caption.
    object: the class word. What a detector does not say is None.
    """

    box: tuple[float, float, float, float]
    box_score: float
    caption: str | None = None
    caption_score: float | None = None
    object: str | None = None
    object_score: float | None = None


@dataclass(frozen=True, slots=True)
class DetectedFrame:
    """What a detector saw in one sampled frame, the most certain box first.

    index: 0-based position among the frames that decode. pts: presentation time in seconds; None for a still image.
    """

    index: int
    pts: float | None
    detections: tuple[Detection, ...] = ()


@dataclass(slots=True)
class VideoSample(Sample):
    """One generated video, with what its prompt asked for and what a detector saw; it has no answer and no references.

    assistant_id: the generator. sample_id: the video. dimensions: VBench's names of what the prompt tests, () when nothing
    says so. color, object, object_a, object_b, relationship: of the prompt, None where only its words say it; objects: when
    there are several. frames: one per sampled frame, None when no detector ran. sampling: rule and number, `middle:16`;
    resize: the rule frames went through. frame_difference: mean absolute difference of successive frames, 0..255, over
    n_frame_pairs of all decoded frames; None when it was not measured. video: where it is, a path or s3:// uri. problem:
    why nothing is known of it although somebody looked, e.g. `not_a_video`.
    """

    are_texts: ClassVar[bool] = False
    prompt: str | None = None
    dimensions: tuple[str, ...] = ()
    color: str | None = None
    object: str | None = None
    objects: tuple[str, ...] = ()
    object_a: str | None = None
    object_b: str | None = None
    relationship: str | None = None
    frames: tuple[DetectedFrame, ...] | None = None
    sampling: str | None = None
    resize: str | None = None
    frame_difference: float | None = None
    n_frame_pairs: int | None = None
    video: str | None = None
    problem: str | None = None


@dataclass(slots=True)
class CaptionSample(Sample):
    """One caption of one picture; `references` are people's captions of it, () when nothing is known about the picture.

    sample_id: the picture's id. image: where the picture is, a path or s3:// uri; None when nothing says it.
    """

    image: str | None = None


@dataclass(slots=True)
class SpeechSample(Sample):
    """One transcript by a model (`answer`), and what was said (`references`). sample_id: of the utterance."""


@dataclass(slots=True)
class RankingSample(Sample):
    """What one query retrieved, and what is relevant to it.

    sample_id: the query's id. ranked: document ids in the file's order. scores: one per document, higher is better; ()
    where the file gives a ranked list, whose order then counts. relevant: {document id: grade}, relevant from 1 on; a
    document that is not in it was not judged. answer: the first ids in words, None when the query was not run.
    references: the relevant ids.
    """

    are_texts: ClassVar[bool] = False
    ranked: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    relevant: Mapping[str, int] = field(default_factory=lambda: _NOTHING)


Grade = float | str
"""A number on a scale, or a label."""


@dataclass(slots=True)
class JudgedSample(Sample):
    """One item graded by an LLM judge and by people. session_id: the criterion.

    answer, references: the grades in words. grade: the judge's; None when missing. people: one per rater, in the file's
    order of raters; None where a rater gave none. swapped: the judge's grade when it saw the two answers in the other
    order, mapped back; None when there is none. lengths: characters of what was graded: (n,) of an answer, (n1, n2) of
    a pair, () when not known. judge: the judge's name where the file says it.
    """

    are_texts: ClassVar[bool] = False
    grade: Grade | None = None
    people: tuple[Grade | None, ...] = ()
    swapped: Grade | None = None
    lengths: tuple[float, ...] = ()
    judge: str | None = None


@dataclass(slots=True)
class Unreadable:
    """One item that could not become a sample: a row of errors.jsonl.

    line, column: 1-based place in the file (None where the format has none). field: the field's path, e.g.
    `conversation[2].ground_truth_assistant`. reason: one sentence naming session and sample where known.
    """

    line: int | None
    column: int | None
    field: str | None
    reason: str


@dataclass(slots=True)
class EmptySession:
    """A session that the file names and that holds no samples: it is reported with 0 samples, never divided by."""

    session_id: str
    assistant_id: str


Record = Sample | Unreadable | EmptySession

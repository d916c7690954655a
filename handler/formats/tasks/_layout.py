"""What a file of a task is: the shape that its objects show."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["ANSWER_KEYS", "LISTS", "Layout", "Role", "Task"]

Role = Literal["answers", "questions", "references"]
Task = Literal["yesno", "vqa", "sequences", "vlm2bench", "captions", "speech", "retrieval", "judge", "videos"]

ANSWER_KEYS = (
    "answer", "response", "prediction", "predicted", "predicted_answer", "output", "model_answer", "model_output",
    "pred", "text",
)  # fmt: skip
"""Where an answer may be, the likeliest first; `text` is the question in POPE's files and the answer in LLaVA's."""

LISTS = ("annotations", "questions", "logs")
"""Keys of a document under which its records are: VQA's, COCO's, and those of lmms-eval's older files."""


class Layout(NamedTuple):
    """name: as in --format. task: what it is for; None for bare answers, which need the file they belong to. whole: it
    needs no other file."""

    name: str
    role: Role
    task: Task | None
    reason: str
    whole: bool = False

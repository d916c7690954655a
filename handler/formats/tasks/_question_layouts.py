"""The layouts of answers to questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.formats.tasks._layout import ANSWER_KEYS, Layout, Task

__all__ = ["bare_layout", "is_yes_or_no", "question_layout"]


def is_yes_or_no(value: Any) -> bool:
    """Whether a label is yes or no."""
    return isinstance(value, str) and value.strip().casefold() in ("yes", "no")


def question_layout(item: Mapping[str, Any]) -> Layout | None:
    """The layout of an object that is a question, or an answer that says what it belongs to."""
    if isinstance(item.get("doc"), Mapping) and ("filtered_resps" in item or "resps" in item):
        return _lmms(item)
    if "sequence_id" in item and "coarse" in item:
        if isinstance(item["coarse"], Mapping):
            return Layout("sequences", "questions", "sequences", "sequences with a coarse question and fine ones")
        return Layout("sequences", "answers", "sequences", "answers with sequence_id, coarse and fine")
    if "q_id" in item and "model_answer" in item:
        return Layout("vlm2bench", "answers", "vlm2bench", "objects with q_id, model_answer and gt_answer", whole=True)
    if "q_id" in item and ("gt_answer" in item or "image_seq_len" in item):
        return Layout("vlm2bench", "questions", "vlm2bench", "questions with q_id and gt_answer")
    if is_yes_or_no(item.get("label")):
        if any(key in item for key in ANSWER_KEYS[:-1]):
            return Layout("pope", "answers", "yesno", "answers beside labels that are yes or no", whole=True)
        if "text" in item or "question" in item:
            return Layout("pope", "questions", "yesno", "questions with labels that are yes or no")
    return _vqa(item)


def _lmms(item: Mapping[str, Any]) -> Layout:
    doc = item["doc"]
    label = doc.get("answer", item.get("target"))
    task: Task = "yesno" if is_yes_or_no(label) and "answers" not in doc else "vqa"
    return Layout("lmms-eval", "answers", task, "lmms-eval samples: doc, target and filtered_resps", whole=True)


def _vqa(item: Mapping[str, Any]) -> Layout | None:
    people = item.get("answers")
    if not isinstance(people, list) or not people or not isinstance(people[0], Mapping) or "answer" not in people[0]:
        return None
    if any(key in item for key in ANSWER_KEYS):
        return Layout("vqa", "answers", "vqa", "an answer beside those of several people", whole=True)
    return Layout("vqa", "references", "vqa", "VQA annotations: what several people answered")


def bare_layout(item: Mapping[str, Any]) -> Layout | None:
    """The layout of an answer without its question. A description may look so: what counts then is whether there is a
    file to join it with."""
    if "question_id" in item and "text" in item and ("answer_id" in item or "model_id" in item or "prompt" in item):
        return Layout("llava", "answers", None, "LLaVA answers: question_id, prompt and text")
    if set(item) == {"question_id", "answer"}:
        return Layout("vqa", "answers", None, "VQA results: question_id and answer")
    if any(key in item for key in ANSWER_KEYS[:-1]):
        return Layout("pope", "answers", None, "answers, one an object")
    return None

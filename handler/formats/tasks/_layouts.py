"""What a file of questions or answers is, told by its first objects."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

__all__ = ["ANSWER_KEYS", "LISTS", "Layout", "Role", "Task", "is_yes_or_no", "layout_of", "layout_of_text"]

Role = Literal["answers", "questions", "references"]
Task = Literal["yesno", "vqa", "sequences", "vlm2bench"]

ANSWER_KEYS = (
    "answer", "response", "prediction", "predicted", "predicted_answer", "output", "model_answer", "model_output",
    "pred", "text",
)  # fmt: skip
"""Where an answer may be, the likeliest first; `text` is the question in POPE's files and the answer in LLaVA's."""

LISTS = ("annotations", "questions", "logs")
"""Keys of a document under which its records are: VQA's, and lmms-eval's older files."""

_parse = json.JSONDecoder().raw_decode
_LIST = re.compile(r'"(annotations|questions|logs)"\s*:\s*\[\s*(?=\{)')
_NEXT = re.compile(r"[\s,]*(?=\{)")
_MOST_OBJECTS = 20  # that are looked at: one odd entry, the first even, does not speak for the others


class Layout(NamedTuple):
    """name: as in --format. task: what it is for; None for bare answers, which need the file they belong to. whole: it
    needs no other file."""

    name: str
    role: Role
    task: Task | None
    reason: str
    whole: bool = False


def is_yes_or_no(value: Any) -> bool:
    """Whether a label is yes or no."""
    return isinstance(value, str) and value.strip().casefold() in ("yes", "no")


def layout_of(item: Any) -> Layout | None:
    """The layout that an object shows, None for what is no part of a question file. A description may look like a bare
    answer: what counts then is whether there is a file to join it with."""
    if not isinstance(item, Mapping):
        return None
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
    return _vqa(item) or _bare(item)


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


def _bare(item: Mapping[str, Any]) -> Layout | None:
    if "question_id" in item and "text" in item and ("answer_id" in item or "model_id" in item or "prompt" in item):
        return Layout("llava", "answers", None, "LLaVA answers: question_id, prompt and text")
    if set(item) == {"question_id", "answer"}:
        return Layout("vqa", "answers", None, "VQA results: question_id and answer")
    if any(key in item for key in ANSWER_KEYS[:-1]):
        return Layout("pope", "answers", None, "answers, one an object")
    return None


def layout_of_text(text: str) -> Layout | None:
    """The layout of a file by the first part of its text; documents are told by the list that they hold."""
    start = text.lstrip()
    if start.startswith("{") and (found := _LIST.search(start)) and "\n{" not in start[: found.start()]:
        items = list(_objects(start, found.end()))
        if found[1] != "questions":
            return _usual(items)
        if any(isinstance(item, Mapping) and "question_id" in item and "question" in item for item in items):
            return Layout("vqa", "questions", "vqa", "VQA questions")
    if not start.startswith(("{", "[")):
        return None
    if start.startswith("["):
        return _usual(list(_objects(start, start.find("{")))) if "{" in start else None
    lines = start.split("\n", _MOST_OBJECTS)[:_MOST_OBJECTS]
    objects = [_first(line, line.find("{")) for line in lines if line.lstrip().startswith("{")]
    return _usual([item for item in objects if item is not None] or list(_objects(start, 0)))


def _usual(items: Sequence[Any]) -> Layout | None:
    """What most objects show; where as many show nothing or bare answers, what the others do."""
    layouts = Counter(layout_of(item) for item in items)
    return max(layouts, key=lambda one: (layouts[one], one is not None, bool(one and one.task)), default=None)


def _objects(text: str, pos: int) -> Iterator[Any]:
    """The first objects from a place on, whether commas or blanks stand between them."""
    for _ in range(_MOST_OBJECTS):
        try:
            item, pos = _parse(text, pos)
        except (ValueError, RecursionError):
            return
        yield item
        following = _NEXT.match(text, pos)
        if following is None:
            return
        pos = following.end()


def _first(text: str, pos: int) -> Any:
    try:
        return _parse(text, pos)[0]
    except (ValueError, RecursionError):
        return None

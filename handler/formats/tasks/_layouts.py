"""What a file of a task is, told by its first objects."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.formats._table import sample_rows
from handler.formats.tasks._forms import form_of, trec_row
from handler.formats.tasks._layout import LISTS, Layout
from handler.formats.tasks._question_layouts import bare_layout, question_layout
from handler.formats.tasks._score_layouts import judge_layout, score_layout, video_layout

__all__ = ["layout_of", "layout_of_text"]

_parse = json.JSONDecoder().raw_decode
_LIST = re.compile(rf'"({"|".join(LISTS)})"\s*:\s*\[\s*(?=\{{)')
_NEXT = re.compile(r"[\s,]*(?=\{)")
_STRING = r'"(?:[^"\\]|\\.)*"\s*'
_RANKINGS = re.compile(rf"\{{\s*{_STRING}:\s*(?:\{{\s*{_STRING}:\s*-?\d|\[\s*{_STRING}[,\]])")
_KEY = re.compile(rf"[\s,]*({_STRING}):\s*")
_MOST_OBJECTS = 20  # that are looked at: one odd entry, the first even, does not speak for the others


def layout_of(item: Any) -> Layout | None:
    """The layout that an object shows, None for what is part of no task: a description."""
    if not isinstance(item, Mapping):
        return None
    return video_layout(item) or judge_layout(item) or question_layout(item) or score_layout(item) or bare_layout(item)


def layout_of_text(text: str) -> Layout | None:
    """The layout of a file by the first part of its text; documents are told by the list that they hold."""
    start = text.lstrip()
    if not start.strip("[] \t\r\n") and start:
        return Layout("pope", "answers", None, "an empty list")
    form = form_of(start)
    if form in ("run", "qrels"):
        return layout_of(trec_row(start.split("\n", 1)[0], form))
    if form == "table":
        return _usual(sample_rows(start))
    if start.startswith("{") and (found := _LIST.search(start)) and "\n{" not in start[: found.start()]:
        items = list(_objects(start, found.end()))
        if found[1] == "annotations":
            return _as_references(_usual(items))
        if found[1] != "questions":
            return _usual(items)
        if any(isinstance(item, Mapping) and "question_id" in item and "question" in item for item in items):
            return Layout("vqa", "questions", "vqa", "VQA questions")
    if start.startswith("["):
        return _usual(list(_objects(start, start.find("{")))) if "{" in start else None
    lines = start.split("\n", _MOST_OBJECTS)[:_MOST_OBJECTS]
    objects = [_first(line, line.find("{")) for line in lines if line.lstrip().startswith("{")]
    items = [item for item in objects if item is not None] or list(_objects(start, 0))
    if not items and (cut := _cut_object(start)) and (layout := layout_of(cut)):
        is_record = not layout.reason.startswith("a JSON object of rankings")
        return layout._replace(whole=layout.whole or is_record)  # what else a record holds is not seen
    if not items and _RANKINGS.match(start):  # one object, longer than what is looked at
        return Layout("rankings", "answers", "retrieval", "a JSON object of rankings by query")
    return _usual(items)


def _as_references(layout: Layout | None) -> Layout | None:
    """A document's `annotations` are what people said."""
    if layout is not None and layout.task == "captions" and layout.role == "answers":
        return Layout("coco-captions", "references", "captions", "COCO annotations: people's captions")
    return layout


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


def _cut_object(text: str) -> dict[str, Any]:
    """The keys of an object that is longer than what is looked at, as far as they go; the cut value is an empty one."""
    found: dict[str, Any] = {}
    at = _KEY.match(text, 1) if text.startswith("{") else None
    while at is not None:
        try:
            key = json.loads(at[1])
        except ValueError:  # a control character, which the file's reader will name
            break
        try:
            found[key], end = _parse(text, at.end())
        except (ValueError, RecursionError):
            found[key] = {"[": [""], "{": {}}.get(text[at.end() : at.end() + 1], "")
            break
        at = _KEY.match(text, end)
    return found


def _first(text: str, pos: int) -> Any:
    try:
        return _parse(text, pos)[0]
    except (ValueError, RecursionError):
        return None

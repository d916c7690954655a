"""The records of a plan: items in, samples out."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from handler.formats._contract import Notices, ReadOptions
from handler.formats._opening import open_source
from handler.formats.tasks._context import Context
from handler.formats.tasks._plan import VIDEO_FILES, Plan
from handler.formats.tasks._stream import Item, items_of
from handler.formats.tasks._video_names import item_of_video
from handler.samples import Record

__all__ = ["read_items", "read_plan"]

_READERS = {  # of a task, the module and its function; imported when such a file is read
    "yesno": "_yesno.yes_no_records",
    "vqa": "_vqa.vqa_records",
    "captions": "_captions.caption_records",
    "retrieval": "_rankings.ranking_records",
    "judge": "_judges.judge_records",
    "sequences": "_sequences.sequence_records",
    "vlm2bench": "_vlm2bench.bench_records",
    "speech": "_speech.speech_records",
    "videos": "_videos.video_records",
}
_LMMS = "_lmms.lmms_records"
_STEM = "data"


def read_plan(
    plan: Plan, files: Sequence[tuple[str, str | None]], options: ReadOptions, notices: Notices
) -> Iterator[Record]:
    """The records of several files as if they were one. files: (location, etag); another location than the plan's
    answers is passed over, since roles were swapped."""
    etags = dict(files)
    if plan.layout == VIDEO_FILES:
        yield from _records(plan, map(item_of_video, plan.answers), options, notices)
        return
    items = (item for location in plan.answers for item in _items_at(location, etags.get(location), options, notices))
    yield from _records(plan, items, options, notices)


def read_items(plan: Plan, values: Iterable[Any], options: ReadOptions, notices: Notices) -> Iterator[Record]:
    """The same for objects in memory."""
    yield from _records(plan, (Item(value, None, None, _STEM) for value in values), options, notices)


def _items_at(location: str, etag: str | None, options: ReadOptions, notices: Notices) -> Iterator[Item]:
    with open_source(location, options, etag) as source:
        yield from items_of(source, notices)


def _records(plan: Plan, items: Iterator[Item], options: ReadOptions, notices: Notices) -> Iterator[Record]:
    home, _, name = (_LMMS if plan.layout.name == "lmms-eval" else _READERS[plan.task]).partition(".")
    read: Callable[[Iterator[Item], Context], Iterator[Record]]
    read = getattr(importlib.import_module(f"handler.formats.tasks.{home}"), name)
    yield from read(items, Context(plan, options, notices))

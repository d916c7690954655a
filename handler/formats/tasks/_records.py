"""The records of a plan: items in, samples out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from handler.formats._contract import Notices, ReadOptions
from handler.formats._opening import open_source
from handler.formats.tasks._captions import caption_records
from handler.formats.tasks._context import Context
from handler.formats.tasks._judges import judge_records
from handler.formats.tasks._lmms import lmms_records
from handler.formats.tasks._plan import Plan
from handler.formats.tasks._rankings import ranking_records
from handler.formats.tasks._sequences import sequence_records
from handler.formats.tasks._speech import speech_records
from handler.formats.tasks._stream import Item, items_of
from handler.formats.tasks._vlm2bench import bench_records
from handler.formats.tasks._vqa import vqa_records
from handler.formats.tasks._yesno import yes_no_records
from handler.samples import Record

__all__ = ["read_items", "read_plan"]

_READERS: dict[str, Callable[[Iterator[Item], Context], Iterator[Record]]] = {
    "yesno": yes_no_records,
    "vqa": vqa_records,
    "captions": caption_records,
    "retrieval": ranking_records,
    "judge": judge_records,
    "sequences": sequence_records,
    "vlm2bench": bench_records,
    "speech": speech_records,
}
_STEM = "data"


def read_plan(
    plan: Plan, files: Sequence[tuple[str, str | None]], options: ReadOptions, notices: Notices
) -> Iterator[Record]:
    """The records of several files as if they were one. files: (location, etag); another location than the plan's
    answers is passed over, since roles were swapped."""
    etags = dict(files)
    items = (item for location in plan.answers for item in _items_at(location, etags.get(location), options, notices))
    yield from _records(plan, items, options, notices)


def read_items(plan: Plan, values: Iterable[Any], options: ReadOptions, notices: Notices) -> Iterator[Record]:
    """The same for objects in memory."""
    yield from _records(plan, (Item(value, None, None, _STEM) for value in values), options, notices)


def _items_at(location: str, etag: str | None, options: ReadOptions, notices: Notices) -> Iterator[Item]:
    with open_source(location, options, etag) as source:
        yield from items_of(source, notices)


def _records(plan: Plan, items: Iterator[Item], options: ReadOptions, notices: Notices) -> Iterator[Record]:
    read = lmms_records if plan.layout.name == "lmms-eval" else _READERS[plan.task]
    yield from read(items, Context(plan, options, notices))

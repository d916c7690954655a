"""VLM2-Bench's answer files, each line with the question's id, the answer wanted and the answer given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from handler.formats._values import FieldError, as_id, describe, is_missing
from handler.formats.tasks._answers import text_at
from handler.formats.tasks._context import Context
from handler.formats.tasks._stream import Item
from handler.samples import UNKNOWN_ASSISTANT, BenchSample, Record

__all__ = ["bench_records"]

_MOST_DIGITS = 15
_HALF = re.compile(r"(?:tf_)?(.+)_([pn])")  # PC prefixes its comparison questions with tf_


class _Length(NamedTuple):
    id: str | None
    n_images: int | None


def bench_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """Samples in file order. A questions file gives the length of each image sequence."""
    location = context.plan.questions
    lengths = {one.id: one.n_images for one in context.entries(location, _length, unique=False)} if location else {}
    kinds: dict[str, str] = {}
    yield from context.each(items, lambda value, item, index: _sample(value, item, index, lengths, kinds))


def _length(value: Mapping[str, Any], stem: str) -> _Length:
    return _Length(as_id(value.get("q_id"), "q_id"), _n_images(value))


def _n_images(value: Mapping[str, Any]) -> int | None:
    n, images = value.get("image_seq_len"), value.get("image_seq")
    if isinstance(n, int) and not isinstance(n, bool) and n > 0:
        return n
    return len(images) if isinstance(images, list) and images else None


def _sample(
    value: Mapping[str, Any], item: Item, index: int, lengths: Mapping[str | None, int | None], kinds: dict[str, str]
) -> BenchSample:
    question_id = as_id(value.get("q_id"), "q_id")
    if question_id is None:
        raise FieldError("q_id", "is missing")
    wanted, given = value.get("gt_answer"), value.get("model_answer")
    if not is_missing(wanted) and (isinstance(wanted, bool) or not isinstance(wanted, (str, int))):
        raise FieldError("gt_answer", f"is {describe(wanted)}, not text or a whole number")
    if not is_missing(given) and not isinstance(given, (str, int)):
        raise FieldError("model_answer", f"is {describe(given)}, not text")
    kind, pair, half = _kind(question_id, wanted, kinds.get(item.stem))
    kinds.setdefault(item.stem, kind)
    columns = {"question": text_at(value, "question"), "type": text_at(value, "type")}
    return BenchSample(
        index=index,
        session_id=item.stem,
        assistant_id=as_id(value.get("model_id"), "model_id") or UNKNOWN_ASSISTANT,
        sample_id=question_id if half is None or kind == "comparison" else f"{question_id}/{half}",
        answer=None if is_missing(given) else str(given),
        references=() if is_missing(wanted) else (str(wanted),),
        columns={name: text for name, text in columns.items() if text is not None},
        line=item.line,
        kind=kind,
        pair=pair,
        half=half,
        n_images=lengths.get(question_id) or _n_images(value),
    )


def _kind(question_id: str, wanted: Any, usual: str | None) -> tuple[str, str | None, str | None]:
    """The kind of question, its pair and its half. usual: the kind of the file so far, for what does not show its own."""
    match = _HALF.fullmatch(question_id)
    if isinstance(wanted, int) or (isinstance(wanted, str) and wanted.strip().isdecimal()):
        if len(wanted.strip()) > _MOST_DIGITS if isinstance(wanted, str) else abs(wanted) >= 10**_MOST_DIGITS:
            raise FieldError("gt_answer", f"is a number of more than {_MOST_DIGITS} digits, which is no count")
        return "counting", None, None
    label = wanted.strip().upper() if isinstance(wanted, str) else ""
    if label in ("T", "F"):
        if match:
            return "comparison", match[1], match[2]
        return "matching", question_id, "p" if label == "T" else "n"
    return (usual or "grouping") if is_missing(wanted) else "grouping", None, None

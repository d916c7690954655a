"""lmms-eval's samples files: each line holds the document, the target and what the model answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handler.formats._values import FieldError, as_id, describe
from handler.formats.tasks._answers import text_at
from handler.formats.tasks._context import Context
from handler.formats.tasks._stream import Item
from handler.formats.tasks._vqa import people_of
from handler.samples import UNKNOWN_ASSISTANT, Record, VqaSample, YesNoSample

__all__ = ["lmms_records"]


def lmms_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """Yes/no samples for POPE's task, VQA samples for the others. The session is the document's category or the file."""
    make = _yes_no if context.plan.task == "yesno" else _vqa
    yield from context.each(items, make)


def _yes_no(value: Mapping[str, Any], item: Item, index: int) -> YesNoSample:
    doc = _doc(value)
    label = text_at(doc, "answer", "label") or text_at(value, "target")
    return YesNoSample(
        **_common(value, doc, item, index),
        references=(label,) if label else (),
        question=text_at(doc, "question", "text"),
    )


def _vqa(value: Mapping[str, Any], item: Item, index: int) -> VqaSample:
    doc = _doc(value)
    people, keys = people_of(doc.get("answers"))
    target = text_at(doc, "answer") or text_at(value, "target")
    return VqaSample(
        **_common(value, doc, item, index),
        references=people or ((target,) if target is not None else ()),
        question=text_at(doc, "question", "text"),
        question_type=text_at(doc, "question_type"),
        answer_type=text_at(doc, "answer_type"),
        record_keys=keys,
    )


def _common(value: Mapping[str, Any], doc: Mapping[str, Any], item: Item, index: int) -> dict[str, Any]:
    own = as_id(doc.get("question_id", value.get("doc_id")), "question_id")
    return {
        "index": index,
        "session_id": as_id(doc.get("category"), "doc.category") or item.stem,
        "assistant_id": UNKNOWN_ASSISTANT,
        "sample_id": own or str(index + 1),
        "answer": _answer(value),
        "line": item.line,
    }


def _answer(value: Mapping[str, Any]) -> str | None:
    """The filtered response, else the raw one; both may be nested in lists."""
    for name in ("filtered_resps", "resps"):
        found = value.get(name)
        while isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, str):
            return found
    return None


def _doc(value: Mapping[str, Any]) -> Mapping[str, Any]:
    doc = value.get("doc")
    if not isinstance(doc, Mapping):
        raise FieldError("doc", f"is {describe(doc)}, not an object")
    return doc

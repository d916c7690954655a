"""VQA v2: results joined with annotations, and with questions for their texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from handler.formats._values import FieldError, checked_text, describe
from handler.formats.tasks._answers import Answer, text_at
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import Join
from handler.formats.tasks._stream import Item
from handler.samples import UNKNOWN_ASSISTANT, Record, Sample, VqaSample

__all__ = ["people_of", "vqa_records"]


class _Annotation(NamedTuple):
    id: str | None
    answers: tuple[str, ...]
    keys: tuple[str, ...]
    question_type: str | None
    answer_type: str | None
    stem: str


class _Text(NamedTuple):
    id: str | None
    text: str | None


def vqa_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """Joined with the annotations where there are some; else each item holds the answers of people itself."""
    plan = context.plan
    if plan.references is None:
        yield from context.each(items, lambda value, item, index: _whole(context, value, item, index))
        return
    annotations = context.entries(plan.references, lambda value, stem: _annotation(context, value, stem))
    texts = []
    if plan.questions:  # for display alone, so a text that comes twice does no harm
        texts = context.entries(plan.questions, lambda value, _: _text(context, value), unique=False)
    questions = {one.id: one.text for one in texts}

    def make(place: int, found: _Annotation | None, answer: Answer | None, item: Item | None) -> Sample:
        return _sample(place, found, answer, item, questions, annotations[0].stem)

    yield from context.joined(items, Join(annotations, by_line=False), context.names.read, make)


def people_of(value: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What people answered, and per answer what else its record says: twins are told apart by it."""
    if value is None:
        return (), ()
    if not isinstance(value, list):
        raise FieldError("answers", f"is {describe(value)}, not a list")
    answers, keys = [], []
    for number, one in enumerate(value):
        text = one.get("answer") if isinstance(one, Mapping) else one
        if not isinstance(text, str):
            raise FieldError(f"answers[{number}]", f"is {describe(text)}, not text")
        rest = {name: entry for name, entry in one.items() if name != "answer"} if isinstance(one, Mapping) else {}
        answers.append(sys.intern(checked_text(text, "answers")))
        keys.append(sys.intern(json.dumps(rest, sort_keys=True)))
    return tuple(answers), tuple(keys)


def _annotation(context: Context, value: Mapping[str, Any], stem: str) -> _Annotation:
    answers, keys = people_of(value.get("answers"))
    if not answers and (only := text_at(value, "multiple_choice_answer", "answer", "label")) is not None:
        answers, keys = (only,), ("{}",)
    if not answers:
        raise FieldError("answers", "is missing or empty")
    kinds = (text_at(value, "question_type"), text_at(value, "answer_type"))
    return _Annotation(context.names.id_of(value), answers, keys, *kinds, stem)


def _text(context: Context, value: Mapping[str, Any]) -> _Text:
    return _Text(context.names.id_of(value), text_at(value, "question", "text"))


def _sample(
    place: int,
    found: _Annotation | None,
    answer: Answer | None,
    item: Item | None,
    questions: Mapping[str | None, str | None],
    stem: str,
) -> VqaSample:
    sample_id = (found.id if found else None) or (answer.id if answer else None) or str(place + 1)
    question = questions.get(sample_id) or (answer.question if answer else None)
    return VqaSample(
        index=place,
        session_id=found.stem if found else stem,
        assistant_id=answer.assistant_id if answer else UNKNOWN_ASSISTANT,
        sample_id=sample_id,
        answer=answer.text if answer else None,
        references=found.answers if found else (),
        tags=answer.tags if answer else {},
        columns={"question": question} if question is not None else {},
        line=item.line if item else None,
        question=question,
        question_type=found.question_type if found else None,
        answer_type=found.answer_type if found else None,
        record_keys=found.keys if found else (),
    )


def _whole(context: Context, value: Mapping[str, Any], item: Item, index: int) -> VqaSample:
    answer = context.names.read(value)
    answers, keys = people_of(value.get("answers"))
    kinds = (text_at(value, "question_type"), text_at(value, "answer_type"))
    return _sample(index, _Annotation(answer.id, answers, keys, *kinds, item.stem), answer, item, {}, item.stem)

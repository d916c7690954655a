"""Yes/no questions: POPE's files, LLaVA's answers to them, and answers that stand beside their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from handler.formats._values import FieldError, as_id, as_scalar, describe, is_missing
from handler.formats.tasks._answers import QUESTION_IDS, Answer, text_at
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import Join
from handler.formats.tasks._stream import Item
from handler.samples import UNKNOWN_ASSISTANT, Record, Sample, YesNoSample

__all__ = ["yes_no_records"]

_READ = frozenset({*QUESTION_IDS, "label", "text", "question", "image", "split", "session_id"})


class _Question(NamedTuple):
    id: str | None
    label: str
    text: str | None
    image: str | None
    split: str
    others: Mapping[str, Any] = {}


def yes_no_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """Joined with the questions where there are some; else each item holds answer and label."""
    location = context.plan.questions
    if location is None:
        yield from context.each(items, lambda value, item, index: _whole(context, value, item, index))
        return
    by_line = context.options.as_original
    questions = context.entries(location, lambda value, stem: _question(context, value, stem), unique=not by_line)
    join = Join(questions, by_line=by_line)

    def make(place: int, question: _Question | None, answer: Answer | None, item: Item | None) -> Sample:
        if question and answer and join.by_line and answer.question not in (None, question.text):
            context.notices.add("question_differs", f"line {item.line if item else '?'}: {answer.question!r}")
        return _sample(place, question, answer, item, questions[0].split)

    yield from context.joined(items, join, context.names.read, make)


def _question(context: Context, value: Mapping[str, Any], stem: str) -> _Question:
    label = value.get(context.names.label)
    if not isinstance(label, str):
        raise FieldError(context.names.label, f"is {describe(label)}, not yes or no")
    split = _split(value) or stem
    return _Question(
        context.names.id_of(value),
        label,
        text_at(value, "text", "question"),
        text_at(value, "image"),
        split,
        {name: found for name in value if name not in _READ and (found := as_scalar(value[name])) is not None},
    )


def _split(value: Mapping[str, Any]) -> str | None:
    """What a question belongs to, where one file holds several sets."""
    name = next((name for name in ("split", "category", "session_id") if name in value), "split")
    return as_id(value.get(name), name)


def _sample(
    place: int, question: _Question | None, answer: Answer | None, item: Item | None, split: str
) -> YesNoSample:
    sample_id = (question.id if question else None) or (answer.id if answer else None) or str(place + 1)
    text = question.text if question else answer.question if answer else None
    columns = {**(question.others if question else {}), "question": text, "image": question.image if question else None}
    return YesNoSample(
        index=place,
        session_id=question.split if question else split,
        assistant_id=answer.assistant_id if answer else UNKNOWN_ASSISTANT,
        sample_id=sample_id,
        answer=answer.text if answer else None,
        references=(question.label,) if question else (),
        tags=answer.tags if answer else {},
        columns={name: value for name, value in columns.items() if value is not None},
        line=item.line if item else None,
        question=text,
    )


def _whole(context: Context, value: Mapping[str, Any], item: Item, index: int) -> YesNoSample:
    answer = context.names.read(value)
    label = value.get(context.names.label)
    if not is_missing(label) and not isinstance(label, str):
        raise FieldError(context.names.label, f"is {describe(label)}, not yes or no")
    split = _split(value) or item.stem
    question = _Question(answer.id, label, answer.question, text_at(value, "image"), split) if label else None
    return _sample(index, question, answer, item, split)

"""Gated sequences: a coarse question and fine-grained yes/no questions about one sequence of images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from handler.errors import RequestError
from handler.formats._values import FieldError, as_id, clip, describe, is_missing
from handler.formats.tasks._answers import Answer, text_at
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import Join
from handler.formats.tasks._question_layouts import is_yes_or_no
from handler.formats.tasks._stream import Item
from handler.samples import UNKNOWN_ASSISTANT, Record, Sample, SequenceSample

__all__ = ["COARSE_TYPES", "sequence_records"]

COARSE_TYPES = ("count", "mcq", "tf", "text")


class _Sequence(NamedTuple):
    id: str | None
    task: str
    coarse_type: str
    coarse: str
    question: str | None
    fine: tuple[str, ...]


def sequence_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """One sample a sequence: a sequence that nothing was said about is missing its answer."""
    if context.plan.questions is None:
        raise RequestError("answers about sequences need their questions", field="questions", hint="Add --questions F")
    sequences = context.entries(context.plan.questions, _sequence)
    join = Join(sequences, by_line=False)

    def make(place: int, sequence: _Sequence | None, answer: Answer | None, item: Item | None) -> Sample:
        fine = _said(item.value, answer) if item and answer else ()
        if sequence and answer and len(fine) != len(sequence.fine):
            word = "missing_fine_answers" if len(fine) < len(sequence.fine) else "surplus_fine_answers"
            context.notices.add(word, f"sequence {sequence.id!r}: {len(fine)} of {len(sequence.fine)}")
        return _sample(place, sequence, answer, item, fine)

    yield from context.joined(items, join, lambda value: _coarse_answer(value, context), make)


def _sequence(value: Mapping[str, Any], stem: str) -> _Sequence:
    coarse, fine = value.get("coarse"), value.get("fine")
    if not isinstance(coarse, Mapping):
        raise FieldError("coarse", f"is {describe(coarse)}, not an object with question, type and answer")
    if not isinstance(fine, list):
        raise FieldError("fine", f"is {describe(fine)}, not a list of questions")
    kind = coarse.get("type", "text")
    if kind not in COARSE_TYPES:
        raise FieldError("coarse.type", f"is {kind!r}: use one of {', '.join(COARSE_TYPES)}")
    answer = as_id(coarse.get("answer"), "coarse.answer")
    if answer is None:
        raise FieldError("coarse.answer", "is missing")
    return _Sequence(
        id=as_id(value.get("sequence_id"), "sequence_id"),
        task=as_id(value.get("task"), "task") or stem,
        coarse_type=kind,
        coarse=answer,
        question=text_at(coarse, "question"),
        fine=tuple(_fine_label(one, number) for number, one in enumerate(fine)),
    )


def _fine_label(one: Any, number: int) -> str:
    label = one.get("answer") if isinstance(one, Mapping) else None
    if not is_yes_or_no(label):
        raise FieldError(f"fine[{number}].answer", f"is {label!r}, not yes or no")
    return str(label).strip().casefold()


def _coarse_answer(value: Mapping[str, Any], context: Context) -> Answer:
    said = value.get("coarse")
    text = (as_id(said, "coarse") or "") if _is_plain(said) and not is_missing(said) else None
    assistant = as_id(value.get("model_id", value.get("assistant_id")), "model_id") or UNKNOWN_ASSISTANT
    return Answer(as_id(value.get("sequence_id"), "sequence_id"), text, assistant, None, {})


def _said(value: Mapping[str, Any], answer: Answer) -> tuple[str | None, ...]:
    """The fine answers. Raises FieldError for an answer that is no text: it is not the same as none."""
    name = f"(sequence {clip(answer.id)!r})" if answer.id is not None else ""
    coarse, fine = value.get("coarse"), value.get("fine")
    if not is_missing(coarse) and not _is_plain(coarse):
        raise FieldError("coarse", f"is {describe(coarse)}, not text {name}".strip())
    if is_missing(fine):
        return ()
    if not isinstance(fine, list):
        raise FieldError("fine", f"is {describe(fine)}, not a list of answers {name}".strip())
    for number, one in enumerate(fine):
        if not is_missing(one) and not isinstance(one, str):
            raise FieldError(f"fine[{number}]", f"is {describe(one)}, not text {name}".strip())
    return tuple(one if isinstance(one, str) else None for one in fine)


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _sample(
    place: int,
    sequence: _Sequence | None,
    answer: Answer | None,
    item: Item | None,
    fine: tuple[str | None, ...],
) -> SequenceSample:
    return SequenceSample(
        index=place,
        session_id=sequence.task if sequence else "unknown",
        assistant_id=answer.assistant_id if answer else UNKNOWN_ASSISTANT,
        sample_id=(sequence.id if sequence else None) or (answer.id if answer else None) or str(place + 1),
        answer=answer.text if answer else None,
        references=(sequence.coarse,) if sequence else (),
        columns={"question": sequence.question} if sequence and sequence.question else {},
        line=item.line if item else None,
        coarse_type=sequence.coarse_type if sequence else "text",
        fine_answers=fine,
        fine_labels=sequence.fine if sequence else (),
    )

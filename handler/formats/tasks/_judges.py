"""Grades of a judge beside those of people: tables, objects, and Label Studio's exports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from handler.formats._fields import check_mapping
from handler.formats._limits import MAX_TEXT
from handler.formats._values import (
    ABSENT,
    FieldError,
    as_id,
    as_scalar,
    as_tags,
    clip,
    describe,
    is_missing,
)
from handler.formats.tasks._context import Context, problem_of
from handler.formats.tasks._joining import mapping_of
from handler.formats.tasks._judge_columns import Columns, columns_of
from handler.formats.tasks._label_studio import graded_in, is_task
from handler.formats.tasks._stream import Item
from handler.metrics.judge import has_decimal_comma, out_of, read_grade, shown, verdict_of
from handler.samples import UNKNOWN_ASSISTANT, Grade, JudgedSample, Record, Unreadable

__all__ = ["judge_records"]

_MOST_SHOWN = 12  # grades of one item in words
_WHO = {"answer": "the judge's grade", "references": "people's grades"}


def judge_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """One sample a row or object; of a Label Studio task one for each thing that was graded and each model version.

    Rows with an `annotation_id`, as in Label Studio's JSON_MIN and CSV exports, are each one person's annotation: those of
    one id that follow each other are one sample.
    """
    reading = _Reading(context)
    index = 0
    for position, (_, group) in enumerate(groupby(items, _annotated_id()), 1):
        rows = list(group)
        if isinstance(rows[0].value, Unreadable):
            yield rows[0].value
            continue
        try:
            samples = reading.samples(rows)
        except FieldError as error:
            yield problem_of(rows[0], error)
            continue
        for sample in samples:
            has_id = bool(sample.sample_id)
            sample.sample_id = sample.sample_id or str(rows[0].line or position)
            try:
                reading.check(sample, rows[0])
            except FieldError as error:
                yield problem_of(rows[0], error)
                continue
            sample.index = index
            if has_id:
                context.watch.sample(sample.session_id, sample.assistant_id, sample.sample_id)
            yield sample
            index += 1


def _annotated_id() -> Any:
    """A key for grouping: the id of a row that is one annotation; for everything else, what no other item has."""
    position = 0

    def key(item: Item) -> Any:
        nonlocal position
        position += 1
        value = item.value
        if (
            isinstance(value, Mapping)
            and "annotation_id" in value
            and not is_task(value)
            and value.get("id") is not None
        ):
            return (item.stem, str(value["id"]))
        return position

    return key


class _Reading:
    """One reading: the columns by the keys of a row, and what grades are out of, which must not change."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._mapping = check_mapping(context.options.mapping)
        self._known: dict[tuple[str, ...], Columns] = {}
        self._scales: dict[str, float] = {}

    def samples(self, rows: Sequence[Item]) -> list[JudgedSample]:
        """The samples of one item, or of the rows that are annotations of one. Raises FieldError."""
        values = [mapping_of(row) for row in rows]
        return self._of_task(values[0], rows[0]) if is_task(values[0]) else [self._of_rows(values, rows[0])]

    def check(self, sample: JudgedSample, item: Item) -> None:
        """Raises FieldError for a missing grade unless such samples are wanted."""
        try:
            self._context.check(sample, item)
        except FieldError as error:
            field = "answer" if sample.answer is None else "references"
            raise FieldError(field, f"({_WHO[field]}) {error.reason}{self._hint(item.value, field)}") from error

    def _hint(self, value: Mapping[str, Any], field: str) -> str:
        """What to do about a missing grade, where a column is the reason."""
        if is_task(value):
            column = self._columns(list(value["data"])).answer
            hint = f": the tasks' data has {column!r}; say --map answer={column} if that is it"
            return hint if field == "answer" and column and "answer" not in self._mapping else ""
        found = getattr(self._columns([key for key in value if isinstance(key, str)]), field)
        return "" if found else f": no column is known to hold it; say --map {field}=COLUMN"

    def _columns(self, keys: Sequence[str]) -> Columns:
        name = tuple(keys)
        if name not in self._known:
            self._known[name] = columns_of(name, self._mapping)
        return self._known[name]

    def _of_rows(self, values: Sequence[Mapping[str, Any]], item: Item) -> JudgedSample:
        value = values[0]
        columns = self._columns(list(value))
        criterion = _id_at(value, columns.session_id) or item.stem
        people: list[Grade | None] = []
        for one in values:
            for column in self._columns(list(one)).references:
                people += [self._grade(grade, column, criterion) for grade in _listed(one[column])]
        used = columns.used()
        rest = {key: as_scalar(entry) for key, entry in value.items() if key not in used}
        return self._sample(
            item,
            criterion=criterion,
            assistant_id=_id_at(value, columns.assistant_id) or UNKNOWN_ASSISTANT,
            sample_id=_id_at(value, columns.sample_id),
            grade=self._grade(value.get(columns.answer or "", ABSENT), columns.answer or "answer", criterion),
            people=tuple(people),
            swapped=self._grade(value.get(columns.swapped or "", ABSENT), columns.swapped or "", criterion),
            lengths=_lengths(value, columns),
            judge=_id_at(value, columns.judge),
            tags=as_tags(value.get("tags"), "tags"),
            columns={key: entry for key, entry in rest.items() if entry is not None},
        )

    def _of_task(self, value: Mapping[str, Any], item: Item) -> list[JudgedSample]:
        data = value["data"]
        field, wanted = self._mapping.get("answer"), self._mapping.get("references")
        names = tuple(name.strip() for name in wanted.split(",")) if wanted else ()
        columns = self._columns(list(data))
        return [
            self._sample(
                item,
                criterion=one.criterion,
                assistant_id=one.assistant_id or UNKNOWN_ASSISTANT,
                sample_id=as_id(value.get("id"), "id"),
                grade=self._grade(
                    data.get(field, ABSENT) if field else one.grade, field or "predictions", one.criterion
                ),
                people=tuple(self._grade(grade, "annotations", one.criterion) for grade in one.people),
                swapped=None,
                lengths=_lengths(data, columns),
                judge=None if field else one.assistant_id,
                tags={},
                columns={key: kept for key, entry in data.items() if (kept := as_scalar(entry)) is not None},
            )
            for one in graded_in(value, names, self._context.notices, by_people=field is not None)
        ]

    def _sample(
        self, item: Item, *, criterion: str, sample_id: str | None, grade: Grade | None, people: tuple[Grade | None, ...],
        **rest: Any,
    ) -> JudgedSample:  # fmt: skip
        return JudgedSample(
            index=0,
            session_id=criterion,
            sample_id=sample_id or "",
            answer=shown(grade) if grade is not None else None,
            references=_in_words([one for one in people if one is not None]),
            line=item.line,
            grade=grade,
            people=people,
            **rest,
        )

    def _grade(self, value: Any, field: str, criterion: str) -> Grade | None:
        """Raises FieldError for what is no grade, or out of something else than those before."""
        if is_missing(value):
            return None
        scale = out_of(value)
        if scale is not None and self._scales.setdefault(criterion, scale) != scale:
            before = self._scales[criterion]
            raise FieldError(field, f"is {clip(value, 30)!r}, and grades before are out of {before:g}")
        try:
            if has_decimal_comma(value):
                self._context.notices.add("decimal_comma", f"{clip(str(value), 30)!r} in {field}")
            return read_grade(value)
        except ValueError as error:
            kind = (
                f"is {describe(value)}, not a number or a label" if not isinstance(value, int | float | str) else error
            )
            raise FieldError(field, str(kind)) from None


def _listed(value: Any) -> list[Any]:
    """The grades under one key: one, a list (in tables its JSON text), or an object by rater. Boxes that one person
    ticked, as Label Studio's tables have them, are one label."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") and len(value) <= MAX_TEXT:
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = value
        is_grade = isinstance(parsed, list) and len(parsed) == 1 and isinstance(parsed[0], list)  # [[4]]
        value = value if is_grade else parsed
    if isinstance(value, Mapping):
        ticked = value.get("choices")
        return [", ".join(sorted(map(str, ticked)))] if isinstance(ticked, list) else list(value.values())
    return value if isinstance(value, list) else [value]


def _in_words(people: Sequence[Grade]) -> tuple[str, ...]:
    """What people say; where they differ, what they come to stands beside what each said."""
    numbers = not any(isinstance(one, str) for one in people)
    words = [shown(one) for one in people]
    if len({word.casefold() for word in words}) < 2:
        return tuple(words[:1])
    said = ", ".join(words[:_MOST_SHOWN]) + (f", … {len(words):,} in all" if len(words) > _MOST_SHOWN else "")
    verdict = verdict_of(people if numbers else words)
    if numbers:
        return (f"mean {shown(round(float(verdict or 0), 2))} (of {said})",)
    return (f"{verdict} (of {said})" if verdict is not None else f"tied ({said})",)


def _id_at(value: Mapping[str, Any], column: str | None) -> str | None:
    return as_id(value[column], column) if column is not None else None


def _lengths(value: Mapping[str, Any], columns: Columns) -> tuple[float, ...]:
    """Characters, as a column says or as the texts have them; () unless all are known."""
    found = [_length(value[name], name) for name in columns.lengths]
    if not found:
        found = [float(len(value[name])) if isinstance(value[name], str) else None for name in columns.texts]
    known = [one for one in found if one is not None]
    return tuple(known) if len(known) == len(found) else ()


def _length(value: Any, name: str) -> float | None:
    if is_missing(value) or value == "":
        return None
    try:
        length = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        length = -1.0
    if not 0 <= length < 1e15:
        raise FieldError(name, f"is {clip(str(value), 30)!r}, not a length: a number of characters")
    return length

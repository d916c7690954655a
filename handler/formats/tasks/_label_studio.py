"""Label Studio's JSON export: tasks with people's annotations and models' predictions.

Source: https://labelstud.io/guide/task_format and /guide/export.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from handler.formats._contract import Notices
from handler.formats._values import FieldError, as_id, describe

__all__ = ["Graded", "graded_in", "is_task"]

_FREE = "text"  # a comment rather than a grade, unless a prediction has it too


class Graded(NamedTuple):
    """One thing that was graded: criterion is the control tag's name (`from_name`). Grades are as they stand there."""

    criterion: str
    assistant_id: str | None
    grade: Any
    people: tuple[Any, ...]


def is_task(value: Mapping[str, Any]) -> bool:
    """Whether an object is a task as exported rather than a row."""
    return isinstance(value.get("data"), Mapping) and isinstance(value.get("annotations"), list)


def graded_in(task: Mapping[str, Any], wanted: Sequence[str], notices: Notices, *, by_people: bool) -> list[Graded]:
    """What a task says. wanted: criteria, () for those that a model predicted or, where none did or by_people, people
    graded. Cancelled annotations are left out and counted. Raises FieldError for another layout."""
    name = f"task {task.get('id')!r}"
    people: dict[str, list[Any]] = {}
    free: set[str] = set()
    for place, annotation in enumerate(task["annotations"]):
        where = f"annotations[{place}]"
        if not isinstance(annotation, Mapping):
            raise FieldError(where, f"is {describe(annotation)}, not an object: export as JSON, annotations included")
        if annotation.get("was_cancelled"):
            notices.add("cancelled_annotation", name)
            continue
        for criterion, kind, grade in _results(annotation, where, notices, name):
            people.setdefault(criterion, []).append(grade)
            free |= {criterion} if kind == _FREE else set()
    judged = {} if by_people else _predicted(task, notices, name)
    graded = dict.fromkeys(criterion for grades in judged.values() for criterion in grades)
    criteria = list(wanted or graded or [criterion for criterion in people if criterion not in free])
    return [
        Graded(criterion, model, grades.get(criterion), tuple(people.get(criterion, ())))
        for criterion in criteria
        for model, grades in (judged or {None: {}}).items()
    ]


def _predicted(task: Mapping[str, Any], notices: Notices, name: str) -> dict[str | None, dict[str, Any]]:
    """{model version: {criterion: grade}}; of two predictions of one version the later one counts."""
    found: dict[str | None, dict[str, Any]] = {}
    predictions = task.get("predictions") or []
    for place, prediction in enumerate(predictions if isinstance(predictions, list) else []):
        where = f"predictions[{place}]"
        if not isinstance(prediction, Mapping):
            raise FieldError(where, f"is {describe(prediction)}, not an object: export with predictions included")
        version = as_id(prediction.get("model_version"), f"{where}.model_version")
        grades = {criterion: grade for criterion, _, grade in _results(prediction, where, notices, name)}
        if version in found and grades.keys() & found[version].keys():
            notices.add("repeated_prediction", f"{name}, {version}")
        found[version] = {**found.get(version, {}), **grades}
    return found


def _results(holder: Mapping[str, Any], where: str, notices: Notices, name: str) -> Iterator[tuple[str, str, Any]]:
    """(criterion, type, grade) of what is a grade; the first where one was given several times."""
    results = holder.get("result") or []
    if not isinstance(results, list):
        raise FieldError(f"{where}.result", f"is {describe(results)}, not a list")
    seen = set()
    for place, result in enumerate(results):
        criterion = result.get("from_name") if isinstance(result, Mapping) else None
        if not isinstance(criterion, str):
            raise FieldError(f"{where}.result[{place}]", "has no from_name")
        kind, grade = _grade(result.get("value"))
        if kind is None:
            notices.add("result_without_grade", f"{name}, {criterion}")
        elif criterion in seen:
            notices.add("several_results", f"{name}, {criterion}")
        else:
            seen.add(criterion)
            yield criterion, kind, grade


def _grade(value: Any) -> tuple[str | None, Any]:
    """The type of a result's value and its grade; (None, None) for regions, rankings and the like."""
    if not isinstance(value, Mapping):
        return None, None
    for kind in ("rating", "number", "selected"):
        if kind in value:
            return kind, value[kind]
    if isinstance(chosen := value.get("choices"), list):
        return "choices", ", ".join(sorted(map(str, chosen)))
    if isinstance(paths := value.get("taxonomy"), list):
        return "taxonomy", ", ".join(" / ".join(map(str, path)) for path in paths if isinstance(path, list))
    if (text := value.get("text")) is not None and "start" not in value:
        return _FREE, " ".join(map(str, text)) if isinstance(text, list) else text
    return None, None

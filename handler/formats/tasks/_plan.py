"""Which of several files holds the answers, which the questions, which the references: decided by content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handler import storage
from handler.errors import InputError
from handler.formats._contract import ReadOptions
from handler.formats._opening import open_source
from handler.formats.tasks._kinds import KINDS, TASK_FORMATS, Kind
from handler.formats.tasks._layout import Layout, Role, Task
from handler.formats.tasks._layouts import layout_of, layout_of_text
from handler.samples import Sample

__all__ = ["Plan", "plan_files", "plan_items"]

MOST_SNIFFED = 50
"""Files of a folder that are each looked at; of more, the first speaks for all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How files of questions and answers are read together.

    layout: of the answers. answers: the input's files, or the one that holds them where roles were swapped; () for
    records in memory. reason: why, in plain words.
    """

    task: Task
    layout: Layout
    answers: tuple[str, ...]
    questions: str | None
    references: str | None
    reason: str

    @property
    def kind(self) -> Kind:
        """What the task is called."""
        return KINDS[self.task]

    @property
    def sample(self) -> type[Sample]:
        """What its records are."""
        return self.kind.sample

    @property
    def roles(self) -> dict[str, str]:
        """{role: location}."""
        given = {"answers": next(iter(self.answers), None), "questions": self.questions, "references": self.references}
        return {role: location for role, location in given.items() if location is not None}


def plan_files(files: tuple[str, ...], options: ReadOptions) -> Plan | None:
    """The plan, None when the input holds descriptions. Raises InputError when an answer file stands alone, or when
    the files do not belong together; StorageError when one is not there."""
    if options.format not in ("auto", *TASK_FORMATS):
        return None
    layout = _layout_at(files[0], options)
    companions = _companions(options)
    if (same := next((role for role, location in companions.items() if location in files), None)) is not None:
        raise InputError(f"the same file is given as input and as {same}", file=files[0], hint="Name the other one")
    if options.format != "auto":
        return _as_asked(files, layout, companions, options)
    if layout is None and companions:
        raise _unrecognised(files[0], companions, options)
    if layout is None:
        return None
    if 1 < len(files) <= MOST_SNIFFED:
        files, layout, companions = _sorted_out(files, layout, companions, options)
    found = {role: (location, _layout_at(location, options)) for role, location in companions.items()}
    notes = [layout.reason]
    if layout.role != "answers":
        files, layout, found = _swapped(files, layout, found)
        notes = [f"{layout.reason}, though it was not given as INPUT"]
    placed = _placed(found, layout, notes)
    return _plan(files, layout, placed, notes, had_companions=bool(companions))


def _unrecognised(location: str, companions: Mapping[Role, str], options: ReadOptions) -> InputError:
    role, other = next(iter(companions.items()))
    layout = _layout_at(other, options)
    held = f", which holds {layout.reason}" if layout else ""
    return InputError(
        f"nothing here looks like what belongs to {storage.name_of(other)}{held}",
        file=location,
        hint=f"Name the format with --format, or leave out --{role}",
    )


def _sorted_out(
    files: tuple[str, ...], first: Layout, companions: dict[Role, str], options: ReadOptions
) -> tuple[tuple[str, ...], Layout, dict[Role, str]]:
    """The files of a folder by what each holds: a question file may lie beside the answers, and a shard may be empty."""
    heads = {location: _head_at(location, options) for location in files}
    layouts = {location: layout_of_text(head) for location, head in heads.items() if head.strip()}
    others = {location: one.role for location, one in layouts.items() if one is not None and one.role != "answers"}
    if not others and not first.whole:
        return files, first, companions
    companions = dict(companions)
    for location, role in others.items():
        if companions.setdefault(role, location) != location:
            raise InputError(f"two files hold {role}", file=location, hint="Name one folder for each")
    strange = next((location for location, layout in layouts.items() if layout is None), None)
    if strange is not None:
        raise InputError("this file holds no answers, and others here do", file=strange, hint="Move it away")
    answers = {location: one for location, one in layouts.items() if one is not None and location not in others}
    if not answers:
        raise InputError("no file here holds answers", file=files[0], hint="Give the answers as INPUT")
    return tuple(answers), next(iter(answers.values())), companions


def plan_items(item: Any, options: ReadOptions) -> Plan | None:
    """The plan for records in memory by their first one."""
    if options.format not in ("auto", *TASK_FORMATS):
        return None
    layout = layout_of(item)
    companions = _companions(options)
    if options.format != "auto":
        return _as_asked((), layout, companions, options)
    if layout is None or layout.role != "answers":
        return None
    notes = [layout.reason]
    found = {role: (location, _layout_at(location, options)) for role, location in companions.items()}
    return _plan((), layout, _placed(found, layout, notes), notes, had_companions=bool(companions))


def _companions(options: ReadOptions) -> dict[Role, str]:
    given: dict[Role, str | None] = {"questions": options.questions, "references": options.references}
    found = {role: location for role, location in given.items() if location is not None}
    for role, location in found.items():
        if _is_folder(location):
            raise InputError("this is a folder", file=location, hint=f"Name one file with --{role}")
    return found


def _is_folder(location: str) -> bool:
    if location.endswith("/"):
        return True
    if not storage.is_remote(location):
        return Path(location).is_dir()
    return storage.stat(location) is None and any(True for _ in storage.list_objects(f"{location}/"))


def _head_at(location: str, options: ReadOptions) -> str:
    with open_source(location, options) as source:
        return source.head.decode("utf-8", "replace")


def _layout_at(location: str, options: ReadOptions) -> Layout | None:
    text = _head_at(location, options)
    if not text.strip() and _companions(options):
        raise InputError("the file is empty", file=location, hint="Write at least one answer or question")
    return layout_of_text(text)


Found = dict[Role, tuple[str, Layout | None]]


def _swapped(files: tuple[str, ...], layout: Layout, found: Found) -> tuple[tuple[str, ...], Layout, Found]:
    """The input holds questions or references: the answers must be among the others."""
    answers = [role for role, (_, other) in found.items() if other is not None and other.role == "answers"]
    if len(answers) != 1 or len(files) != 1:
        raise InputError(
            f"this file holds {layout.role}, no answers: {layout.reason}",
            file=files[0],
            hint=f"Give the answers as INPUT and this file with --{layout.role}",
        )
    location, other = found.pop(answers[0])
    assert other is not None
    return (location,), other, {**found, layout.role: (files[0], layout)}


def _placed(found: Found, answers: Layout, notes: list[str]) -> dict[Role, tuple[str, Layout]]:
    """The companions by what they hold."""
    placed: dict[Role, tuple[str, Layout]] = {}
    for role, (location, other) in found.items():
        layout = _beside(answers, other)
        if layout is None or layout.role == "answers":
            held = "answers" if layout else "nothing that answers can be joined with"
            raise InputError(f"the {role} file holds {held}", file=location, hint=f"Check --{role}")
        if layout.role in placed:
            raise InputError(f"two files hold {layout.role}", file=location, hint="Give one of them")
        placed[layout.role] = (location, layout)
        notes.append(f"{layout.role}: {layout.reason}" + (f", though given as {role}" if layout.role != role else ""))
    return placed


def _beside(answers: Layout, other: Layout | None) -> Layout | None:
    """What a companion is, which may look like answers: captions, transcripts and rankings have one shape on both sides."""
    if other is None and answers.task == "retrieval":
        return Layout("rankings", "references", "retrieval", "what is relevant to each query")
    if other is None and answers.task == "speech":
        return Layout("speech", "references", "speech", "what was said")
    if other is None or other.task is None or other.role != "answers" or answers.task not in (None, other.task):
        return other
    needs = KINDS[other.task].needs
    return other._replace(role=needs) if needs == "references" else other


def _plan(
    files: tuple[str, ...],
    layout: Layout,
    placed: dict[Role, tuple[str, Layout]],
    notes: list[str],
    *,
    had_companions: bool,
) -> Plan | None:
    tasks = {one.task for _, one in placed.values()} | ({layout.task} - {None})
    task = next(iter(tasks), None)
    if len(tasks) > 1:
        raise InputError(
            f"the files do not belong together: {'; '.join(notes)}",
            file=next(iter(files), None),
            hint="Check the names",
        )
    if task is None and not had_companions:
        if layout.name == "pope":
            return None  # any description looks so
        raise InputError(
            f"these are answers without their questions ({layout.reason})",
            file=next(iter(files), None),
            hint="Add --questions FILE (POPE) or --references FILE (VQA annotations)",
        )
    if task is None:
        return None
    needs = KINDS[task].needs
    if not layout.whole and needs not in placed:
        raise InputError(
            f"there is nothing to compare the answers with ({'; '.join(notes)})",
            file=next(iter(files), None),
            hint=f"Add --{needs} FILE",
        )
    locations = {role: location for role, (location, _) in placed.items()}
    if task == "yesno" and layout.name == "vqa":
        layout = layout._replace(name="pope")  # question_id and answer alone may be either
    return Plan(task, layout, files, locations.get("questions"), locations.get("references"), "; ".join(notes))


def _as_asked(files: tuple[str, ...], layout: Layout | None, companions: dict[Role, str], options: ReadOptions) -> Plan:
    """--format named: every file is what the call says."""
    task = TASK_FORMATS[options.format]
    if layout is None or layout.name != options.format:
        layout = Layout(options.format, "answers", task, "asked for", whole=not companions)
    elif layout.task is not None:
        task = layout.task
    if KINDS[task].needs == "questions" and "references" in companions and "questions" not in companions:
        companions = {"questions": companions["references"]}
    questions, references = companions.get("questions"), companions.get("references")
    return Plan(task, layout, files, questions, references, "asked for")

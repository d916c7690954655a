"""One frame (a dict of keys) -> one Sample or Unreadable. Everything on the way of every frame is here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handler.errors import InputError
from handler.formats._contract import Notices, ReadOptions
from handler.formats._fields import (
    CONVERSATION_NAMES,
    SESSION_NAMES,
    FramePlan,
    check_mapping,
    did_you_mean,
    listed,
    make_plan,
)
from handler.formats._limits import MAX_TEXT
from handler.formats._values import (
    ABSENT,
    FieldError,
    as_id,
    as_scalar,
    as_tags,
    check_weight,
    checked_text,
    clip,
    describe,
    is_missing,
    unreadable,
)
from handler.formats._watch import Watch
from handler.samples import UNKNOWN_ASSISTANT, Sample, Unreadable

_NOTHING: Mapping[str, Any] = {}
_MOST_PLANS = 512
_MOST_KEYS = 200
_MOST_FIELDS = 50
_MOST_HINTS = 100


@dataclass(slots=True)
class Session:
    """What the frames of one session share; a frame's own tags win. problem: why none of them can be read."""

    session_id: str
    assistant_id: str
    language: str | None
    problem: FieldError | None = None
    tags: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


class FrameReader:
    """Turns frames into samples; keeps the running index, the plans per kind of frame, and the watch over ids.

    goes_on: whether frames of the file were read before, so that none of these is its first.
    """

    def __init__(
        self, name: str | None, stem: str, options: ReadOptions, notices: Notices, *, goes_on: bool = False
    ) -> None:
        self.name = name
        self.stem = stem
        self.mapping = check_mapping(options.mapping)
        self.notices = notices
        self.watch = Watch(notices)
        self.flat_plans: dict[tuple[str, ...], FramePlan] = {}
        self._conversation_plans: dict[tuple[str, ...], FramePlan] = {}
        self._session_plans: dict[tuple[str, ...], FramePlan] = {}
        self._skip_missing = options.on_missing == "skip"
        self._index = 0
        self._goes_on = goes_on
        self._columns_of: dict[str, str] = {}
        self._hints: dict[tuple[str, ...], str] = {}

    def plan_for(
        self, frame: Mapping[str, Any], plans: dict[tuple[str, ...], FramePlan], names: Mapping[str, str]
    ) -> FramePlan:
        """The plan for the frame's keys, from the cache where it was met before.

        Raises InputError when the very first frame shows that the names do not fit; FieldError for a later one.
        """
        keys = tuple(frame)
        plan = plans.get(keys)
        if plan is not None:
            return plan
        try:
            plan = make_plan(keys, names, self.mapping, self.name)
        except InputError as error:
            if not plans and not self._goes_on:
                raise
            raise FieldError(error.field or "", f"cannot be told: {error.message}. {error.hint}") from error
        if len(plans) >= _MOST_PLANS:
            plans.clear()
        if len(keys) <= _MOST_KEYS or not plans:
            plans[keys] = plan
        self.learn(plan)
        return plan

    def learn(self, plan: FramePlan) -> None:
        """Remember the columns' names for messages, and the unknown ones for the report."""
        for name, column in (("answer", plan.answer), ("references", (*plan.references, None)[0])):
            if column is not None:
                self._columns_of[name] = column
        unknown = self.notices.unknown_fields
        unknown.extend(c for c in plan.columns if len(unknown) < _MOST_FIELDS and c not in unknown)

    def session(self, head: Mapping[str, Any], path: str = "") -> Session:
        """Ids, language and tags of a session object."""
        try:
            plan = self.plan_for(head, self._session_plans, SESSION_NAMES)
        except FieldError as error:
            return Session(self.stem, UNKNOWN_ASSISTANT, None, error)
        ids: dict[str, str | None] = {}
        problem: FieldError | None = None
        for name, key in (("session_id", plan.session_id), ("assistant_id", plan.assistant_id)):
            try:
                ids[name] = as_id(head[key], path + key) if key is not None else None
            except FieldError as error:
                problem = problem or error
        tags = _NOTHING
        if plan.tags is not None:
            try:
                tags = as_tags(head[plan.tags], path + plan.tags)
            except FieldError as error:
                problem = problem or error
        language = head[plan.language] if plan.language is not None else None
        return Session(
            session_id=ids.get("session_id") or self.stem,
            assistant_id=ids.get("assistant_id") or UNKNOWN_ASSISTANT,
            language=(language.strip() or None) if isinstance(language, str) else None,
            problem=problem,
            tags=tags,
        )

    def in_session(
        self, frame: Any, session: Session, number: int, *, line: int | None, column: int | None = None, path: str = ""
    ) -> Sample | Unreadable:
        """A frame of a session. number: its 1-based position, the default id."""
        if not isinstance(frame, dict):
            place = path.rstrip(".") or None
            return unreadable(line, column, place, f"session {clip(session.session_id)!r}: {_not_a_frame(frame)}")
        try:
            if session.problem is not None:
                raise session.problem
            plan = self.plan_for(frame, self._conversation_plans, CONVERSATION_NAMES)
        except FieldError as error:
            reason = f"session {clip(session.session_id)!r}, frame {number}: {error}"
            return unreadable(line, column, error.field, reason)
        sample = self.sample(
            frame, plan, session.session_id, session.assistant_id, session.language, number, line, column, path
        )
        if session.tags and isinstance(sample, Sample):
            sample.tags = {**session.tags, **sample.tags}
        return sample

    def flat(
        self, frame: Mapping[str, Any], plan: FramePlan, number: int, line: int | None, column: int | None = None
    ) -> Sample | Unreadable:
        """A frame that stands alone. number: the default id, its line or position."""
        session_id: Any = frame[plan.session_id] if plan.session_id is not None else None
        assistant_id: Any = frame[plan.assistant_id] if plan.assistant_id is not None else None
        try:
            if type(session_id) is not str or not session_id:
                session_id = as_id(session_id, plan.session_id or "") or self.stem
            if type(assistant_id) is not str or not assistant_id:
                assistant_id = as_id(assistant_id, plan.assistant_id or "") or UNKNOWN_ASSISTANT
        except FieldError as error:
            return unreadable(line, column, error.field, f"frame {number}: {error}")
        return self.sample(frame, plan, session_id, assistant_id, None, number, line, column, "")

    def sample(
        self,
        frame: Mapping[str, Any],
        plan: FramePlan,
        session_id: str,
        assistant_id: str,
        language: str | None,
        number: int,
        line: int | None,
        column: int | None,
        path: str,
    ) -> Sample | Unreadable:
        """The last step for every frame; the common case costs three type checks."""
        sample_id: Any = frame[plan.sample_id] if plan.sample_id is not None else None
        answer: Any = frame[plan.answer] if plan.answer is not None else ABSENT
        references: Any
        try:
            if type(sample_id) is str and sample_id and len(sample_id) <= MAX_TEXT:
                self.watch.sample(session_id, assistant_id, sample_id)
            else:
                sample_id = as_id(sample_id, path + (plan.sample_id or ""))
                if sample_id is None:
                    sample_id = str(number)
                else:
                    self.watch.sample(session_id, assistant_id, sample_id)
            if type(answer) is not str or len(answer) > MAX_TEXT:
                answer = self._text(answer, "answer", plan.answer, plan, path)
            if len(plan.references) == 1 and type(text := frame[plan.references[0]]) is str and len(text) <= MAX_TEXT:
                references = (text,)
            else:
                references = self._references(frame, plan, path)
            if plan.language is not None and isinstance(own := frame[plan.language], str):
                language = own.strip() or language
            if plan.weight is not None:
                check_weight(frame[plan.weight], path + plan.weight)
            tags = as_tags(frame[plan.tags], path + plan.tags) if plan.tags is not None else _NOTHING
            columns = _columns(frame, plan, path) if plan.columns else _NOTHING
        except FieldError as error:
            who = f"session {clip(session_id)!r}, sample {clip(sample_id if type(sample_id) is str else str(number))!r}"
            shown = error.field[len(path) :] if error.field.startswith(path) else error.field
            return unreadable(line, column, error.field, f"{who}: {shown} {error.reason}")
        index = self._index
        self._index = index + 1
        return Sample(index, session_id, assistant_id, sample_id, answer, references, language, tags, columns, line)

    def _text(self, value: Any, field: str, key: str | None, plan: FramePlan, path: str) -> str | None:
        """A text that is not simply there: skipped when missing and so asked, else a FieldError that says what to do."""
        if isinstance(value, str):
            return checked_text(value, path + (key or field))
        if is_missing(value) and self._skip_missing:
            return None
        name = key or self._columns_of.get(field) or _usual_name(field, in_session=bool(path))
        if value is not ABSENT:
            raise FieldError(path + name, f"is {describe(value)}, not text")
        hint = self._hint(field, plan)
        raise FieldError(path + name, f"is missing; {hint}" if hint else "is missing")

    def _hint(self, field: str, plan: FramePlan) -> str:
        """What to say of a field that is not there. Comparing names is slow: a file gets so many new hints, no more."""
        key = (field, *plan.columns)
        if key not in self._hints and len(self._hints) < _MOST_HINTS and len(key) <= _MOST_KEYS:
            there = f"there is {listed(plan.columns, 8)}" if plan.columns else ""
            self._hints[key] = did_you_mean(field, plan.columns) or there
        return self._hints.get(key, "")

    def _references(self, frame: Mapping[str, Any], plan: FramePlan, path: str) -> tuple[str, ...]:
        """All references of a frame. Of several columns some may be empty of value: not everybody saw every frame."""
        keys = plan.references
        texts: list[str] = []
        for key in keys:
            value = frame[key]
            if isinstance(value, (list, tuple)):
                for place, entry in enumerate(value):
                    text = self._text(entry, "references", f"{key}[{place}]", plan, path)
                    if text is not None:
                        texts.append(text)
            elif len(keys) == 1 or not is_missing(value):
                text = self._text(value, "references", key, plan, path)
                if text is not None:
                    texts.append(text)
        if not texts and not self._skip_missing:
            if keys and isinstance(frame[keys[0]], (list, tuple)):
                raise FieldError(path + keys[0], "is an empty list")
            self._text(frame[keys[0]] if keys else ABSENT, "references", keys[0] if keys else None, plan, path)
        return tuple(texts)


def _usual_name(field: str, *, in_session: bool) -> str:
    if not in_session:
        return field
    return "assistant" if field == "answer" else "ground_truth_assistant"


def _columns(frame: Mapping[str, Any], plan: FramePlan, path: str) -> Mapping[str, Any]:
    columns = {}
    for key in plan.columns:
        value = as_scalar(frame[key])
        if value is not None:
            columns[key] = checked_text(value, path + key) if isinstance(value, str) else value
    return columns


def _not_a_frame(value: Any) -> str:
    return f"{describe(value)} where a frame (an object) is expected"

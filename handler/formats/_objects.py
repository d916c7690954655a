"""One JSON object -> records: a session, a streamed batch or a frame that stands alone."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from handler.formats._fields import FLAT_NAMES, listed, normal
from handler.formats._frames import FrameReader, Session
from handler.formats._values import FieldError, clip, describe, unreadable
from handler.samples import EmptySession, Record, Unreadable


def object_records(
    frames: FrameReader, item: Any, number: int, line: int | None, column: int | None = None
) -> Iterator[Record]:
    """The records in one element of a list, one line or one document. number: default id of a frame."""
    if not isinstance(item, dict):
        yield unreadable(line, column, None, f"{describe(item)} where a session or a frame (an object) is expected")
        return
    conversation = conversation_key(item)
    try:
        if conversation is not None:
            yield from _session_records(frames, item, conversation, line, column)
        elif "metadata" in item and "batch" in item:
            yield _streamed(frames, item, number, line, column)
        else:
            yield _flat(frames, item, number, line, column)
    except FieldError as error:
        yield unreadable(line, column, error.field or None, str(error))


def conversation_key(item: Mapping[str, Any]) -> str | None:
    """The key that makes an object a session."""
    if "conversation" in item:
        return "conversation"
    return next((key for key in item if len(key) < 40 and normal(key) == "conversation"), None)


def empty(session: Session, line: int | None, column: int | None) -> EmptySession | Unreadable:
    """The record of a session without frames."""
    if session.problem is not None:
        return unreadable(line, column, session.problem.field, str(session.problem))
    return EmptySession(session.session_id, session.assistant_id)


def _session_records(
    frames: FrameReader, item: Mapping[str, Any], key: str, line: int | None, column: int | None
) -> Iterator[Record]:
    conversation = item[key]
    session = frames.session({name: value for name, value in item.items() if name != key})
    if not isinstance(conversation, list):
        reason = f"session {clip(session.session_id)!r}: {key} is {describe(conversation)}, not a list of frames"
        yield unreadable(line, column, key, reason)
        return
    frames.watch.session(session.session_id, session.assistant_id)
    if not conversation:
        yield empty(session, line, column)
    for number, frame in enumerate(conversation, 1):
        yield frames.in_session(frame, session, number, line=line, path=f"{key}[{number - 1}].")


def _streamed(
    frames: FrameReader, item: Mapping[str, Any], number: int, line: int | None, column: int | None
) -> Record:
    """fair-forge's streamed form: one frame with its session's metadata beside it."""
    metadata, batch = item["metadata"], item["batch"]
    for name, part in (("metadata", metadata), ("batch", batch)):
        if not isinstance(part, dict):
            raise FieldError(name, f"is {describe(part)}, not an object")
    session = frames.session(metadata, "metadata.")
    return frames.in_session(batch, session, number, line=line, column=column, path="batch.")


def _flat(frames: FrameReader, item: Mapping[str, Any], number: int, line: int | None, column: int | None) -> Record:
    plan = frames.plan_for(item, frames.flat_plans, FLAT_NAMES)
    if plan.answer is None and not plan.references:
        like = difflib.get_close_matches("conversation", list(item), 1, 0.7)
        if like or (plan.session_id is not None and plan.sample_id is None):
            help_words = f"did you mean {like[0]!r}?" if like else f"there is: {listed(list(item), 8)}"
            raise FieldError("conversation", f"is missing; {help_words}")
    return frames.flat(item, plan, number, line, column)

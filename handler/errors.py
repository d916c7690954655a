"""Every error a user can meet, and what it means for them.

Each class carries the exit code of the terminal and the machine-readable `code` of `error.json` and problem documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

__all__ = [
    "ForbiddenError",
    "InputError",
    "InternalError",
    "ModelError",
    "OutOfTimeError",
    "RequestError",
    "ScenescoreError",
    "SettingsError",
    "StorageError",
    "error_from",
]


LONGEST_PART = 4000  # characters of a message, a field's name or a hint


class ScenescoreError(Exception):
    """Base of all named errors: one clear line, a code, an exit code. written_to: the folder that holds its error.json."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 3

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(_cut(message))
        self.message = _cut(message)
        self.file = file
        self.line = line
        self.column = column
        self.field = field if field is None else _cut(field)
        self.hint = hint if hint is None else _cut(hint)
        self.written_to: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        text = f"{place}: {self.message}" if place else self.message
        end = "" if text.endswith("?") else "."
        return one_line(f"{text}{end} {self.hint}" if self.hint else text)

    @property
    def is_callers(self) -> bool:
        """Whether it is up to the caller to mend it: trying the same again cannot help."""
        return self.exit_code == 2

    def document(self) -> dict[str, Any]:
        """The content of `error.json`: schema, code, message, file, line, column, field, hint (absent ones are null)."""
        return {
            "schema": "scenescore.error/1",
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "field": self.field,
            "hint": self.hint,
        }


class InputError(ScenescoreError):
    """The file cannot be read as annotations: nothing was scored, and the message names file, line and field."""

    code = "unreadable_input"
    exit_code = 2


class RequestError(ScenescoreError):
    """The call asks for something that does not exist or does not fit together; nothing was read."""

    code = "invalid_request"
    exit_code = 2


class ForbiddenError(RequestError):
    """The request names a location that this installation does not open to requests."""

    code = "forbidden"


class SettingsError(ScenescoreError):
    """The environment variables do not fit together; nothing starts until they do."""

    code = "invalid_settings"
    exit_code = 2


class ModelError(ScenescoreError):
    """The exported model is missing, damaged or not the one asked for; the message says what to type."""

    code = "model_unavailable"
    exit_code = 2

    @property
    def is_callers(self) -> bool:
        """No: where requests come from outside, the installation lacks its model."""
        return False


class StorageError(ScenescoreError):
    """A path or s3:// object could not be read or written: missing, forbidden, damaged or unreachable."""

    code = "storage"
    exit_code = 2


class OutOfTimeError(ScenescoreError):
    """Time ran out before the end; what is scored so far is saved and the same call goes on from there."""

    code = "out_of_time"
    exit_code = 3


class InternalError(ScenescoreError):
    """Our fault. The message says where to look; please report it."""

    code = "internal"
    exit_code = 3


def _cut(text: str) -> str:
    """A message may quote what was sent; whoever sends a megabyte gets less of it back."""
    return text if len(text) <= LONGEST_PART else f"{text[: LONGEST_PART - 1]}…"


def error_from(document: Mapping[str, Any]) -> ScenescoreError:
    """The error that `error.json` or another process tells of; an InputError where its code is not known here."""
    places = {name: document[name] for name in ("file", "line", "column", "field", "hint")}
    return _class_of(document["code"])(document["message"], **places)


def _class_of(code: str) -> type[ScenescoreError]:
    pending: list[type[ScenescoreError]] = [InputError, *ScenescoreError.__subclasses__()]
    for cls in pending:
        if cls.code == code:
            return cls
        pending += cls.__subclasses__()
    return InputError


def one_line(text: str) -> str:
    """`text` with line breaks and control characters made visible, so that a message stays one line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)

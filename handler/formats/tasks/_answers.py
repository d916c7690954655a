"""What an answer file says about one answer, under whichever of the usual names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from handler.formats._fields import check_mapping
from handler.formats._values import ABSENT, FieldError, as_id, as_tags, checked_text, describe, is_missing
from handler.formats.tasks._layout import ANSWER_KEYS
from handler.samples import UNKNOWN_ASSISTANT

__all__ = ["ASSISTANTS", "QUESTIONS", "QUESTION_IDS", "Answer", "Names", "text_at", "text_or_number"]

QUESTION_IDS = ("question_id", "qid", "q_id", "sequence_id", "id")
ASSISTANTS = ("model_id", "assistant_id", "model", "model_name")
QUESTIONS = ("question", "prompt")


class Answer(NamedTuple):
    """id: of the question, None where the file gives none. text: None when missing. question: its text, if told."""

    id: str | None
    text: str | None
    assistant_id: str
    question: str | None
    tags: Mapping[str, Any]


class Names:
    """Where the fields are: what `--map` says, else the usual names."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        given = check_mapping(mapping)
        self._answer = (given["answer"],) if "answer" in given else ANSWER_KEYS
        self._id = (given["sample_id"],) if "sample_id" in given else QUESTION_IDS
        self._assistant = (given["assistant_id"],) if "assistant_id" in given else ASSISTANTS
        self.label = given.get("references", "label")

    def read(self, value: Mapping[str, Any]) -> Answer:
        """Raises FieldError for a value of the wrong kind."""
        question = text_at(value, *QUESTIONS)
        return Answer(
            id=self.id_of(value),
            text=text_or_number(*_at(value, self._answer)),
            assistant_id=as_id(*_at(value, self._assistant)) or UNKNOWN_ASSISTANT,
            question=question,
            tags=as_tags(value.get("tags"), "tags"),
        )

    def id_of(self, value: Mapping[str, Any]) -> str | None:
        """The question's id."""
        return as_id(*_at(value, self._id))


def text_or_number(value: Any, key: str) -> str | None:
    """None for what is missing; a number is what its digits say. Raises FieldError for anything else but text."""
    if is_missing(value):
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise FieldError(key, f"is {describe(value)}, not text")
    return checked_text(value, key)


def text_at(value: Mapping[str, Any], *names: str) -> str | None:
    """The text under the first of the names that has one."""
    return next((value[name] for name in names if isinstance(value.get(name), str)), None)


def _at(value: Mapping[str, Any], names: tuple[str, ...]) -> tuple[Any, str]:
    """The value under the first name that is there, and the name."""
    name = next((name for name in names if name in value), names[0])
    return value.get(name, ABSENT), name

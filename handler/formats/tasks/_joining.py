"""Answers and the entries of another file, matched by id or by the order of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from handler.errors import InputError
from handler.formats._contract import Notices, ReadOptions
from handler.formats._limits import MAX_JOINED
from handler.formats._opening import open_source
from handler.formats._values import FieldError, clip, describe
from handler.formats.tasks._stream import Item, items_of
from handler.samples import Unreadable

__all__ = ["Entry", "Join", "entry_name", "load_entries", "mapping_of", "unanswered"]


class Entry(Protocol):
    """What a joined file holds for one question."""

    @property
    def id(self) -> str | None:
        """The question's id, where it has one."""


Held = TypeVar("Held", bound=Entry)


def mapping_of(item: Item) -> Mapping[str, Any]:
    """The item as an object. Raises FieldError for anything else."""
    if not isinstance(item.value, Mapping):
        raise FieldError("", f"{describe(item.value)} where an object is expected")
    return item.value


def load_entries(
    location: str,
    options: ReadOptions,
    notices: Notices,
    make: Callable[[Mapping[str, Any], str], Held],
    *,
    unique: bool = True,
) -> list[Held]:
    """All entries of a file, held. Raises InputError for the first that cannot be read: a reference must be whole.

    unique: an id may come again only with the same content, of which one is kept; else all are kept as they are.
    """
    entries: list[Held] = []
    known: dict[str, tuple[int, int, int | None]] = {}  # {id: (its place, its position in the file, its line)}
    with open_source(location, options) as source:
        for position, item in enumerate(items_of(source, notices), 1):
            if isinstance(item.value, Unreadable):
                problem = item.value
                raise InputError(problem.reason, file=location, line=problem.line, column=problem.column)
            try:
                entry = make(mapping_of(item), source.stem)
            except FieldError as error:
                raise InputError(str(error), file=location, line=item.line, field=error.field or None) from error
            if unique and entry.id is not None:
                place, *first = known.setdefault(entry.id, (len(entries), position, item.line))
                if place < len(entries):
                    where = f"entries {first[0]} (line {first[1]}) and {position} (line {item.line})"
                    if entries[place] != entry:
                        raise InputError(
                            f"the id {clip(entry.id)!r} stands for two different things: {where}",
                            file=location,
                            line=item.line,
                            hint="Give each an id of its own, or leave out all ids to join by line",
                        )
                    notices.add("duplicate_question", f"{clip(entry.id)!r}: {where}")
                    continue
            entries.append(entry)
            if len(entries) > MAX_JOINED:
                raise InputError(
                    f"more than {MAX_JOINED:,} entries, which are held in memory",
                    file=location,
                    hint="Split the file, and the answers with it",
                )
    if not entries:
        raise InputError("there is nothing in this file to join answers with", file=location)
    return entries


class Join(Generic[Held]):
    """Finds an answer's entry, and knows which entries nothing was said about.

    by_line: position counts though there are ids; where no entry or no answer has one it counts anyway. Of several
    entries with one id, answers go to the last.
    """

    def __init__(self, entries: Sequence[Held], *, by_line: bool) -> None:
        self.entries = entries
        self._places: dict[str, int] = {}
        if not by_line:
            self._places = {entry.id: place for place, entry in enumerate(entries) if entry.id is not None}
        self.by_line = not self._places
        self._seen = bytearray(len(entries))
        self._n_answers = 0
        self._n_surplus = 0

    def fall_back_to_lines(self) -> None:
        """The answers have no ids."""
        self.by_line = True

    def place_of(self, answer_id: str | None) -> int | None:
        """The entry's position; None when there is no such entry."""
        place: int | None = self._n_answers
        self._n_answers += 1
        if not self.by_line:
            if answer_id is None:
                raise FieldError("question_id", "is missing, and other answers have one")
            place = self._places.get(answer_id)
        elif self._places and answer_id is not None:
            raise FieldError("question_id", f"is {clip(answer_id)!r}, and the answers before have none")
        if place is None or place >= len(self.entries):
            return None
        self._seen[place] = True
        return place

    def was_seen(self, answer_id: str | None) -> bool:
        """Whether the id was answered before."""
        place = None if self.by_line or answer_id is None else self._places.get(answer_id)
        return place is not None and bool(self._seen[place])

    def surplus_place(self) -> int:
        """The index of an answer without an entry: after all entries."""
        self._n_surplus += 1
        return len(self.entries) + self._n_surplus - 1

    def rest(self) -> Iterator[tuple[int, Held]]:
        """The entries without an answer, in their order."""
        for place, seen in enumerate(self._seen):
            if not seen:
                yield place, self.entries[place]


def unanswered(join: Join[Held], place: int, entry: Held, unit: str) -> str:
    """What is to be said about an entry without an answer."""
    if entry.id is None and not join.by_line:
        return f"{unit} {place + 1} has no id, and others have: no answer can be joined with it"
    return f"{entry_name(place, entry.id, unit)} has no answer"


def entry_name(place: int, entry_id: str | None, unit: str) -> str:
    """How a message names what was asked. unit: question, picture, ..."""
    return f"{unit} {clip(entry_id)!r}" if entry_id is not None else f"{unit} {place + 1}"

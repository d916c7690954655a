"""What every reader of questions needs: the plan, the options, and the rules for what is missing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from handler.formats._contract import Notices, ReadOptions
from handler.formats._values import FieldError, unreadable
from handler.formats._watch import Watch
from handler.formats.tasks._answers import Answer, Names
from handler.formats.tasks._joining import Entry, Join, entry_name, load_entries, mapping_of, unanswered
from handler.formats.tasks._plan import Plan
from handler.formats.tasks._stream import Item
from handler.samples import Record, Sample, Unreadable

__all__ = ["Context", "problem_of"]

_MOST_AHEAD = 1000  # answers that are held until one has an id
Held = TypeVar("Held", bound=Entry)


class Context:
    """One reading. skips: whether what is missing becomes a sample without it rather than an unreadable item.

    A sequence that nothing was said about scores 0, and the original scripts of POPE and VLM2-Bench pass over what is
    missing, so there it always does; VQA's own tool refuses.
    """

    def __init__(self, plan: Plan, options: ReadOptions, notices: Notices) -> None:
        self.plan = plan
        self.unit = plan.kind.unit
        self.options = options
        self.notices = notices
        self.names = Names(options.mapping)
        self.watch = Watch(notices)
        lenient = plan.task == "sequences" or (options.as_original and plan.task != "vqa")
        self.skips = lenient or options.on_missing == "skip"

    def entries(
        self, location: str, make: Callable[[Mapping[str, Any], str], Held], *, unique: bool = True
    ) -> list[Held]:
        """The entries of a joined file. unique: whether their ids must be."""
        return load_entries(location, self.options, self.notices, make, unique=unique)

    def each(self, items: Iterator[Item], make: Callable[[Mapping[str, Any], Item, int], Sample]) -> Iterator[Record]:
        """Samples of a file that needs no other, in its order."""
        index = 0
        for item in items:
            if isinstance(item.value, Unreadable):
                yield item.value
                continue
            try:
                sample = make(mapping_of(item), item, index)
                self.check(sample, item)
            except FieldError as error:
                yield problem_of(item, error)
                continue
            self.watch.sample(sample.session_id, sample.assistant_id, sample.sample_id)
            yield sample
            index += 1

    def check(self, sample: Sample, item: Item) -> None:
        """Raises FieldError for a missing answer or reference unless such samples are wanted."""
        if not self.skips:
            if sample.answer is None:
                raise FieldError("answer", f"is missing (sample {sample.sample_id!r})")
            if not sample.references:
                raise FieldError("reference", f"is missing (sample {sample.sample_id!r})")

    def joined(
        self,
        items: Iterator[Item],
        join: Join[Held],
        read: Callable[[Mapping[str, Any]], Answer],
        make: Callable[[int, Held | None, Answer | None, Item | None], Sample],
    ) -> Iterator[Record]:
        """Samples of answers and entries. A sample's index is its question's position, whatever the order of answers.

        An answer to no question, and a question without an answer, are missing a reference or an answer: see `skips`.
        """
        items, some_id = _look_ahead(items, read)
        if not some_id:
            join.fall_back_to_lines()
        for item in items:
            if isinstance(item.value, Unreadable):
                yield item.value
                continue
            try:
                yield self._matched(join, read(mapping_of(item)), item, make)
            except FieldError as error:
                yield problem_of(item, error)
        for place, entry in join.rest():
            code = "question_without_id" if entry.id is None and not join.by_line else "unanswered_question"
            self.notices.add(code, entry_name(place, entry.id, self.unit))
            if self.skips:
                yield make(place, entry, None, None)
            else:
                yield unreadable(None, None, "answer", unanswered(join, place, entry, self.unit))

    def _matched(
        self,
        join: Join[Held],
        answer: Answer,
        item: Item,
        make: Callable[[int, Held | None, Answer | None, Item | None], Sample],
    ) -> Record:
        repeated = join.was_seen(answer.id)
        place = join.place_of(answer.id)
        if place is None:
            name = f"answer {answer.id!r}" if answer.id is not None else f"the answer at line {item.line}"
            self.notices.add("answer_without_question", name)
            if not self.skips:
                return unreadable(
                    item.line, item.column, "question_id", f"{name} has no {self.unit} in the joined file"
                )
            return make(join.surplus_place(), None, answer, item)
        if repeated:
            self.notices.add("duplicate_sample_id", entry_name(place, answer.id, self.unit))
        if answer.text is None and not self.skips:
            raise FieldError("answer", f"is missing ({entry_name(place, answer.id, self.unit)})")
        return make(place, join.entries[place], answer, item)


def _look_ahead(items: Iterator[Item], read: Callable[[Mapping[str, Any]], Answer]) -> tuple[Iterator[Item], bool]:
    """All items, and whether one of the first has an id."""
    ahead: list[Item] = []
    for item in items:
        ahead.append(item)
        if _has_id(item, read):
            return itertools.chain(ahead, items), True
        if len(ahead) == _MOST_AHEAD:
            break
    return itertools.chain(ahead, items), False


def _has_id(item: Item, read: Callable[[Mapping[str, Any]], Answer]) -> bool:
    try:
        return not isinstance(item.value, Unreadable) and read(mapping_of(item)).id is not None
    except FieldError:
        return False


def problem_of(item: Item, error: FieldError) -> Unreadable:
    """The record of an item that cannot be used."""
    return unreadable(item.line, item.column, error.field or None, str(error))

"""Captions of pictures: COCO results joined with COCO annotations, LLaVA's answers, records that hold everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from handler.errors import InputError
from handler.formats._fields import check_mapping
from handler.formats._limits import MAX_JOINED
from handler.formats._opening import open_source
from handler.formats._values import FieldError, as_id, as_tags, checked_text, describe, is_missing
from handler.formats.tasks._answers import ASSISTANTS, QUESTIONS, Answer, text_at
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import Join, mapping_of
from handler.formats.tasks._layout import ANSWER_KEYS
from handler.formats.tasks._stream import Item, listed_items
from handler.samples import UNKNOWN_ASSISTANT, CaptionSample, Record, Sample, Unreadable

__all__ = ["caption_records"]

_FIELDS: Mapping[str, tuple[str, ...]] = {  # the likeliest first
    "answer": ("caption", *ANSWER_KEYS),
    "references": ("references", "captions", "reference"),
    "sample_id": ("image_id", "image", "file_name", "question_id", "id"),
    "assistant_id": ASSISTANTS,
}
_IMAGES = ("image", "image_path", "file_name")
_LISTS = ("annotations", "images")


class _Picture(NamedTuple):
    """What people said about a picture, in the file's order, and where it is."""

    id: str | None
    references: tuple[str, ...]
    image: str | None
    stem: str


class _Names:
    """Where the fields are: what `--map` says, else the usual names."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        given = check_mapping(mapping)
        self._names = {field: (given[field],) if field in given else names for field, names in _FIELDS.items()}
        self._mapped_id = given.get("sample_id", "image_id")

    def at(self, value: Mapping[str, Any], field: str) -> tuple[Any, str]:
        """The value under the first name that is there, and the name."""
        names = self._names[field]
        name = next((name for name in names if name in value), names[0])
        return value.get(name), name

    def mapped_id(self, value: Mapping[str, Any]) -> tuple[Any, str]:
        """Of an annotation, whose `id` is its own and not the picture's."""
        return value.get(self._mapped_id), self._mapped_id

    def answer(self, value: Mapping[str, Any]) -> Answer:
        """Raises FieldError for a value of the wrong kind."""
        return Answer(
            id=as_id(*self.at(value, "sample_id")),
            text=_text(*self.at(value, "answer")),
            assistant_id=as_id(*self.at(value, "assistant_id")) or UNKNOWN_ASSISTANT,
            question=text_at(value, *QUESTIONS),
            tags=as_tags(value.get("tags"), "tags"),
        )

    def joined_answer(self, value: Mapping[str, Any]) -> Answer:
        """The same where it is joined with pictures, all of which have ids."""
        answer = self.answer(value)
        if answer.id is None:
            raise FieldError("image_id", "is missing")
        return answer

    def references(self, value: Mapping[str, Any]) -> tuple[str, ...]:
        """A text, a list of texts or a list of annotations."""
        given, key = self.at(value, "references")
        if is_missing(given):
            return ()
        found = []
        for place, one in enumerate(given if isinstance(given, list) else [given]):
            path = f"{key}[{place}]" if isinstance(given, list) else key
            text = _text(one.get("caption") if isinstance(one, Mapping) else one, path)
            if text is None:
                raise FieldError(path, "is missing")
            found.append(text)
        return tuple(found)


def caption_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """Joined by the picture's id with the annotations where there are some; else each item holds its references itself.

    Annotations are of whole data sets and results often of a part, so a picture without a caption is a sample without an
    answer, never an unreadable one, whatever `on_missing` says; a caption of a picture that is not in the annotations is
    a sample without references. Both are told as notices.
    """
    context.skips = True
    names = _Names(context.options.mapping)
    location = context.plan.references
    if location is None:
        yield from context.each(items, lambda value, item, index: _whole(names, value, item, index))
        return
    pictures = _pictures(location, context, names)

    def make(place: int, found: _Picture | None, answer: Answer | None, item: Item | None) -> Sample:
        value = mapping_of(item) if item else {}
        picture = found or _Picture(None, (), None, pictures[0].stem)
        return _sample(place, picture, answer, value, item.line if item else None)

    yield from context.joined(items, Join(pictures, by_line=False), names.joined_answer, make)


def _whole(names: _Names, value: Mapping[str, Any], item: Item, index: int) -> CaptionSample:
    answer = names.answer(value)
    return _sample(index, _Picture(answer.id, names.references(value), None, item.stem), answer, value, item.line)


def _sample(
    place: int, picture: _Picture, answer: Answer | None, value: Mapping[str, Any], line: int | None
) -> CaptionSample:
    question = answer.question if answer else None
    return CaptionSample(
        index=place,
        session_id=picture.stem,
        assistant_id=answer.assistant_id if answer else UNKNOWN_ASSISTANT,
        sample_id=picture.id or (answer.id if answer else None) or str(place + 1),
        answer=answer.text if answer else None,
        references=picture.references,
        tags=answer.tags if answer else {},
        columns={"question": question} if question is not None else {},
        line=line,
        image=text_at(value, *_IMAGES) or picture.image,
    )


def _pictures(location: str, context: Context, names: _Names) -> list[_Picture]:
    """The pictures of an annotations file that somebody said something about, in the order of first mention.

    Raises InputError for the first entry that cannot be read: references must be whole.
    """
    said: dict[str, list[str]] = {}
    paths: dict[str, str] = {}
    n = 0
    with open_source(location, context.options) as source:
        stem = source.stem
        for key, item in listed_items(source, context.notices, _LISTS):
            if isinstance(item.value, Unreadable):
                raise InputError(item.value.reason, file=location, line=item.value.line, column=item.value.column)
            n += 1
            if n > MAX_JOINED:
                raise InputError(f"more than {MAX_JOINED:,} entries, which are held in memory", file=location)
            try:
                if key == "images":
                    _note_path(mapping_of(item), paths)
                else:
                    _note_captions(mapping_of(item), names, said, paths)
            except FieldError as error:
                raise InputError(str(error), file=location, line=item.line, field=error.field or None) from error
    if not said:
        raise InputError("there is no caption in this file to compare with", file=location, field="annotations")
    return [_Picture(picture, tuple(texts), paths.get(picture), stem) for picture, texts in said.items()]


def _note_path(value: Mapping[str, Any], paths: dict[str, str]) -> None:
    picture, path = as_id(value.get("id"), "images.id"), text_at(value, *_IMAGES)
    if picture is not None and path is not None:
        paths[picture] = path


def _note_captions(value: Mapping[str, Any], names: _Names, said: dict[str, list[str]], paths: dict[str, str]) -> None:
    """One annotation, or one picture with all captions of it."""
    given, key = (value["image_id"], "image_id") if "image_id" in value else names.mapped_id(value)
    picture = as_id(given, key)
    if picture is None:
        raise FieldError(key, "is missing")
    texts = names.references(value)
    if not texts:
        text = _text(value.get("caption"), "caption")
        if text is None:
            raise FieldError("caption", "is missing")
        texts = (text,)
    said.setdefault(picture, []).extend(texts)
    if (path := text_at(value, *_IMAGES)) is not None:
        paths.setdefault(picture, path)


def _text(value: Any, key: str) -> str | None:
    """None for what is missing."""
    if is_missing(value):
        return None
    if not isinstance(value, str):
        raise FieldError(key, f"is {describe(value)}, not text")
    return checked_text(value, key)

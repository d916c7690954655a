"""Transcripts: NeMo manifests, Hugging Face style records and tables, whole or joined with what was said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from handler.formats._fields import check_mapping, normal
from handler.formats._values import FieldError, as_id, as_scalar, as_tags
from handler.formats.tasks._answers import Answer, text_or_number
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import Join, mapping_of
from handler.formats.tasks._stream import Item
from handler.samples import UNKNOWN_ASSISTANT, Record, Sample, SpeechSample

__all__ = ["speech_records"]

_NAMES: Mapping[
    str, tuple[str, ...]
] = {  # in normal form, the likeliest first; a key serves the first field that takes it
    "answer": ("hypothesis", "hyp", "predtext", "predictedtext", "prediction", "predicted", "pred"),
    "references": ("references", "reference", "ref", "groundtruth", "text", "transcript", "sentence", "transcription"),
    "sample_id": ("utteranceid", "uttid", "sampleid", "id", "audiofilepath", "audiopath", "path", "filename", "file"),
    "assistant_id": ("assistantid", "modelid", "modelname", "model", "system"),
    "session_id": ("sessionid", "session"),
    "language": ("language", "lang"),
    "tags": ("tags",),
}
_EITHER = ("transcription", "transcript", "text", "sentence")
"""What the model wrote where nothing else is: beside a reference, or in a file that is joined with one."""
_NUMBER = re.compile(r"[0-9]{1,2}$")

Mapped = tuple[tuple[str, str], ...]


class _Keys(NamedTuple):
    """Where the fields are; "" for none. columns: the keys that no field takes."""

    answer: str
    references: tuple[str, ...]
    sample_id: str
    assistant_id: str
    session_id: str
    language: str
    tags: str
    columns: tuple[str, ...]


class _Said(NamedTuple):
    """An utterance of the file that transcripts are joined with."""

    id: str | None
    references: tuple[str, ...]
    columns: Mapping[str, Any]
    stem: str


def speech_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """Joined with the references where there is a file of them, by id or else by line; else each item holds both.

    Keys that no field takes, such as `duration`, become columns.
    """
    mapping = tuple(check_mapping(context.options.mapping).items())
    if context.plan.references is None:
        yield from context.each(items, lambda value, item, index: _whole(value, item, index, mapping))
        return
    said = context.entries(context.plan.references, lambda value, stem: _said(value, stem, mapping))

    def make(place: int, found: _Said | None, answer: Answer | None, item: Item | None) -> Sample:
        value = mapping_of(item) if item else {}
        sample_id = (found.id if found else None) or (answer.id if answer else None) or str(place + 1)
        stem = found.stem if found else said[0].stem
        return _sample(
            place,
            value,
            _keys(tuple(value), mapping, joined=True),
            item.line if item else None,
            sample_id=sample_id,
            stem=stem,
            references=found.references if found else (),
            columns=found.columns if found else {},
        )

    join = Join(said, by_line=False)
    yield from context.joined(items, join, lambda value: _answer(value, mapping), make)


def _whole(value: Mapping[str, Any], item: Item, index: int, mapping: Mapped) -> SpeechSample:
    keys = _keys(tuple(value), mapping, joined=False)
    sample_id = as_id(*_at(value, keys.sample_id)) or str(item.line or index + 1)
    references = _references(value, keys)
    return _sample(
        index, value, keys, item.line, sample_id=sample_id, stem=item.stem, references=references, columns={}
    )


def _said(value: Mapping[str, Any], stem: str, mapping: Mapped) -> _Said:
    keys = _keys(tuple(value), mapping, joined=False)
    references = _references(value, keys)
    if not references:
        raise FieldError("reference", "is missing")
    return _Said(as_id(*_at(value, keys.sample_id)), references, _columns(value, keys), stem)


def _answer(value: Mapping[str, Any], mapping: Mapped) -> Answer:
    keys = _keys(tuple(value), mapping, joined=True)
    sample_id = as_id(*_at(value, keys.sample_id))
    return Answer(sample_id, text_or_number(*_at(value, keys.answer)), UNKNOWN_ASSISTANT, None, {})


def _sample(
    index: int,
    value: Mapping[str, Any],
    keys: _Keys,
    line: int | None,
    *,
    sample_id: str,
    stem: str,
    references: tuple[str, ...],
    columns: Mapping[str, Any],
) -> SpeechSample:
    language, _ = _at(value, keys.language)
    return SpeechSample(
        index=index,
        session_id=as_id(*_at(value, keys.session_id)) or stem,
        assistant_id=as_id(*_at(value, keys.assistant_id)) or UNKNOWN_ASSISTANT,
        sample_id=sample_id,
        answer=text_or_number(*_at(value, keys.answer)),
        references=references,
        language=language if isinstance(language, str) and language else None,
        tags=as_tags(*_at(value, keys.tags)),
        columns={**columns, **_columns(value, keys)},
        line=line,
    )


def _references(value: Mapping[str, Any], keys: _Keys) -> tuple[str, ...]:
    """All that is there: a column each, or a list."""
    found: list[str] = []
    for key in keys.references:
        given = value[key]
        for place, one in enumerate(given if isinstance(given, list) else [given]):
            text = text_or_number(one, f"{key}[{place}]" if isinstance(given, list) else key)
            if text is not None:
                found.append(text)
    return tuple(found)


def _at(value: Mapping[str, Any], key: str) -> tuple[Any, str]:
    """The value and its key; a table may have a column without a name, which is no field."""
    return (value.get(key) if key else None), key


def _columns(value: Mapping[str, Any], keys: _Keys) -> dict[str, Any]:
    scalars = {key: as_scalar(value[key]) for key in keys.columns}
    return {key: scalar for key, scalar in scalars.items() if scalar is not None}


@lru_cache(maxsize=256)  # sets of keys: the records of a file have few
def _keys(keys: tuple[str, ...], mapping: Mapped, *, joined: bool) -> _Keys:
    """joined: these are transcripts whose references are in another file."""
    found = {field: _mapped(field, name, keys) for field, name in mapping}

    def free() -> dict[str, str]:
        taken = {key for several in found.values() for key in several}
        return {normal(key): key for key in reversed(keys) if key not in taken}

    for field, names in _NAMES.items():
        if field not in found:
            choose = _numbered if field == "references" else _first
            found[field] = () if joined and field == "references" else choose(names, free())
        if field == "references" and not found["answer"] and "answer" not in dict(mapping):
            found["answer"] = _first(_EITHER, free()) if joined or found["references"] else ()
    single = {field: next(iter(found[field]), "") for field in _NAMES if field != "references"}
    columns = tuple(key for plain, key in free().items() if plain != "weight")
    return _Keys(**single, references=found["references"], columns=columns[::-1])


def _mapped(field: str, name: str, keys: Sequence[str]) -> tuple[str, ...]:
    """The keys that `--map` names, as written or but for case and underscores."""
    names = [part.strip() for part in name.split(",")] if field == "references" and name not in keys else [name]
    by_normal = {normal(key): key for key in keys}
    return tuple(key for one in names if (key := one if one in keys else by_normal.get(normal(one))) is not None)


def _numbered(names: Sequence[str], free: Mapping[str, str]) -> tuple[str, ...]:
    """The keys of the first name that is there, those with a number behind it included: reference, reference_2."""
    several = ([key for plain, key in free.items() if _NUMBER.sub("", plain) == name] for name in names)
    return tuple(sorted(next(filter(None, several), []), key=lambda key: (len(key), key)))


def _first(names: Sequence[str], free: Mapping[str, str]) -> tuple[str, ...]:
    return next(((free[name],) for name in names if name in free), ())

"""Manifests of generated videos: CSV, JSON and JSON Lines, VBench's full-info files, and folders of videos.

The samples say where each video is and what its prompt asks for; what is seen in it comes from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from handler import storage
from handler.errors import InputError, RequestError
from handler.formats._fields import normal
from handler.formats._opening import open_source
from handler.formats._values import FieldError, as_id, as_scalar, as_tags, checked_text, describe, is_missing
from handler.formats.tasks._context import Context
from handler.formats.tasks._joining import mapping_of
from handler.formats.tasks._stream import Item, items_of
from handler.samples import UNKNOWN_ASSISTANT, Record, Sample, Unreadable, VideoSample

__all__ = ["asked_by", "video_records"]

_NAMES: Mapping[str, tuple[str, ...]] = {  # in normal form, the likeliest first
    "video": ("video", "videopath", "videofile"),
    "videos": ("videolist",),
    "prompt": ("prompt", "textprompt", "prompten"),
    "dimensions": ("dimension", "dimensions"),
    "color": ("color", "colour"),
    "object": ("object",),
    "objects": ("objects",),
    "object_a": ("objecta",),
    "object_b": ("objectb",),
    "relationship": ("relationship", "relation"),
    "auxiliary_info": ("auxiliaryinfo",),
    "session_id": ("sessionid", "session"),
    "assistant_id": ("assistantid", "model", "modelid", "modelname", "generator"),
    "sample_id": ("sampleid", "id"),
    "tags": ("tags",),
}
_LISTED = re.compile(r"[;,|]")
_TEXTS = ("color", "object", "object_a", "object_b", "relationship")


def video_records(items: Iterator[Item], context: Context) -> Iterator[Record]:
    """A sample per video. With VBench's prompts beside, videos and prompts are joined by the prompt's words.

    A prompt without a video is a notice. A video whose prompt is in no row cannot be read, unless such are skipped.
    """
    skips, context.skips = context.skips, True  # of what is missing: there are no answers and no references
    mapping = _checked(context.options.mapping)
    location = context.plan.questions
    known = _prompts(location, context) if location else None
    seen: set[str] = set()

    def make(value: Mapping[str, Any], item: Item, index: int) -> Sample:
        fields = _fields(value, mapping)
        if known is None:
            return _sample(fields, item, index)
        prompt = _text(fields, "prompt")
        asked = known.get(prompt or "")
        if asked is None and not skips:
            raise FieldError("prompt", f"{prompt!r} is in no row of {storage.name_of(location or '')}")
        seen.add(prompt or "")
        return _sample({**fields, **(asked or {})}, item, index)

    yield from context.each(_single(items, context, mapping), make)
    for prompt in (known or {}).keys() - seen:
        context.notices.add("prompt_without_video", prompt)


def asked_by(info: Any) -> dict[str, Any]:
    """What an `auxiliary_info` asks for, as fields of a VideoSample.

    VBench's holds an object per dimension (`{"color": {"color": "red"}}`), FastVideo's the values themselves
    (`{"color": "red"}`). Raises FieldError for what is neither.
    """
    if is_missing(info):
        return {}
    if not isinstance(info, Mapping):
        raise FieldError("auxiliary_info", f"is {describe(info)}, not an object")
    flat: dict[str, Any] = {}
    for name, value in info.items():
        flat |= asked_by(value) if isinstance(value, Mapping) else {name: value}
    fields = {field: _text(flat, field, "auxiliary_info.") for field in _TEXTS}
    return {field: text for field, text in fields.items() if text is not None}


def _single(items: Iterator[Item], context: Context, mapping: Mapping[str, str]) -> Iterator[Item]:
    """A row that lists several videos as that many items, each with its place."""
    for item in items:
        if isinstance(item.value, Mapping):
            videos = _fields(item.value, mapping).get("videos")
            if isinstance(videos, list):
                if not videos:
                    context.notices.add("prompt_without_video", str(_fields(item.value, mapping).get("prompt")))
                rest = {name: one for name, one in item.value.items() if one is not videos}
                yield from (item._replace(value={**rest, "video": one}) for one in videos)
                continue
        yield item


def _sample(fields: Mapping[str, Any], item: Item, index: int) -> VideoSample:
    video = _text(fields, "video")
    if not video:
        raise FieldError("video", "is missing")
    prompt = _text(fields, "prompt")
    asked = {field: text for field in _TEXTS if (text := _text(fields, field)) is not None}
    columns = {"video": video, "prompt": prompt, **asked, **fields["columns"]}
    return VideoSample(
        index=index,
        session_id=as_id(fields.get("session_id"), "session_id") or item.stem,
        assistant_id=as_id(fields.get("assistant_id"), "assistant_id") or UNKNOWN_ASSISTANT,
        sample_id=as_id(fields.get("sample_id"), "sample_id") or storage.name_of(video),
        answer=None,
        references=(),
        tags=as_tags(fields.get("tags"), "tags"),
        columns={name: one for name, one in columns.items() if one is not None},
        line=item.line,
        prompt=prompt,
        dimensions=_listed(fields, "dimensions"),
        objects=_listed(fields, "objects"),
        video=video,
        **{**asked_by(fields.get("auxiliary_info")), **asked},
    )


def _fields(value: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """The values by our names; `columns` holds the scalars of all other keys."""
    by_normal = {normal(key): key for key in reversed(list(value))}
    found: dict[str, str] = {field: key for field, key in mapping.items() if key in value}
    for field, names in _NAMES.items():
        known = [by_normal[one] for one in names if one in by_normal]
        if known:
            found.setdefault(field, known[0])
    rest = {key: as_scalar(one) for key, one in value.items() if key not in found.values()}
    columns = {key: one for key, one in rest.items() if one is not None}
    return {**{field: value[key] for field, key in found.items()}, "columns": columns}


def _checked(mapping: Mapping[str, str]) -> dict[str, str]:
    fields = {normal(field): field for field in _NAMES}
    for name in mapping:
        if normal(name) not in fields:
            raise RequestError(
                f"cannot map {name!r}: videos have no such field", field="map", hint=f"Fields: {', '.join(_NAMES)}"
            )
    return {fields[normal(name)]: key for name, key in mapping.items()}


def _prompts(location: str, context: Context) -> dict[str, dict[str, Any]]:
    """What each prompt of a full-info file asks for; rows of one prompt are taken together. Raises InputError."""
    known: dict[str, dict[str, Any]] = {}
    with open_source(location, context.options) as source:
        for item in items_of(source, context.notices):
            try:
                if isinstance(item.value, Unreadable):
                    raise FieldError(item.value.field or "", item.value.reason)
                fields = _fields(mapping_of(item), {})
                prompt = _text(fields, "prompt")
                if not prompt:
                    raise FieldError("prompt", "is missing")
                asked = asked_by(fields.get("auxiliary_info"))
                before = known.setdefault(prompt, {"dimensions": []})
                before |= asked
                before["dimensions"] += [
                    one for one in _listed(fields, "dimensions") if one not in before["dimensions"]
                ]
            except FieldError as error:
                raise InputError(str(error), file=location, line=item.line, field=error.field or None) from error
    if not known:
        raise InputError("there is no prompt in this file", file=location)
    return known


def _listed(fields: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """A list of texts, or one text with commas, semicolons or bars between."""
    given = fields.get(field)
    parts = _LISTED.split(given) if isinstance(given, str) else ([] if is_missing(given) else given)
    if not isinstance(parts, list) or not all(isinstance(one, str) for one in parts):
        raise FieldError(field, f"is {describe(given)}, not a text or a list of texts")
    found = (checked_text(one, field).strip() for one in parts)
    plain = (one.replace(" ", "_") if field == "dimensions" else one for one in found)
    return tuple(one.removeprefix("vbench.") for one in plain if one)


def _text(fields: Mapping[str, Any], field: str, within: str = "") -> str | None:
    """The text, None for what is missing or blank: an empty cell of a table says nothing."""
    given = fields.get(field)
    if is_missing(given):
        return None
    if not isinstance(given, str):
        raise FieldError(within + field, f"is {describe(given)}, not text")
    return checked_text(given, within + field).strip() or None

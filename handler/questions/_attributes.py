"""Gated sequences from a table of attributes: a coarse counting question and fine-grained yes/no questions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from handler.errors import InputError, RequestError
from handler.formats import ReadOptions, read_objects

__all__ = ["TEMPLATES", "View", "read_sequences", "sequence_questions"]

TEMPLATES: Mapping[str, str] = {
    "colour": "Is the {object} in the {place} image {value}?",
    "color": "Is the {object} in the {place} image {value}?",
    "text": "Does the {object} in the {place} image carry the text {value}?",
    "number": "Is there a number {value} on the {object} in the {place} image?",
    "shape": "Is the {object} in the {place} image shaped like {value}?",
}
OTHER = "Is the {attribute} of the {object} in the {place} image {value}?"
COARSE = "How many different {object}s are in these images?"
SAME = "Do the {one} and the {other} image show the same {object}?"
_NOT_ATTRIBUTES = ("sequence_id", "image", "object", "identity", "task")
_PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()


class View(NamedTuple):
    """One image of a sequence. identity: which of the objects it shows. attributes: those that are stated."""

    image: str
    identity: str
    attributes: Mapping[str, str]


class ImageSequence(NamedTuple):
    """A sequence of images of one kind of object."""

    sequence_id: str
    task: str
    object: str
    views: tuple[View, ...]


def read_sequences(location: str) -> list[ImageSequence]:
    """A table (CSV, JSON or JSON Lines) with a row an image, in order: sequence_id, object, image, identity, and a column
    for each attribute.

    Without `identity`, images with equal attributes show the same object. An empty cell states nothing. Raises InputError
    naming file and line.
    """
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for one in read_objects(location, ReadOptions()):
        for name in ("sequence_id", "object"):
            if not one.value.get(name):
                raise InputError(f"{name} is missing", file=location, line=one.line, field=name)
        rows.setdefault(str(one.value["sequence_id"]), []).append(one.value)
    if not rows:
        raise InputError("there are no rows in this table", file=location, hint="Write a row for each image")
    return [_sequence(sequence_id, images, location) for sequence_id, images in rows.items()]


def _sequence(sequence_id: str, rows: Sequence[Mapping[str, Any]], location: str) -> ImageSequence:
    if len(rows) > len(_PLACES):
        raise InputError(f"sequence {sequence_id!r} has more than {len(_PLACES)} images", file=location)
    views = []
    for number, row in enumerate(rows, 1):
        attributes = {key: str(value).strip() for key, value in row.items() if key not in _NOT_ATTRIBUTES}
        attributes = {key: value for key, value in attributes.items() if value and value != "None"}
        identity = str(row.get("identity") or sorted(attributes.items()))
        views.append(View(str(row.get("image") or f"{sequence_id}_{number}"), identity, attributes))
    first = rows[0]
    return ImageSequence(sequence_id, str(first.get("task") or "counting"), str(first["object"]), tuple(views))


def sequence_questions(
    sequences: Sequence[ImageSequence], *, seed: int = 0, templates: Mapping[str, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Per sequence the coarse question (how many different ones) and the fine ones.

    Each stated attribute gives a question with its own value (yes) and one with another value of that attribute (no),
    drawn from the other images of the sequence, else from the other sequences; each pair of neighbouring images gives one
    about being the same. templates: {attribute: text with {object}, {place}, {value}, {attribute}}.
    """
    worded = {**TEMPLATES, **(templates or {})}
    everywhere = _values(itertools.chain.from_iterable(one.views for one in sequences))
    for sequence in sequences:
        chooser = random.Random(f"{seed}/{sequence.sequence_id}")  # noqa: S311 - repeatable, no secret
        fine = [*_about_attributes(sequence, worded, everywhere, chooser), *_about_sameness(sequence)]
        yield {
            "sequence_id": sequence.sequence_id,
            "task": sequence.task,
            "images": [view.image for view in sequence.views],
            "coarse": {
                "question": COARSE.format(object=sequence.object),
                "type": "count",
                "answer": str(len({view.identity for view in sequence.views})),
            },
            "fine": fine,
        }


def _values(views: Iterable[View]) -> dict[str, list[str]]:
    """{attribute: its different values}."""
    found: dict[str, dict[str, None]] = {}
    for view in views:
        for name, value in view.attributes.items():
            found.setdefault(name, {})[value] = None
    return {name: list(values) for name, values in found.items()}


def _about_attributes(
    sequence: ImageSequence, templates: Mapping[str, str], everywhere: Mapping[str, list[str]], chooser: random.Random
) -> Iterator[dict[str, str]]:
    here = _values(sequence.views)
    for place, view in zip(_PLACES, sequence.views, strict=False):
        for name, value in view.attributes.items():
            others = _others(value, here[name]) or _others(value, everywhere[name])
            asked = [(value, "yes"), *([(chooser.choice(others), "no")] if others else [])]
            for said, answer in asked:
                facts = {"object": sequence.object, "place": place, "value": said, "attribute": name}
                question = _worded(templates.get(name, OTHER), facts)
                yield {"question": question, "answer": answer, "attribute": name}


def _worded(template: str, facts: Mapping[str, str]) -> str:
    try:
        return template.format_map(facts)
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        raise RequestError(
            f"the template {template!r} cannot be filled in", field="template", hint=f"It may hold: {', '.join(facts)}"
        ) from error


def _others(value: str, values: Iterable[str]) -> list[str]:
    return [one for one in values if one.casefold() != value.casefold()]


def _about_sameness(sequence: ImageSequence) -> Iterator[dict[str, str]]:
    for (one, first), (other, second) in itertools.pairwise(zip(_PLACES, sequence.views, strict=False)):
        answer = "yes" if first.identity == second.identity else "no"
        question = SAME.format(one=one, other=other, object=sequence.object)
        yield {"question": question, "answer": answer, "attribute": "identity"}

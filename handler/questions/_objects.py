"""What is in each picture: from COCO instances, or from one list of objects a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from handler.errors import InputError
from handler.formats import PlainObject, ReadOptions, read_objects

__all__ = ["Picture", "read_pictures"]

_COCO = ("images", "annotations", "categories")
_PICTURE_KEYS = ("image", "file_name", "image_id", "id")


class Picture(NamedTuple):
    """image: its name. objects: the different ones, in the order of the file."""

    image: str
    objects: tuple[str, ...]


def read_pictures(location: str) -> list[Picture]:
    """COCO instances JSON (images, annotations, categories), or objects with `image` and `objects` (a list of names).

    Raises InputError naming file and line, StorageError when the file is not there.
    """
    found: dict[str, list[PlainObject]] = {}
    for one in read_objects(location, ReadOptions(), lists=_COCO):
        kept = one._replace(value=_needed(one.value)) if one.key == "annotations" else one
        found.setdefault(one.key, []).append(kept)
    if not found:
        raise InputError("there are no pictures in this file", file=location)
    if "" in found:
        return _distinct([(_picture(one, location), one.line) for one in found[""]], location)
    if missing := [key for key in _COCO if key not in found]:
        raise InputError(
            f"there are no {missing[0]} in this document: the list is empty or not there",
            file=location,
            field=missing[0],
        )
    return _distinct(_coco(found, location), location)


def _distinct(pictures: Iterable[tuple[Picture, int | None]], location: str) -> list[Picture]:
    """Each picture once. Raises InputError for a name that stands for two: a question names its picture by it."""
    known: dict[str, tuple[Picture, int | None]] = {}
    for picture, line in pictures:
        first, first_line = known.setdefault(picture.image, (picture, line))
        if set(first.objects) != set(picture.objects):
            raise InputError(
                f"two pictures are called {picture.image!r} and hold different objects: lines {first_line} and {line}",
                file=location,
                line=line,
                hint="Give each picture a name of its own",
            )
    return [picture for picture, _ in known.values()]


def _needed(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """An instance without its outline, which is most of the file."""
    return {key: annotation.get(key) for key in ("image_id", "category_id")}


def _coco(found: Mapping[str, list[PlainObject]], location: str) -> Iterator[tuple[Picture, int | None]]:
    names = {one.value.get("id"): str(one.value.get("name")) for one in found["categories"]}
    objects: dict[Any, dict[str, None]] = {}
    for one in found["annotations"]:
        category = one.value["category_id"]
        if category not in names:
            raise InputError(f"there is no category {category!r}", file=location, line=one.line, field="category_id")
        objects.setdefault(one.value["image_id"], {})[names[category]] = None
    for one in found["images"]:
        inside = objects.get(one.value.get("id"), {})
        yield Picture(str(one.value.get("file_name", one.value.get("id"))), tuple(inside)), one.line


def _picture(one: PlainObject, location: str) -> Picture:
    image = next((one.value[key] for key in _PICTURE_KEYS if key in one.value), None)
    if image is None:
        raise InputError("image is missing", file=location, line=one.line, field="image")
    objects = one.value.get("objects")
    if isinstance(objects, str):  # a table's cell
        objects = [name.strip() for name in objects.replace(";", ",").split(",")]
    if not isinstance(objects, list) or not all(isinstance(name, str) for name in objects):
        raise InputError("objects is not a list of names", file=location, line=one.line, field="objects")
    return Picture(str(image), tuple(dict.fromkeys(name for name in objects if name)))

"""What was seen of a video before the watcher was told to stop, kept for whoever goes on."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import orjson
from pydantic import TypeAdapter, ValidationError

from handler import storage
from handler.samples import Detection
from handler.video import DetectionsKey

__all__ = ["forget_partial", "keep_partial", "read_partial"]

Found = list[tuple[Detection, ...]]


@dataclass(frozen=True, slots=True)
class _Partial:
    key: str
    frames: Found


_ADAPTER: TypeAdapter[_Partial] = TypeAdapter(_Partial)


def keep_partial(folder: str, key: DetectionsKey, found: Found) -> None:
    """Write the detections of a video's first distinct frames."""
    storage.write_bytes(_location(folder, key), orjson.dumps(asdict(_Partial(key.name, found))))


def read_partial(folder: str, key: DetectionsKey) -> Found:
    """The detections of the first frames; none where nothing was kept or it is damaged: then they are looked at again."""
    location = _location(folder, key)
    if storage.stat(location) is None:
        return []
    try:
        found = _ADAPTER.validate_json(storage.read_bytes(location))
    except ValidationError:
        return []
    return found.frames if found.key == key.name else []


def forget_partial(folder: str, key: DetectionsKey) -> None:
    """Remove it: the video's file stands."""
    storage.delete(_location(folder, key))


def _location(folder: str, key: DetectionsKey) -> str:
    return storage.join(folder, "_partial", key.name)

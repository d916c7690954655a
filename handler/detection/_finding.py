"""Detections files that are there already, by the video they are about."""

from __future__ import annotations

from collections.abc import Sequence

from handler import storage
from handler.errors import InputError
from handler.video import UNRESIZED, Detections, DetectionsKey, read_detections

__all__ = ["find_of_any_detector", "names_in"]


def names_in(folder: str) -> tuple[str, ...]:
    """The names of the detections files in a folder, sorted; none where there is no such folder."""
    try:
        found = [info.location for info in storage.list_objects(f"{folder.rstrip('/')}/")]
    except storage.NotFoundError:
        return ()
    inside = (one for one in found if "/_partial/" not in one)
    return tuple(sorted(storage.name_of(one) for one in inside if one.endswith(".json")))


def find_of_any_detector(folder: str, names: Sequence[str], key: DetectionsKey) -> Detections | None:
    """The file among those names that is about a video, whichever detector looked at it; `key.detector` is passed over.

    Raises InputError when several detectors looked at it, for then nothing says which of them is meant.
    """
    start = f"{key.sha256[:16]}-"
    files = [read_detections(storage.join(folder, name)) for name in names if name.startswith(start)]
    fitting = [one for one in files if _fits(one, key)]
    if len({one.detector.signature for one in fitting}) > 1:
        raise InputError(
            "several detectors looked at this video",
            file=fitting[0].source,
            field="detections",
            hint="Name the one that is meant with --detector DIR",
        )
    return fitting[0] if fitting else None


def _fits(one: Detections, key: DetectionsKey) -> bool:
    same = (one.sha256, one.sampling.rule, one.sampling.n) == (key.sha256, key.rule, key.n)
    return same and one.resize in (key.resize, UNRESIZED)

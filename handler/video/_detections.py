"""The detections file: what a detector saw in one video or picture, as data that metrics read."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from handler import storage
from handler.counting import many
from handler.errors import InputError
from handler.samples import DetectedFrame, Detection
from handler.video._resize import UNRESIZED

__all__ = [
    "Detections",
    "DetectionsKey",
    "Detector",
    "Sampling",
    "find_detections",
    "read_detections",
    "sample_fields",
    "store_detections",
    "write_detections",
]

SCHEMA = "scenescore.detections/1"
_NAME_DIGITS = 16  # hex digits: 64 bits of a hash tell any two files of a data set apart
_HINT = "Delete it and detect again"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which frames were looked at. n: how many asked for; indices: one per frame asked for, repeats kept."""

    n: int
    rule: str
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Detector:
    """signature: all that can change what it sees (model hash, precision, thresholds). card: what else to know of it."""

    signature: str
    card: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DetectionsKey:
    """What one detections file is about. Two runs with equal keys see the same, so the second re-uses the first.

    sha256: of the video's or picture's bytes, 64 hex digits. rule and n: of the sampling. resize: the rule that frames
    went through. detector: its signature.
    """

    sha256: str
    rule: str
    n: int
    resize: str
    detector: str

    @property
    def name(self) -> str:
        """The file's name: 16 hex digits of the video's hash, 16 of the rest of the key."""
        rest = orjson.dumps([self.sha256, self.rule, self.n, self.resize, self.detector])
        return f"{self.sha256[:_NAME_DIGITS]}-{hashlib.sha256(rest).hexdigest()[:_NAME_DIGITS]}.json"


@dataclass(frozen=True, slots=True)
class Detections:
    """The content of one detections file.

    source: where the video was when it was read. resize: `none` where the rule left the frames as they are, so that one
    file serves all rules that do. size: width and height, in pixels, of the image that boxes are in, i.e. of a frame
    after the resize rule. frames: exactly `sampling.n`. reading: what reading the video noted, see `handler.video`.
    """

    source: str
    sha256: str
    sampling: Sampling
    resize: str
    size: tuple[int, int]
    detector: Detector
    frames: tuple[DetectedFrame, ...]
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> DetectionsKey:
        """What the file is about."""
        return DetectionsKey(self.sha256, self.sampling.rule, self.sampling.n, self.resize, self.detector.signature)


_ADAPTER: TypeAdapter[Detections] = TypeAdapter(Detections)


def write_detections(location: str, detections: Detections, *, if_absent: bool = False) -> None:
    """Write a detections file, whole or not at all, on a local path or s3://.

    Raises InputError when the content is none that `read_detections` takes, StorageError when it cannot be written.
    """
    document = {"schema": SCHEMA, **asdict(detections)}
    try:
        content = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:  # half a character, an integer beyond 64 bits
        raise InputError(f"it holds what JSON cannot carry: {error}", file=location) from error
    if _parsed(content, location) != detections:  # NaN is written as null, which some fields may be
        raise InputError(
            "reading it would give something else: a number that is not finite, or no tuple", file=location
        )
    storage.write_bytes(location, content, if_absent=if_absent)


def read_detections(location: str) -> Detections:
    """Read a detections file. Raises InputError that names file and field, StorageError when it cannot be read."""
    return _parsed(storage.read_bytes(location), location)


def store_detections(folder: str, detections: Detections) -> str:
    """Write the file under its own name in the folder, unless it is there already. Returns its location."""
    location = storage.join(folder, detections.key.name)
    with suppress(storage.AlreadyExistsError):  # another worker was faster: equal keys, equal content
        write_detections(location, detections, if_absent=True)
    return location


def find_detections(folder: str, key: DetectionsKey) -> Detections | None:
    """The finished file of this key in the folder; None when there is none.

    Where the frames are small enough for the resize rule to leave them alone, the file is under the rule `none`. Raises
    InputError for a file that is damaged or about something else than its name says.
    """
    for one in dict.fromkeys((key, replace(key, resize=UNRESIZED))):
        location = storage.join(folder, one.name)
        if storage.stat(location) is None:
            continue
        found = read_detections(location)
        if found.key != one:
            raise InputError("this file is not about what its name says", file=location, hint=_HINT)
        return found
    return None


def sample_fields(detections: Detections) -> dict[str, Any]:
    """The fields of a `VideoSample` that a detections file says: frames, sampling, resize, and how much frames differ."""
    sampling, reading = detections.sampling, detections.reading
    return {
        "frames": detections.frames,
        "sampling": f"{sampling.rule}:{sampling.n}",
        "resize": detections.resize,
        "frame_difference": reading.get("frame_difference"),
        "n_frame_pairs": reading.get("n_frame_pairs"),
    }


def _parsed(content: bytes, location: str) -> Detections:
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error}", file=location, line=error.lineno, hint=_HINT) from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(f"not a detections file: its schema is not {SCHEMA}", file=location, field="schema")
    try:
        found = _ADAPTER.validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{at}: {first['msg']}", file=location, field=at, hint=_HINT) from error
    for at, wrong in _problems(found):
        raise InputError(f"{at}: {wrong}", file=location, field=at, hint=_HINT)
    return found


def _problems(found: Detections) -> Iterator[tuple[str, str]]:
    """(field, what is wrong with it) for everything that types do not say."""
    if len(found.sha256) != 64 or not set(found.sha256) <= set("0123456789abcdef"):
        yield "sha256", "not 64 hex digits in lower case"
    if not found.detector.signature:
        yield "detector.signature", "empty"
    if min(found.size) < 1:
        yield "size", f"{found.size[0]}x{found.size[1]} pixels is no image"
    if not isinstance(found.reading.get("frame_difference", 0.0), float | int | None):
        yield "reading.frame_difference", "not a number"
    if not isinstance(found.reading.get("n_frame_pairs", 0), int | None):
        yield "reading.n_frame_pairs", "not a whole number"
    sampling = found.sampling
    if sampling.n < 1:
        yield "sampling.n", f"{sampling.n} frames is no sample"
    if len(sampling.indices) != sampling.n:
        yield "sampling.indices", f"{many(len(sampling.indices), 'entry')} where {many(sampling.n, 'frame')} asked for"
    if len(found.frames) != sampling.n:
        yield "frames", f"{many(len(found.frames), 'entry')} where {many(sampling.n, 'frame')} asked for"
    for position, (frame, index) in enumerate(zip(found.frames, sampling.indices, strict=True)):
        yield from _frame_problems(frame, index, f"frames.{position}")


def _frame_problems(frame: DetectedFrame, index: int, at: str) -> Iterator[tuple[str, str]]:
    if frame.index != index or index < 0:
        yield f"{at}.index", f"{frame.index}, where sampling.indices says {index}"
    if frame.pts is not None and not math.isfinite(frame.pts):
        yield f"{at}.pts", "not a finite number"
    for rank, one in enumerate(frame.detections):
        if not _is_sound(one):
            yield from _detection_problems(one, f"{at}.detections.{rank}")


def _is_sound(one: Detection) -> bool:
    """Whether there is no problem: most of reading a file is this."""
    x0, y0, x1, y1 = one.box
    return (
        -math.inf < x0 <= x1 < math.inf
        and -math.inf < y0 <= y1 < math.inf
        and 0 <= one.box_score <= 1
        and (one.caption_score is None or 0 <= one.caption_score <= 1)
        and (one.object_score is None or 0 <= one.object_score <= 1)
    )


def _detection_problems(one: Detection, at: str) -> Iterator[tuple[str, str]]:
    if not all(map(math.isfinite, one.box)):
        yield f"{at}.box", "not four finite numbers"
    elif one.box[0] > one.box[2] or one.box[1] > one.box[3]:
        yield f"{at}.box", f"{list(one.box)} is not x0 <= x1, y0 <= y1"
    for name in ("box_score", "caption_score", "object_score"):
        score = getattr(one, name)
        if score is not None and not 0 <= score <= 1:
            yield f"{at}.{name}", f"{score} is not between 0 and 1"

"""Damaged detections files and video containers."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handler import storage
from handler.errors import ScenescoreError
from handler.samples import DetectedFrame, Detection
from handler.video import (
    UNRESIZED,
    Detections,
    Detector,
    Sampling,
    VideoReader,
    local_video,
    read_detections,
    sample_fields,
    write_detections,
)
from tests.fuzz.damage import damage
from tests.fuzz.watch import UnhandledError, check_refusal

sys.path.insert(0, str(Path(__file__).parent.parent / "video"))
from clips import gray_frames, make_clip

__all__ = ["meet_detections", "meet_video", "video_seeds"]

CAR = Detection((1.5, 2.0, 30.25, 40.0), 0.91, "a red car", 0.5, "car", 0.75)
WALL = Detection((0.0, 0.0, 64.0, 48.0), 0.62, None, None, "wall", 1.0)
FRAMES = (DetectedFrame(0, 0.0, (CAR, WALL)), DetectedFrame(1, 0.04, ()))
CODECS = (
    ("ffv1", "bgr0", "mkv"),
    ("mpeg4", "yuv420p", "mp4"),
    ("libx264", "yuv420p", "mp4"),
    ("mjpeg", "yuvj420p", "avi"),
)
STALL_S = 5.0  # without progress; the reader then gives the video up


@dataclass
class Kept:
    """A whole detections file, and the folder that damaged ones are written to."""

    folder: Path
    whole: bytes


def keep(folder: Path) -> Kept:
    """Write the file that is damaged later."""
    path = folder / "whole.json"
    detector, sampling = Detector("tiny|fp32", {"name": "tiny"}), Sampling(2, "middle", (0, 1))
    whole = Detections(
        "a red car-0.mp4", "ab" * 32, sampling, UNRESIZED, (64, 48), detector, FRAMES, {"frames_decoded": 2}
    )
    write_detections(str(path), whole)
    return Kept(folder, path.read_bytes())


def meet_detections(chance: random.Random, kept: Kept) -> str:
    """A damaged detections file: refused, or read to what is read again when it is written."""
    path = str(kept.folder / "damaged.json")
    storage.write_bytes(path, damage(chance, kept.whole, [kept.whole]))
    try:
        found = read_detections(path)
        sample_fields(found)
        write_detections(path, found)
    except ScenescoreError as error:
        check_refusal(error)
        return "refused"
    if read_detections(path) != found:
        raise UnhandledError("what is written is not what is read again")
    return "read"


def video_seeds(folder: Path) -> list[bytes]:
    """Small clips in several containers."""
    made = []
    for codec, pixels, container in CODECS:
        path = folder / f"clip-{codec}.{container}"
        make_clip(path, gray_frames(range(0, 200, 20)), codec=codec, pixel_format=pixels)
        made.append(path.read_bytes())
    return made


def meet_video(chance: random.Random, reader: VideoReader, whole: list[bytes], folder: Path) -> str:
    """A damaged container: its frames, or the reason why there are none."""
    data = bytearray(chance.choice(whole))
    for _ in range(chance.choice((0, 1, 3, 10, 100))):
        at = chance.randrange(len(data))
        length = chance.choice((1, 1, 4, 40))
        data[at : at + length] = chance.randbytes(min(length, len(data) - at))
    if chance.random() < 0.3:
        del data[chance.randrange(len(data)) :]
    path = folder / "damaged.mp4"
    path.write_bytes(data)
    try:
        with local_video(str(path)) as video:
            found: Any = reader.read(video, n=chance.choice((1, 4, 16)), rule=chance.choice(("middle", "time")))
    except ScenescoreError as error:
        check_refusal(error)
        return f"refused: {getattr(error, 'reason', error.code)}"
    if not found.frames:
        raise UnhandledError("no frames and no reason")
    return "read"

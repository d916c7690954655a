"""What reading a video noted: how its frames are stored, what was changed, what was missing."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

__all__ = ["Seen", "facts_of", "rgb"]

_HDR = {16: "pq", 18: "hlg"}  # ITU-T H.273, transfer characteristics
_STEP = 1.5e-3  # seconds: containers round times to a millisecond, so steps this near are one frame rate


@dataclass(frozen=True, slots=True)
class Shape:
    """How frames of one size are stored, and how they become upright pictures."""

    width: int
    height: int
    quarter_turns: int
    mirrored: bool
    facts: dict[str, Any]
    notes: tuple[str, ...]

    def upright(self, frame: VideoFrame) -> NDArray[np.uint8]:
        """A frame, brought to this size, as it is to be shown: (height, width, 3) 8-bit RGB."""
        pixels = rgb(frame, self.width, self.height)
        if self.mirrored:
            pixels = pixels[:, ::-1]
        return np.ascontiguousarray(np.rot90(pixels, self.quarter_turns))


def rgb(frame: VideoFrame, width: int, height: int) -> NDArray[np.uint8]:
    """A frame at a size, 8-bit RGB, as decord and OpenCV convert it, not turned."""
    converted = frame.reformat(format="rgb24", width=width, height=height, interpolation="BICUBIC", threads=1)
    return converted.to_ndarray().astype(np.uint8, copy=False)


@dataclass(slots=True)
class Seen:
    """What the container and the frames of one pass looked like.

    One damaged frame can claim any size, so the size of most frames is that of the video.
    """

    facts: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    sizes: Counter[tuple[int, int]] = field(default_factory=Counter)
    shapes: dict[tuple[int, int], Shape] = field(default_factory=dict)
    promised: int | None = None
    n_failed: int = 0
    n_corrupt: int = 0

    @property
    def shape(self) -> Shape:
        """That of most frames."""
        return self.shapes[self.sizes.most_common(1)[0][0]]

    def look_at_stream(self, container: InputContainer, stream: VideoStream) -> None:
        """What the container says."""
        self.promised = stream.frames or None
        rate = stream.average_rate
        self.facts |= {
            "container": container.format.name,
            "codec": stream.codec_context.name,
            "frame_rate": float(rate) if rate else None,
        }
        aspect = stream.sample_aspect_ratio
        if aspect and aspect != 1:
            self.notes["pixels_not_square"] = None
        if stream.metadata.get("alpha_mode") == "1":
            self.notes["alpha_dropped"] = None

    def look_at_frame(self, frame: VideoFrame) -> None:
        """What the decoder says."""
        size = (frame.width, frame.height)
        self.sizes[size] += 1
        if size not in self.shapes:
            self.shapes[size] = _shape_of(frame)
        self.n_corrupt += frame.is_corrupt
        if frame.interlaced_frame:
            self.notes["interlaced"] = None


def _shape_of(frame: VideoFrame) -> Shape:
    quarter_turns, mirrored = _orientation(frame)
    size = (frame.width, frame.height)
    width, height = size[::-1] if quarter_turns % 2 else size
    components = frame.format.components
    bits = max((one.bits for one in components), default=8)
    facts = {
        "width": width,
        "height": height,
        "pixel_format": frame.format.name,
        "bits": bits,
        "color_space": int(frame.colorspace),
        "color_range": int(frame.color_range),
        "rotation": 90 * quarter_turns,
        "mirrored": mirrored,
    }
    transfer = _HDR.get(int(frame.color_trc))
    said = {
        "turned_upright": bool(quarter_turns) or mirrored,
        "alpha_dropped": any(one.is_alpha for one in components),
        "reduced_to_8_bits": bits > 8,
        f"hdr_{transfer}_not_mapped": transfer is not None,
    }
    return Shape(*size, quarter_turns, mirrored, facts, tuple(note for note, holds in said.items() if holds))


def _orientation(frame: VideoFrame) -> tuple[int, bool]:
    """Quarter turns, counterclockwise, and whether to mirror left and right before them: the display matrix.

    The matrix is 3 x 3 in 16.16 fixed point, [a b u; c d v; x y w]; a point (p, q) goes to (a p + c q, b p + d q).
    """
    side = frame.side_data.get("DISPLAYMATRIX")
    if side is None:
        return 0, False
    a, b, _, c, d = (int(number) for number in np.frombuffer(memoryview(cast("Any", side)), np.int32)[:5])
    mirrored = a * d - b * c < 0
    if mirrored:
        a, b = -a, -b
    return round(math.degrees(math.atan2(-b, a)) / 90) % 4, mirrored


def facts_of(seen: Seen, times: Sequence[float | None], *, n_packets: int, indices: Sequence[int]) -> dict[str, Any]:
    """The `reading` of a detections file.

    frames_asked, frames_decoded, frames_promised (by the header; None where it says nothing), frames_substituted (repeats,
    as there are fewer frames than asked for), packets, packets_failed, frames_corrupt (decoded with damage), notes (what
    was changed or is odd), width and height (pixels, upright, before the resize rule), and how frames are stored. rotation:
    degrees counterclockwise that frames were turned by. color_space, color_range: FFmpeg's numbers of what the file says.
    """
    n, n_distinct = len(indices), len(set(indices))
    notes = {**dict.fromkeys(seen.shape.notes), **seen.notes}
    if len(seen.sizes) > 1:
        notes["size_changes"] = None
    if seen.promised and len(times) < seen.promised:
        notes["fewer_frames_than_promised"] = None
    if len(times) < n:
        notes["fewer_frames_than_asked"] = None
    if len(times) == 1:
        notes["single_frame"] = None
    if seen.n_failed or seen.n_corrupt:
        notes["damaged"] = None
    if _varies(times):
        notes["variable_frame_rate"] = None
    return {
        "frames_asked": n,
        "frames_decoded": len(times),
        "frames_promised": seen.promised,
        "frames_substituted": n - n_distinct,
        "packets": n_packets,
        "packets_failed": seen.n_failed,
        "frames_corrupt": seen.n_corrupt,
        **seen.facts,
        **seen.shape.facts,
        "notes": list(notes),
    }


def _varies(times: Sequence[float | None]) -> bool:
    known = [time for time in times if time is not None]
    steps = [later - earlier for earlier, later in itertools.pairwise(known)]
    return bool(steps) and max(steps) - min(steps) > _STEP

"""What reading a video noted: how its frames are stored, what was changed, what was missing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

__all__ = ["Seen", "facts_of"]

_HDR = {16: "PQ", 18: "HLG"}  # ITU-T H.273, transfer characteristics
_STEP = 1.5e-3  # seconds: containers round times to a millisecond, so steps this near are one frame rate


@dataclass(slots=True)
class Seen:
    """What the frames of one pass looked like. The first decides size and rotation; others are brought to its size."""

    first: VideoFrame | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    promised: int | None = None
    n_failed: int = 0
    n_corrupt: int = 0
    quarter_turns: int = 0
    mirrored: bool = False

    def look_at_stream(self, container: InputContainer, stream: VideoStream) -> None:
        """What the container says."""
        context = stream.codec_context
        self.promised = stream.frames or None
        rate = stream.average_rate
        self.facts |= {
            "container": container.format.name,
            "codec": context.name,
            "pixel_format": context.pix_fmt,
            "frame_rate": float(rate) if rate else None,
        }
        aspect = stream.sample_aspect_ratio
        if aspect and aspect != 1:
            self.notes["pixels_not_square"] = None
        if stream.metadata.get("alpha_mode") == "1":
            self.notes["alpha_dropped"] = None

    def look_at_frame(self, frame: VideoFrame) -> None:
        """What the decoder says."""
        if self.first is None:
            self._look_at_first(frame)
        assert self.first is not None
        self.n_corrupt += frame.is_corrupt
        if (frame.width, frame.height) != (self.first.width, self.first.height):
            self.notes["size_changes"] = None
        if frame.interlaced_frame:
            self.notes["interlaced"] = None

    def _look_at_first(self, frame: VideoFrame) -> None:
        self.first = frame
        self.quarter_turns, self.mirrored = _orientation(frame)
        components = frame.format.components
        size = (frame.width, frame.height)
        width, height = size[::-1] if self.quarter_turns % 2 else size
        self.facts |= {
            "width": width,
            "height": height,
            "pixel_format": frame.format.name,
            "bits": max((one.bits for one in components), default=8),
            "color_space": int(frame.colorspace),
            "color_range": int(frame.color_range),
            "rotation": 90 * self.quarter_turns,
            "mirrored": self.mirrored,
        }
        if self.quarter_turns or self.mirrored:
            self.notes["turned_upright"] = None
        if any(one.is_alpha for one in components):
            self.notes["alpha_dropped"] = None
        if self.facts["bits"] > 8:
            self.notes["reduced_to_8_bits"] = None
        if (transfer := int(frame.color_trc)) in _HDR:
            self.notes[f"hdr_{_HDR[transfer].lower()}_not_mapped"] = None

    def rgb(self, frame: VideoFrame) -> NDArray[np.uint8]:
        """A frame as (height, width, 3) 8-bit RGB, as decord and OpenCV convert it, not yet turned."""
        assert self.first is not None
        size = {"width": self.first.width, "height": self.first.height}
        converted = frame.reformat(format="rgb24", interpolation="BICUBIC", threads=1, **size)
        return converted.to_ndarray().astype(np.uint8, copy=False)

    def upright(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A frame as it is to be shown."""
        if self.mirrored:
            pixels = pixels[:, ::-1]
        return np.rot90(pixels, self.quarter_turns) if self.quarter_turns else pixels


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
    notes = dict(seen.notes)
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
        "notes": list(notes),
    }


def _varies(times: Sequence[float | None]) -> bool:
    known = [time for time in times if time is not None]
    steps = [later - earlier for earlier, later in itertools.pairwise(known)]
    return bool(steps) and max(steps) - min(steps) > _STEP

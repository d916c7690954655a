"""Clips made for tests: lossless where pixels matter, so that what comes back is known by hand."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
import pytest

from handler.video import local_video

av = pytest.importorskip("av", reason="PyAV is not installed: pip install scenescore[video]")


def gray_frames(values, *, width=64, height=48):
    """Frames of one gray level each: a frame tells which one it is."""
    return [np.full((height, width, 3), value, np.uint8) for value in values]


def make_clip(path, frames, *, codec="ffv1", pixel_format="bgr0", times=None, rate=25, options=None, title=""):
    """Write RGB frames, at times in milliseconds where they are given. Returns the path as a string."""
    with av.open(str(path), "w") as container:
        if title:
            container.metadata["title"] = title
        stream = container.add_stream(codec, rate=rate, options=options or {})
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = pixel_format
        if times is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        for place, pixels in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            if times is not None:
                frame.pts, frame.time_base = times[place], Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return str(path)


def with_matrix(path, matrix):
    """The mp4 with another display matrix a, b, c, d in the header of its first track."""
    content = bytearray(path.read_bytes())
    at = content.index(b"tkhd") + 4 + 40  # version 0: the matrix follows 40 bytes of other fields
    a, b, c, d = (number << 16 for number in matrix)
    content[at : at + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path.write_bytes(content)


def read(reader, location, **asked):
    """Read a video with a reader."""
    with local_video(str(location)) as video:
        return reader.read(video, **asked)


def levels(found):
    """The gray level of each frame, by index."""
    return {frame.index: int(frame.pixels[0, 0, 0]) for frame in found.frames}

"""Pictures for tests, as files: slopes and checks, so that a resize or crop that is a little off shows."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image


def picture(mode: str = "RGB", size: tuple[int, int] = (60, 45)) -> Image.Image:
    """A picture of a mode and (width, height)."""
    width, height = size
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    channels = [x * 7 + y * 3, (x // 3 + y // 2) % 2 * 200 + x, x * x // 5 + y * y // 7]
    image = Image.fromarray(np.stack(channels, axis=2).astype(np.uint8))
    if mode in ("RGBA", "LA"):
        image.putalpha(Image.fromarray(((x * 11 + y * 5) % 256).astype(np.uint8)))
    return image.convert(mode)


def file_of(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """The bytes of a file."""
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()

"""Picture files: which there are, and what they show."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handler import storage
from handler.errors import InputError, RequestError, StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["find_pictures", "has_pictures", "require_pillow", "show"]

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif")


def find_pictures(location: str) -> Iterator[str]:
    """The picture itself, or those under a folder or s3:// prefix, in order of their names.

    Under a folder, a file counts by its suffix; one named by itself may be called anything. Raises StorageError for no
    such file, InputError for a folder without pictures.
    """
    if not location.endswith("/") and storage.stat(location) is not None:
        yield location
        return
    if not storage.is_remote(location) and not Path(location).is_dir():
        raise storage.NotFoundError("there is no such file", file=location, hint="Check the name")
    prefix = location if location.endswith("/") else f"{location}/"
    found = [one.location for one in storage.list_objects(prefix) if one.location.lower().endswith(SUFFIXES)]
    if not found:
        raise InputError("there is no picture here", file=location, hint=f"Looked for {', '.join(SUFFIXES)}")
    yield from found


def has_pictures(location: str) -> bool:
    """Whether `find_pictures` finds one under a folder or prefix."""
    if location.lower().endswith(SUFFIXES):
        return True
    prefix = location if location.endswith("/") else f"{location}/"
    try:
        return any(one.location.lower().endswith(SUFFIXES) for one in storage.list_objects(prefix))
    except StorageError:
        return False


def require_pillow() -> None:
    """Raises RequestError when pictures cannot be read on this installation."""
    try:
        import PIL.Image  # noqa: F401 - whether it can be
    except ImportError as error:
        raise RequestError(
            "reading pictures needs Pillow, which is not installed", hint="pip install 'scenescore[images]'"
        ) from error


def show(data: bytes, location: str) -> NDArray[Any]:
    """The pixels of a picture file, RGB (height, width, 3) uint8, turned as its EXIF orientation says.

    Of an animation, the first frame; transparency is dropped. Raises InputError for what Pillow cannot read.
    """
    import numpy as np
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about metadata; pictures of absurd size raise
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data)) as picture:
                return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    except Exception as error:  # Pillow's readers raise a dozen unrelated classes
        reason = "no kind of picture that is known here" if type(error).__name__ == "UnidentifiedImageError" else error
        raise InputError(f"cannot read the picture: {reason}", file=location) from error

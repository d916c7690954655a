"""A picture's bytes -> the numbers an image tower reads, as the checkpoint's own preprocessing makes them.

strict: upright by its EXIF orientation, RGB, shortest side resized (Pillow's bicubic, which antialiases), centre crop,
rescale, normalise: what transformers' CLIPImageProcessor does, except that it ignores EXIF. Of L, P, CMYK and RGBA pictures
Pillow's RGB is taken; transparency is dropped as transformers drops it, and said. Of 16-bit grey the high byte is taken.
as_original: the order of OpenAI's CLIP and of the CLIPScore tool: resize and crop in the picture's own mode (palettes by
nearest neighbour), RGB afterwards, EXIF ignored, and the crop placed as torchvision rounds it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator

from handler.errors import InputError

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["Picture", "PictureError", "PictureRule", "prepare_picture"]

MAX_PIXELS = 89_478_485  # where Pillow begins to warn of decompression bombs; 268 MB as RGB
# What is decoded. Not EPS, for example: Pillow runs Ghostscript on it.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM", "JPEG2000", "AVIF")
ORIENTATION = 0x0112  # EXIF tag; 1 is upright

Pixels = NDArray[np.float32]
Triple = tuple[float, float, float]


class PictureError(InputError):
    """One picture cannot be had or read: its samples end in an error, and the run goes on. reason: a short code."""

    code = "unreadable_image"

    def __init__(self, message: str, *, reason: str, file: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, file=file, hint=hint)
        self.reason = reason


class PictureRule(BaseModel):
    """The preprocessing of a checkpoint, in the order of the fields.

    shortest_edge: pixels, or resize: (height, width). crop: (height, width) around the centre, None for none. scale: what
    0..255 is multiplied by. mean, std: per channel, of the rescaled values.
    """

    shortest_edge: int | None = Field(default=None, ge=1)
    resize: tuple[int, int] | None = None
    crop: tuple[int, int] | None = None
    resample: Literal["nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"]
    scale: float
    mean: Triple
    std: Triple

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.shortest_edge is None) == (self.resize is None):
            raise ValueError("give either shortest_edge or resize")
        low = (self.shortest_edge, self.shortest_edge) if self.shortest_edge else self.resize
        if low and self.crop and (self.crop[0] > low[0] or self.crop[1] > low[1]):
            raise ValueError("the crop is larger than the resized picture")
        if not self.crop and not self.resize:
            raise ValueError("without a crop or a fixed size pictures would differ in size")
        return self

    @property
    def size(self) -> tuple[int, int]:
        """(height, width) of every prepared picture, in pixels."""
        size = self.crop or self.resize
        assert size is not None
        return size


class Picture(NamedTuple):
    """pixels: float32, shape (3, height, width). warnings: codes of what the model does not see as people do."""

    pixels: Pixels
    warnings: tuple[str, ...] = ()


def prepare_picture(data: bytes | NDArray[np.uint8], rule: PictureRule, *, as_original: bool = False) -> Picture:
    """Decode and preprocess one picture: the bytes of a file, or pixels of shape (height, width[, 3]).

    Raises PictureError (reason `image_undecodable`) for what is no picture, damaged, or larger than 89 megapixels.
    """
    try:
        with _opened(data) as image:
            warnings = tuple(_warnings(image))
            cropped = _fitted(image, rule, as_original=as_original)
    except PictureError:
        raise
    except Exception as error:  # Pillow's decoders raise OSError, ValueError, SyntaxError, struct.error and more
        kind = "is no picture of a known kind" if type(error).__name__ == "UnidentifiedImageError" else "is damaged"
        raise _undecodable(f"it {kind} ({type(error).__name__})") from error
    scaled = np.asarray(cropped, np.float64) * rule.scale
    normal = (scaled - np.array(rule.mean)) / np.array(rule.std)
    return Picture(np.ascontiguousarray(normal.transpose(2, 0, 1), np.float32), warnings)


def _opened(data: bytes | NDArray[np.uint8]) -> Image.Image:
    from PIL import Image

    if isinstance(data, np.ndarray):
        return Image.fromarray(data)
    Image.init()
    with catch_warnings():
        simplefilter("ignore", Image.DecompressionBombWarning)  # the limit is ours, below
        image = Image.open(io.BytesIO(data), formats=[name for name in FORMATS if name in Image.OPEN])
    if image.width * image.height > MAX_PIXELS:
        raise _undecodable(f"it has {image.width} x {image.height} pixels, more than {MAX_PIXELS:,}")
    image.load()
    return image


def _warnings(image: Image.Image) -> Iterator[str]:
    if _has_alpha(image) and image.convert("RGBA").getchannel("A").getextrema()[0] != 255:
        yield "transparent_image"


def _fitted(image: Image.Image, rule: PictureRule, *, as_original: bool) -> Image.Image:
    """The picture in RGB at the size that the tower reads."""
    from PIL import Image, ImageOps

    if not as_original:
        image = _rgb(ImageOps.exif_transpose(image) if image.getexif().get(ORIENTATION, 1) != 1 else image)
    width, height = _resized_size(image, rule)
    if width * height > MAX_PIXELS:
        raise _undecodable(f"it is too elongated: {image.width} x {image.height} pixels")
    image = image.resize((width, height), Image.Resampling[rule.resample.upper()])
    if rule.crop is not None:
        crop_height, crop_width = rule.crop
        left, top = (_offset(more, as_original=as_original) for more in (width - crop_width, height - crop_height))
        image = image.crop((left, top, left + crop_width, top + crop_height))
    return _rgb(image)


def _resized_size(image: Image.Image, rule: PictureRule) -> tuple[int, int]:
    """(width, height) after resizing; the longer side is rounded down, as torchvision and transformers do."""
    if rule.resize is not None:
        return rule.resize[1], rule.resize[0]
    assert rule.shortest_edge is not None
    short, long = sorted(image.size)
    longer = int(rule.shortest_edge * long / short)
    return (rule.shortest_edge, longer) if image.width <= image.height else (longer, rule.shortest_edge)


def _offset(surplus: int, *, as_original: bool) -> int:
    """Pixels cut off on the near side: transformers rounds a half down, torchvision to the even number."""
    return round(surplus / 2) if as_original else surplus // 2


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I;16"):
        from PIL import Image

        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8)).convert("RGB")
    if image.mode in ("I", "F"):
        raise _undecodable(f"its pixels are of {'32-bit whole' if image.mode == 'I' else 'floating-point'} numbers")
    if _has_alpha(image):
        image = image.convert("RGBA")  # straight to RGB Pillow warns of some palettes
    return image.convert("RGB")


def _has_alpha(image: Any) -> bool:
    return "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "RGBa", "La")


def _undecodable(why: str) -> PictureError:
    return PictureError(f"the picture cannot be decoded: {why}", reason="image_undecodable")

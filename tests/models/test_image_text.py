"""CLIP's run time: pictures as transformers and as the original prepare them, texts that keep their end, stable bits."""

from __future__ import annotations

import importlib.util
import io
import json
import random
import struct
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PIL")
from PIL import Image
from pydantic import ValidationError

from handler.errors import ModelError
from handler.models import ImageTextEncoder, PictureError, PictureRule, TextEncoder, _pictures, prepare_picture
from tests.clip_fixtures import MEAN, STD
from tests.pictures import file_of, picture

RULE = PictureRule(shortest_edge=32, crop=(32, 32), resample="bicubic", scale=1 / 255, mean=tuple(MEAN), std=tuple(STD))
MODES = ["RGB", "L", "P", "RGBA", "LA", "CMYK", "1"]
SIZES = [(60, 45), (45, 60), (33, 32), (34, 32), (35, 32), (36, 32), (20, 17), (300, 40), (7, 5)]
RECORDED = json.loads((Path(__file__).parent / "recorded_clip_pictures.json").read_text(encoding="utf-8"))


def stored(mode: str, size: tuple[int, int]) -> bytes:
    return file_of(picture(mode, size), "TIFF" if mode == "CMYK" else "PNG")


@pytest.mark.parametrize("mode", MODES)
def test_strict_prepares_pictures_as_transformers_does(mode):
    transformers = pytest.importorskip("transformers")
    processor = transformers.CLIPImageProcessor(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, image_mean=MEAN, image_std=STD
    )
    for size in SIZES:
        data = stored(mode, size)
        expected = processor(images=Image.open(io.BytesIO(data)), return_tensors="np")["pixel_values"][0]
        assert np.abs(prepare_picture(data, RULE).pixels - expected).max() < 1e-5, size


@pytest.mark.parametrize("one", RECORDED["pictures"], ids=lambda one: f"{one['mode']}-{one['size']}")
def test_compat_prepares_pictures_as_the_original_does(one):
    """Recorded from torchvision with the transform of the CLIPScore tool."""
    found = prepare_picture(stored(one["mode"], tuple(one["size"])), RULE, as_original=True).pixels
    for place, value in one["at"].items():
        assert found[tuple(map(int, place.split(",")))] == pytest.approx(value, abs=1e-5)
    assert found.astype(float).sum((1, 2)) == pytest.approx(one["sums"], abs=1e-3)


def test_a_picture_lying_on_its_side_by_exif_is_put_upright_and_not_in_compat():
    upright = picture(size=(60, 45))
    exif = Image.Exif()
    exif[_pictures.ORIENTATION] = 6  # to be turned 90 degrees clockwise
    lying = file_of(upright.transpose(Image.Transpose.ROTATE_90), exif=exif)
    plain = file_of(upright.transpose(Image.Transpose.ROTATE_90))
    assert np.array_equal(prepare_picture(lying, RULE).pixels, prepare_picture(file_of(upright), RULE).pixels)
    compat = prepare_picture(lying, RULE, as_original=True).pixels
    assert np.array_equal(compat, prepare_picture(plain, RULE, as_original=True).pixels)
    assert not np.array_equal(compat, prepare_picture(lying, RULE).pixels)


def test_transparency_is_said_only_where_there_is_some():
    assert prepare_picture(stored("RGBA", (40, 40)), RULE).warnings == ("transparent_image",)
    opaque = picture().convert("RGBA")
    assert prepare_picture(file_of(opaque), RULE).warnings == ()
    assert np.array_equal(
        prepare_picture(file_of(opaque), RULE).pixels, prepare_picture(file_of(picture()), RULE).pixels
    )
    palette = picture("P")
    palette.info["transparency"] = bytes([0, 128])  # Pillow warns when such a palette becomes RGB
    assert prepare_picture(file_of(palette, transparency=bytes([0, 128])), RULE).warnings == ("transparent_image",)


def test_of_16_bit_grey_the_high_byte_is_taken():
    high = np.asarray(picture("L")).astype(np.uint16)
    deep = file_of(Image.fromarray(high * 256 + 77))
    assert np.array_equal(prepare_picture(deep, RULE).pixels, prepare_picture(file_of(picture("L")), RULE).pixels)


def test_pixels_may_be_given_in_place_of_a_file():
    image = picture()
    assert np.array_equal(prepare_picture(np.asarray(image), RULE).pixels, prepare_picture(file_of(image), RULE).pixels)


def bomb() -> bytes:
    """A PNG of a few bytes whose header says 60,000 x 60,000."""
    data = bytearray(file_of(picture("L", (4, 4))))
    data[16:24] = struct.pack(">II", 60_000, 60_000)
    import zlib

    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    return bytes(data)


JPEG = file_of(picture(size=(300, 200)), "JPEG")
BAD = {
    "nothing": (b"", "no picture of a known kind"),
    "text": (b"<html>not found</html>", "no picture of a known kind"),
    "half a JPEG": (JPEG[: len(JPEG) // 2], "is damaged"),
    "a damaged PNG": (file_of(picture())[:60] + b"\0" * 500, "is damaged|no picture"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no picture of a known kind"),
    "floats": (file_of(Image.fromarray(np.ones((9, 9), np.float32)), "TIFF"), "floating-point"),
    "a bomb": (bomb(), "pixels|Bomb"),
    "a hair": (file_of(Image.new("L", (90_000, 1))), "too elongated"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("as_original", [False, True])
def test_what_is_no_picture_is_a_named_error(name, as_original):
    data, message = BAD[name]
    with pytest.raises(PictureError, match=message) as caught:
        prepare_picture(data, RULE, as_original=as_original)
    assert caught.value.reason == "image_undecodable"


def test_too_many_pixels_are_refused_before_they_are_decoded(monkeypatch):
    monkeypatch.setattr(_pictures, "MAX_PIXELS", 60 * 45 - 1)
    with pytest.raises(PictureError, match="60 x 45 pixels, more than 2,699"):
        prepare_picture(file_of(picture()), RULE)


@pytest.mark.parametrize(
    "change",
    [
        {"shortest_edge": None},
        {"resize": (32, 32)},
        {"crop": (33, 32)},
        {"crop": None},
        {"resample": "cubic"},
    ],
)
def test_rules_that_cannot_be_followed(change):
    with pytest.raises(ValidationError):
        PictureRule.model_validate(RULE.model_dump() | change)


def test_a_fixed_size_needs_no_crop():
    rule = PictureRule.model_validate(RULE.model_dump() | {"shortest_edge": None, "resize": (24, 40), "crop": None})
    assert prepare_picture(file_of(picture()), rule).pixels.shape == (3, 24, 40)


TEXTS = ["", "a red car", "A RED car ", "two people walk at night", "🐕", "a dog near the door " * 40, "cut \ud83d"]


@pytest.fixture(scope="module")
def encoder(clip_folder):
    return ImageTextEncoder(clip_folder, threads=1)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_bits_do_not_depend_on_neighbours_order_or_threads(clip_folder, encoder, seed, threads):
    other = ImageTextEncoder(clip_folder, threads=threads)
    files = {f"{width}": file_of(picture(size=(width, 50))) for width in range(40, 48)}
    names = random.Random(seed).sample(sorted(files), 8 - seed)
    found = other.encode_pictures(names, files.__getitem__)
    texts = other.encode_texts(random.Random(seed).sample(TEXTS, len(TEXTS) - seed))
    for name in names:
        assert np.array_equal(found[name].vector, encoder.encode_pictures([name], files.__getitem__)[name].vector)
    for text, one in texts.items():
        assert np.array_equal(one.vector, encoder.encode_texts([text])[text].vector)


def test_long_texts_keep_their_end_token_and_are_marked(encoder):
    end = encoder.card.end_token["id"]
    for n_words in (74, 75, 76, 200):
        text = " ".join(["dog"] * n_words)
        ids, n_tokens = encoder.token_ids(text)
        assert (len(ids), ids[-1], n_tokens) == (min(n_words + 2, 77), end, n_words + 2)
        assert encoder.encode_texts([text])[text][1:] == (n_words + 2, n_words > 75, True)
    same = [encoder.encode_texts([text])[text].vector for text in ("dog " * 75, "dog " * 76)]
    assert np.array_equal(*same)


def test_one_bad_picture_leaves_the_others(encoder):
    good = file_of(picture())
    found = encoder.encode_pictures(["good", "bad"], lambda name: good if name == "good" else b"")
    assert found["good"].finite
    assert isinstance(found["bad"], PictureError)


def test_a_missing_pillow_names_the_extra(clip_folder, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"needs Pillow.*pip install 'scenescore\[images\]'"):
        ImageTextEncoder(clip_folder)


def test_a_folder_of_another_kind_says_so(clip_folder, tmp_path):
    with pytest.raises(ModelError, match=r"of kind image text encoder, not text encoder.*scenescore export mpnet"):
        TextEncoder(clip_folder)
    with pytest.raises(ModelError, match=r"no exported model.*scenescore export clip .*SCENESCORE_CLIP"):
        ImageTextEncoder(tmp_path)

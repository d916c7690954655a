"""The parity gate of a CLIP export: the shipped run time against transformers, from files and texts to cosines.

Preprocessing is part of it: a resize without antialiasing, a crop one pixel off or a dropped end token still give
plausible scores.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.models import ImageTextEncoder, PictureError, prepare_picture
from model_export.clip_checkpoint import Original
from model_export.parity import parity_texts

__all__ = ["LIMIT", "check_parity", "parity_pictures"]

LIMIT = 1e-4  # of normalised pixels, components of unit vectors, and cosines of texts with pictures
_SHOWN_CHARACTERS = 80
# Modes and (width, height): upright, lying, square, smaller than the tower reads, and every remainder of the crop by 4.
_PICTURES = [
    ("RGB", 640, 427),
    ("RGB", 427, 640),
    ("RGB", 300, 300),
    ("RGB", 20, 31),
    *(("RGB", 300 + more, 224) for more in range(4)),
    ("RGB", 1200, 80),
    ("L", 333, 250),
    ("P", 250, 333),
    ("RGBA", 257, 255),
    ("LA", 90, 120),
    ("CMYK", 500, 281),
    ("1", 100, 99),
]

Vectors = NDArray[np.float64]


def parity_pictures() -> list[bytes]:
    """The pictures of the gate, as files: noise over slopes, so that every pixel matters and no two are alike."""
    from PIL import Image

    random = np.random.default_rng(20210418)
    files = []
    for mode, width, height in _PICTURES:
        slope = np.linspace(0, 155, width)[None, :, None] * np.linspace(0.2, 1, height)[:, None, None]
        colours = slope * np.array([1.0, 0.6, 0.3]) + random.integers(0, 100, (height, width, 3))
        image = Image.fromarray(colours.astype(np.uint8))
        if mode in ("RGBA", "LA"):
            image.putalpha(Image.fromarray(random.integers(0, 256, (height, width), np.uint8)))
        file = io.BytesIO()
        image.convert(mode).save(file, "TIFF" if mode == "CMYK" else "PNG")
        files.append(file.getvalue())
    return files


def check_parity(folder: Path, original: Original) -> dict[str, Any]:
    """Compare the exported folder with the loaded checkpoint. Returns the card's `parity`.

    `failures` says in words what did not hold; `verified` is true when it is empty.
    """
    encoder = ImageTextEncoder(folder)
    texts, files = parity_texts(encoder.card.max_tokens), parity_pictures()
    found_texts = encoder.encode_texts(texts)
    names = [str(number) for number in range(len(files))]
    pictures = encoder.encode_pictures(names, lambda name: files[int(name)])
    refused = [one for one in pictures.values() if isinstance(one, PictureError)]
    if refused:
        return {"verified": False, "failures": [f"{len(refused)} pictures are refused, first: {refused[0]}"]}
    pixels = _pixels(original, files)
    prepared = np.stack([prepare_picture(file, encoder.card.picture).pixels for file in files])
    with np.errstate(all="ignore"):
        figures = _compare(
            _original_texts(original, texts, encoder.card.max_tokens),
            np.array([found_texts[text].vector for text in texts], np.float64),
            _original_pictures(original, pixels),
            np.array([one.vector for one in pictures.values() if not isinstance(one, PictureError)], np.float64),
        )
        figures["max_pixel_difference"] = _figure(np.abs(prepared - pixels).max())
    differing = [text for text in texts if encoder.token_ids(text)[0] != _original_ids(original, text, encoder)]
    figures["token_ids_equal"] = not differing
    failures = _failures(figures, differing)
    counts = {"n_texts": len(texts), "n_pictures": len(files)}
    return {"verified": not failures, **counts, **figures, "failures": failures}


def _original_ids(original: Original, text: str, encoder: ImageTextEncoder) -> list[int]:
    ids = original.tokenizer(text, truncation=True, max_length=encoder.card.max_tokens)["input_ids"]
    return [int(one) for one in ids]


def _original_texts(original: Original, texts: list[str], max_tokens: int) -> Vectors:
    import torch

    with torch.inference_mode():
        found = [
            original.model.get_text_features(
                **original.tokenizer(text, truncation=True, max_length=max_tokens, return_tensors="pt")
            )
            for text in texts
        ]
    return _unit(torch.cat(found).numpy())


def _pixels(original: Original, files: list[bytes]) -> NDArray[np.float32]:
    from PIL import Image

    images = [Image.open(io.BytesIO(file)) for file in files]
    # One by one: transformers guesses the layout of a batch from its first picture.
    found = [original.processor(images=image, return_tensors="np")["pixel_values"][0] for image in images]
    return np.stack(found).astype(np.float32)


def _original_pictures(original: Original, pixels: NDArray[np.float32]) -> Vectors:
    import torch

    with torch.inference_mode():
        found = [original.model.get_image_features(pixel_values=torch.from_numpy(one[None])) for one in pixels]
    return _unit(torch.cat(found).numpy())


def _unit(vectors: NDArray[np.float32]) -> Vectors:
    wide = vectors.astype(np.float64)
    unit: Vectors = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return unit


def _compare(texts: Vectors, found_texts: Vectors, pictures: Vectors, found_pictures: Vectors) -> dict[str, Any]:
    if texts.shape != found_texts.shape or pictures.shape != found_pictures.shape:
        return {"max_component_difference": None, "max_cosine_error": None}
    components = np.append(np.abs(texts - found_texts).ravel(), np.abs(pictures - found_pictures).ravel())
    cosines = np.abs(texts @ pictures.T - found_texts @ found_pictures.T)
    return {"max_component_difference": _figure(components.max()), "max_cosine_error": _figure(cosines.max())}


def _figure(number: float) -> float | None:
    """A number for JSON: three digits, and None for one that is not finite."""
    return float(f"{number:.3g}") if np.isfinite(number) else None


def _failures(figures: dict[str, Any], differing: list[str]) -> list[str]:
    failures = []
    if differing:
        failures.append(f"token ids differ on {len(differing)} texts, first {differing[0][:_SHOWN_CHARACTERS]!r}")
    for name in ("max_pixel_difference", "max_component_difference", "max_cosine_error"):
        figure = figures[name]
        if figure is None or figure > LIMIT:
            failures.append(f"{name} is {'not a number' if figure is None else figure}, allowed {LIMIT}")
    return failures

"""CLIP's two towers on ONNX Runtime, `tokenizers` and Pillow alone: vectors of texts and of pictures in one space.

A text or picture has the same bits whatever stands beside it: a picture goes through its graph alone, texts in batches of
one token length and never alone, each batch on one thread, and several go side by side.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from handler.errors import ModelError
from handler.models._batches import equal_batches
from handler.models._card import Card, read_card
from handler.models._pictures import PictureError, PictureRule, prepare_picture
from handler.models._session import open_session, usable_threads
from handler.models._text_encoder import TextVector
from handler.models._tokenizer import Tokenizer

__all__ = ["ImageTextCard", "ImageTextEncoder", "PictureVector", "shared_image_text_encoder"]

OpenPicture = Callable[[str], bytes | NDArray[np.uint8]]


class ImageTextCard(Card):
    """The card of a CLIP export.

    max_tokens: of a text, special tokens included (77). dimension: of the shared space. end_token: its id, and the rule by
    which the text tower finds the position it pools: "highest_id" (OpenAI's checkpoints, whose configuration names a
    wrong id) or "first". picture: the preprocessing. languages: codes the model was trained for, None when unknown.
    """

    needs = ("image.onnx", "text.onnx", "tokenizer.json")
    hint = (
        "Export one with `scenescore export clip --model openai/clip-vit-base-patch32`, "
        "or name its folder with --clip or SCENESCORE_CLIP"
    )

    kind: Literal["image_text_encoder"] = "image_text_encoder"
    max_tokens: int = Field(ge=3)
    dimension: int = Field(ge=1)
    end_token: dict[Literal["id", "pooled"], int | str]
    text_inputs: list[Literal["input_ids", "attention_mask"]] = Field(min_length=1)
    picture: PictureRule
    languages: list[str] | None = None


class PictureVector(NamedTuple):
    """vector: float32, shape (dimension,), unit length. finite: no NaN or infinity in it. warnings: see `Picture`."""

    vector: NDArray[np.float32]
    finite: bool
    warnings: tuple[str, ...]


class ImageTextEncoder:
    """Text and picture vectors from an exported CLIP folder (image.onnx, text.onnx, tokenizer.json, card.json).

    threads: texts or pictures that run side by side; None means the cores this process may use. Sessions are made on
    first use. Raises ModelError when the folder holds no such model, or Pillow (the extra `images`) is not installed.
    """

    def __init__(self, folder: str | Path, *, threads: int | None = None) -> None:
        self.folder = Path(folder)
        self.card: ImageTextCard = read_card(self.folder, ImageTextCard)
        self.threads = usable_threads(threads)
        if importlib.util.find_spec("PIL") is None:
            raise ModelError(
                "reading pictures needs Pillow, which is not installed",
                hint="Install the extra: pip install 'scenescore[images]'",
            )

    def encode_texts(self, texts: Iterable[str]) -> dict[str, TextVector]:
        """Unit vectors of all distinct texts, in no order. A long one loses its last words and keeps its end token."""
        distinct = list(dict.fromkeys(texts))
        tokenized = self._tokenizer.ids(distinct)
        batches = equal_batches([len(ids) for ids, _ in tokenized], self.threads)
        _ = self._text_tower  # made once, before the threads ask for it
        found: dict[str, TextVector] = {}
        with ThreadPoolExecutor(self.threads) as pool:
            rows = pool.map(lambda batch: self._texts([tokenized[i][0] for i in batch]), batches)
            for batch, vectors in zip(batches, rows, strict=True):
                for i, vector in zip(batch, vectors, strict=True):
                    n_tokens = tokenized[i][1]
                    truncated = n_tokens > self.card.max_tokens
                    found[distinct[i]] = TextVector(vector, n_tokens, truncated, _is_finite(vector))
        return found

    def encode_pictures(
        self, names: Iterable[str], open_picture: OpenPicture, *, as_original: bool = False
    ) -> dict[str, PictureVector | PictureError]:
        """Unit vectors of all distinct pictures, or why there is none.

        open_picture: from a name, a file's bytes or uint8 pixels of shape (height, width[, 3]); it may raise PictureError,
        and is called from several threads. as_original: preprocess as OpenAI's CLIP does, see `prepare_picture`.
        """
        distinct = list(dict.fromkeys(names))
        _ = self._image_tower

        def look(name: str) -> PictureVector | PictureError:
            try:
                return self._picture(open_picture(name), as_original=as_original)
            except PictureError as error:
                error.file = error.file or name
                return error

        with ThreadPoolExecutor(self.threads) as pool:
            return dict(zip(distinct, pool.map(look, distinct), strict=True))

    def token_ids(self, text: str) -> tuple[list[int], int]:
        """The ids the model reads (truncated to `max_tokens`) and the number of tokens before truncation."""
        return self._tokenizer.ids([text])[0]

    def _texts(self, rows: list[list[int]]) -> list[NDArray[np.float32]]:
        """The vectors of texts of one token length."""
        # A batch of one may take another path through products and sums, and so have other last bits.
        ids = np.array(rows if len(rows) > 1 else [rows[0], rows[0]], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        found = self._text_tower.run(["text_embeds"], {name: feed[name] for name in self.card.text_inputs})[0]
        return [vector.copy() for vector in found[: len(rows)]]

    def _picture(self, data: bytes | NDArray[np.uint8], *, as_original: bool) -> PictureVector:
        picture = prepare_picture(data, self.card.picture, as_original=as_original)
        vector = self._image_tower.run(["image_embeds"], {"pixel_values": picture.pixels[None]})[0][0]
        return PictureVector(vector, _is_finite(vector), picture.warnings)

    @cached_property
    def _text_tower(self) -> Any:
        return open_session(self.folder, self.card, "text.onnx")

    @cached_property
    def _image_tower(self) -> Any:
        return open_session(self.folder, self.card, "image.onnx")

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.folder / "tokenizer.json", self.card.max_tokens)


@lru_cache(maxsize=2)
def shared_image_text_encoder(folder: Path, threads: int | None = None) -> ImageTextEncoder:
    """The encoder of this process for a folder: one pair of sessions however many evaluations run."""
    return ImageTextEncoder(folder, threads=threads)


def _is_finite(vector: NDArray[np.float32]) -> bool:
    return bool(np.isfinite(vector).all())

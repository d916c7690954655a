"""Token vectors of training texts, kept on disk between runs: encoding takes minutes, all that follows takes seconds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from handler.models import TextEncoder, TokenVectors

__all__ = ["Encodings"]

TEXTS_PER_PASS = 256  # 30 MB of token vectors


class Encodings:
    """The token vectors of texts, from a folder where they are kept as float32, or from the encoder.

    folder: holds index.jsonl (text, first token, spans) and one raw file per layer; it belongs to one model. The values
    are the encoder's to the bit, so a run that finds everything in the folder makes the same files as one that does not.
    """

    def __init__(self, encoder: TextEncoder, folder: Path, *, layers: tuple[int, ...]) -> None:
        self._encoder, self._folder, self._layers = encoder, folder, layers
        folder.mkdir(parents=True, exist_ok=True)
        self._known: dict[str, tuple[int, list[tuple[int, int]]]] = {}
        self._n_tokens = 0
        if self._index.exists():
            for line in self._index.read_text("utf-8").splitlines():
                self._note(json.loads(line))

    def __getitem__(self, text: str) -> TokenVectors:
        first, spans = self._known[text]
        dimension = self._encoder.card.dimension
        layers = {
            layer: np.fromfile(
                self._file(layer), np.float32, count=len(spans) * dimension, offset=first * dimension * 4
            ).reshape(len(spans), dimension)
            for layer in self._layers
        }
        return TokenVectors(spans, layers)

    def add(self, texts: Iterable[str]) -> None:
        """Encode what is not yet known; a run that is stopped loses at most one pass."""
        wanted = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(wanted), TEXTS_PER_PASS):
            part = wanted[start : start + TEXTS_PER_PASS]
            found = self._encoder.read(part, self._layers, _copied)
            for layer in self._layers:
                with self._file(layer).open("r+b" if self._file(layer).exists() else "wb") as file:
                    file.seek(self._n_tokens * self._encoder.card.dimension * 4)
                    for text in part:
                        file.write(found[text][1].layers[layer].tobytes())
            with self._index.open("a", encoding="utf-8") as file_of_texts:
                for text in part:
                    record = {"text": text, "first": self._n_tokens, "spans": found[text][1].spans}
                    file_of_texts.write(json.dumps(record) + "\n")
                    self._note(record)

    def _note(self, record: dict[str, Any]) -> None:
        spans = [(first, last) for first, last in record["spans"]]
        self._known[record["text"]] = (record["first"], spans)
        self._n_tokens = record["first"] + len(spans)

    def _file(self, layer: int) -> Path:
        return self._folder / f"layer_{layer}.f32"

    @property
    def _index(self) -> Path:
        return self._folder / "index.jsonl"


def _copied(text: str, tokens: TokenVectors) -> TokenVectors:
    return TokenVectors(tokens.spans, {layer: values.copy() for layer, values in tokens.layers.items()})

"""A text encoder without a model: vectors are made from a hash, so a thousand runs take seconds.

It is the product's own `TextEncoder` in all but the network: card, memory, cache and threads are real. Its similarities
mean nothing; what is tested with it is that the same texts give the same rows, whatever happens on the way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from handler.evaluation import _metrics
from handler.models import TextEncoder, TextVector

__all__ = ["StubEncoder", "stub_folder", "use_stub"]

DIMENSION = 8
MAX_TOKENS = 16


class StubEncoder(TextEncoder):
    """Unit vectors from BLAKE2b; a text has as many tokens as words, and two more."""

    def _encode_new(
        self, texts: list[str], layers: tuple[int, ...] = (), reading: Any = None
    ) -> Iterator[tuple[str, TextVector, None]]:
        for text in texts:
            digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIMENSION).digest()
            raw = np.frombuffer(digest, np.uint8).astype(np.float64) + 1
            n_tokens = len(text.split()) + 2
            vector = (raw / np.sqrt((raw * raw).sum())).astype(np.float32)
            yield text, TextVector(vector, n_tokens, n_tokens > MAX_TOKENS, finite=True), None


def stub_folder(at: Path) -> Path:
    """A model folder whose card is whole and whose files hold nothing."""
    at.mkdir(parents=True, exist_ok=True)
    files = {}
    for name in ("model.onnx", "tokenizer.json"):
        data = f"stub {name}".encode()
        (at / name).write_bytes(data)
        files[name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    card = {"schema": "scenescore.model/1", "kind": "text_encoder", "name": "stub", "files": files}
    card |= {"max_tokens": MAX_TOKENS, "pooling": "mean", "normalize": True, "dimension": DIMENSION}
    (at / "card.json").write_text(json.dumps({**card, "inputs": ["input_ids"], "parity": {"verified": True}}))
    return at


@cache
def _shared(
    folder: Path, threads: int | None = None, cache: str | None = None, precision: str | None = None
) -> TextEncoder:
    return StubEncoder(folder, threads=threads or 1, cache=cache)


def use_stub() -> None:
    """From now on this process encodes with the stub, whatever folder is named."""
    _metrics.shared_text_encoder = _shared

"""What training left: mean word vectors, how rare words are, the trees, and the card that says where they come from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.claims._trees import Model, Trees
from handler.claims._vectors import LAYERS

__all__ = ["CARD", "TABLES", "Tables", "fingerprint", "load_tables", "read_card"]

_DATA = Path(__file__).parent / "data"
TABLES = _DATA / "judge.npz"
CARD = _DATA / "card.json"


@dataclass(frozen=True)
class Tables:
    """means: float32 per layer, the mean word vector of captions. rarity: by lemma, 0 (in every caption) to 1 (in one).
    model: log-odds of a contradiction from a row of features. features: the names of the row's values."""

    means: Mapping[int, NDArray[np.float32]]
    rarity: Mapping[str, float]
    model: Model
    features: tuple[str, ...]


@lru_cache(maxsize=1)
def load_tables() -> Tables:
    """The tables that ship, read on first use (some 5 ms)."""
    with np.load(TABLES, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    words = arrays["words"].tobytes().decode("utf-8").split("\n")
    return Tables(
        means={layer: arrays[f"mean_{layer}"] for layer in LAYERS},
        rarity=dict(zip(words, (arrays["rarity"] / 255.0).tolist(), strict=True)),
        model=Model(
            Trees(
                roots=arrays["roots"].astype(np.intp),
                feature=arrays["feature"].astype(np.intp),
                limit=arrays["limit"],
                children=arrays["children"].astype(np.intp),
                value=arrays["value"].astype(np.float64),
                base=float(arrays["base"]),
                depth=int(arrays["depth"]),
            ),
            weights=arrays["weights"].astype(np.float64),
            intercept=float(arrays["intercept"]),
        ),
        features=tuple(arrays["features"].tobytes().decode("ascii").split("\n")),
    )


@lru_cache(maxsize=1)
def read_card() -> dict[str, Any]:
    """The judge's card: data, licences, figures, failure modes, threshold."""
    card: dict[str, Any] = json.loads(CARD.read_text("utf-8"))
    return card


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Of all that a score rests on beside the encoder and the code: what was trained, the dictionary, the word lists."""
    digest = hashlib.sha256()
    for name in ("judge.npz", "wordnet.npz", "words.toml"):
        digest.update((_DATA / name).read_bytes())
    return digest.hexdigest()[:12]

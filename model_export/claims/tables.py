"""judge.npz: what training leaves for the run time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.claims._features import FEATURES
from handler.claims._trees import Model

__all__ = ["write_tables"]


def write_tables(
    path: Path, *, means: Mapping[int, NDArray[np.float32]], rarity: Mapping[str, int], model: Model
) -> None:
    """The tables that `handler.claims` reads. The same tables give the same bytes."""
    words, trees = sorted(rarity), model.trees
    arrays: dict[str, Any] = {
        **{f"mean_{layer}": mean for layer, mean in means.items()},
        "words": _bytes("\n".join(words)),
        "rarity": np.array([rarity[word] for word in words], np.uint8),
        "features": _bytes("\n".join(FEATURES)),
        "roots": trees.roots,
        "feature": trees.feature.astype(np.uint8),
        "limit": trees.limit,
        "children": trees.children,
        "value": trees.value.astype(np.float32),
        "base": np.float64(trees.base),
        "depth": np.int64(trees.depth),
        "weights": model.weights.astype(np.float32),
        "intercept": np.float64(model.intercept),
    }
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)

"""The graphs of one exported folder, as the steps that the glue between them calls."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from handler.models.dense._cascade import Stage
from handler.models.dense._decoding import Sentence, Step, greedy
from handler.models.dense._graphs import Graph
from handler.models.dense._pooling import box_levels

__all__ = ["GRAPHS", "Network"]

Floats = NDArray[np.float32]
Pyramid = dict[str, Any]

N_STAGES = 3
LEVELS = range(3, 8)
PYRAMID = frozenset({"p3", "p4", "p5"})
GRAPHS = ("backbone", "roi_7", *(f"boxes_{number}" for number in range(N_STAGES)), "roi_14", "prefix", "step")
_CACHES = {"new_text_keys": "text_keys", "new_text_values": "text_values"}


class Network:
    """The graphs, loaded. Raises ModelError when one cannot be."""

    def __init__(self, folder: Path, *, provider: Literal["cpu", "cuda"], threads: int) -> None:
        self._graphs = {name: Graph(folder / f"{name}.onnx", provider=provider, threads=threads) for name in GRAPHS}

    def maps(self, image: Floats) -> tuple[Pyramid, list[Floats], list[Floats]]:
        """Image (1, 3, h, w) -> pyramid, heat maps (1, 1, h, w) and regressions (1, 4, h, w) of levels 3 to 7."""
        found = self._graphs["backbone"]({"image": image}, keep=PYRAMID)
        pyramid = {name: found[name] for name in PYRAMID}
        heatmaps, regressions = ([found[f"{kind}_{level}"] for level in LEVELS] for kind in ("heatmap", "regression"))
        return pyramid, heatmaps, regressions

    def stages(self, pyramid: Pyramid) -> list[Stage]:
        """The box stages on one image."""
        return [partial(self._stage, number, pyramid) for number in range(N_STAGES)]

    def regions(self, pyramid: Pyramid, boxes: Floats) -> Floats:
        """Features of boxes (n, 4) px for the text decoder: (n, channels, 14, 14)."""
        pooled: Floats = self._graphs["roi_14"]({**pyramid, "boxes": boxes, "level": box_levels(boxes)})["pooled"]
        return pooled

    def sentences(self, regions: Floats, tasks: Iterable[int]) -> list[list[Sentence]]:
        """What is said of each region, per begin token. The keys and values of the regions are computed once."""
        visual = self._graphs["prefix"]({"regions": regions}, keep=frozenset({"keys", "values"}))
        prefix = {f"prefix_{name}": value for name, value in visual.items()}
        return [greedy(self._step(prefix), len(regions), begin) for begin in tasks]

    def _stage(self, number: int, pyramid: Pyramid, boxes: Floats) -> tuple[Floats, Floats]:
        roi = {**pyramid, "boxes": boxes, "level": box_levels(boxes)}
        pooled = self._graphs["roi_7"](roi, keep=frozenset({"pooled"}))
        found = self._graphs[f"boxes_{number}"](pooled)
        return found["logits"], found["deltas"]

    def _step(self, prefix: dict[str, Any]) -> Step:
        """A decoding step that remembers the keys and values of the words so far."""
        layers, n, heads, _, width = prefix["prefix_keys"].shape()
        caches: dict[str, Any] = {name: np.empty((layers, n, heads, 0, width), np.float32) for name in _CACHES.values()}

        def step(tokens: NDArray[np.int64], position: int) -> Floats:
            feed = {"token": tokens, "position": np.array([position]), **prefix, **caches}
            found = self._graphs["step"](feed, keep=frozenset(_CACHES))
            caches.update({name: found[new] for new, name in _CACHES.items()})
            logits: Floats = found["logits"]
            return logits

        return step

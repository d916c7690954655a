"""What flows into each group of matrices on the calibration texts: the figures that smoothing and GPTQ need."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from model_export.compact.encoder import Exact, write_encoder
from model_export.compact.network import Floats, Network

__all__ = ["GROUPS", "Moments", "collect"]

GROUPS = {"qkv": "q", "o": "o", "up": "up", "down": "down"}
"""Groups of a layer's matrices that read the same rows, and the tap where these are seen."""
_WEIGHED = {"o": "attention", "down": "output"}  # groups whose result goes into a layer norm, and the tap before it
BATCH_TOKENS = 1024
SAMPLES = 1536  # rows of each group that are kept whole


@dataclass(slots=True)
class Moments:
    """Of the rows x of one group: weight w, sum of w x, w x x', least and greatest value of each channel, some rows.

    A row that goes into a layer norm is divided by its standard deviation there, so it counts by 1 / variance: else the
    few tokens with enormous activations would decide everything.
    """

    weight: float
    total: NDArray[np.float64]
    second: Floats
    least: Floats
    greatest: Floats
    samples: list[Floats] = field(default_factory=list)
    sample_weights: list[Floats] = field(default_factory=list)

    @classmethod
    def empty(cls, width: int) -> Moments:
        """Of no rows yet."""
        least, greatest = (np.full(width, value, np.float32) for value in (np.inf, -np.inf))
        return cls(0.0, np.zeros(width), np.zeros((width, width), np.float32), least, greatest)

    def add(self, rows: Floats, weights: Floats, sampled: NDArray[np.int64]) -> None:
        """Take in rows, (n, width). sampled: which of them are kept."""
        weighed = rows * np.sqrt(weights)[:, None]
        self.weight += float(weights.sum())
        self.total += weights.astype(np.float64) @ rows
        self.second += weighed.T @ weighed
        np.minimum(self.least, rows.min(axis=0), out=self.least)
        np.maximum(self.greatest, rows.max(axis=0), out=self.greatest)
        self.samples.append(rows[sampled])
        self.sample_weights.append(weights[sampled])

    def mean(self) -> Floats:
        """The weighed mean, (width,)."""
        return np.asarray(self.total / self.weight, np.float32)

    def reach(self, around: Floats) -> Floats:
        """The greatest distance from `around` in each channel."""
        return np.asarray(np.maximum(self.greatest - around, around - self.least), np.float32)

    def covariance(self, around: Floats) -> NDArray[np.float64]:
        """The weighed mean of (x - around)(x - around)'."""
        second = self.second.astype(np.float64) / self.weight
        cross = np.outer(self.total / self.weight, around)
        return np.asarray(second - cross - cross.T + np.outer(around, around))


def collect(network: Network, token_ids: Sequence[list[int]], threads: int) -> dict[tuple[int, str], Moments]:
    """Moments of every (layer, group). token_ids: of the calibration texts."""
    taps: dict[tuple[int, str], str] = {}
    session = _session(write_encoder(network, Exact(network), taps=taps), threads)
    found: dict[tuple[int, str], Moments] = {}
    share = SAMPLES / sum(map(len, token_ids))
    rng = np.random.default_rng(0)
    for ids in _batches(token_ids):
        values = dict(zip(taps, session.run(list(taps.values()), {"input_ids": ids}), strict=True))
        sampled = np.flatnonzero(rng.random(ids.size) < share)
        for number in range(len(network.layers)):
            for group, tap in GROUPS.items():
                rows = values[number, tap]
                weights = np.ones(len(rows), np.float32)
                if group in _WEIGHED:
                    weights = 1 / values[number, _WEIGHED[group]].var(axis=1)
                moments = found.setdefault((number, group), Moments.empty(rows.shape[1]))
                moments.add(rows, weights, sampled)
    return found


def _session(model: Any, threads: int) -> Any:
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "taps.onnx"
        onnx.save_model(model, str(path), save_as_external_data=True, location="taps.onnx.data")
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _batches(token_ids: Sequence[list[int]]) -> list[NDArray[np.int64]]:
    """All texts, in batches of one length."""
    by_length: dict[int, list[list[int]]] = {}
    for ids in token_ids:
        by_length.setdefault(len(ids), []).append(ids)
    batches = []
    for length, rows in sorted(by_length.items()):
        size = max(1, BATCH_TOKENS // length)
        batches += [np.array(rows[start : start + size], np.int64) for start in range(0, len(rows), size)]
    return batches

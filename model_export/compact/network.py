"""The weights of an MPNet encoder, read out of the graph that optimum exported."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.errors import ModelError

__all__ = ["PROJECTIONS", "Dense", "Floats", "Layer", "Network", "Norm", "read_network"]

Floats = NDArray[np.float32]

PROJECTIONS = {
    "q": "attention.attn.q",
    "k": "attention.attn.k",
    "v": "attention.attn.v",
    "o": "attention.attn.o",
    "up": "intermediate.dense",
    "down": "output.dense",
}
"""Our names of a layer's six matrices, and the network's."""
_NODE = re.compile(r"(?:.*?/)?((?:embeddings|encoder)/.+)/\w+")
_HELD = {
    "MatMul": ("weight",),
    "Add": ("bias",),
    "Gather": ("weight",),
    "LayerNormalization": ("weight", "bias"),
}
"""What the tensors are that an operator reads beside its input."""
_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Dense:
    """weight: shape (in, out). bias: (out,)."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer norm's gain and shift, each (width,)."""

    gain: Floats
    shift: Floats


@dataclass(frozen=True, slots=True)
class Layer:
    """dense: by the names of `PROJECTIONS`. attention_norm, output_norm: after attention and after the feed-forward part."""

    dense: dict[str, Dense]
    attention_norm: Norm
    output_norm: Norm


@dataclass(frozen=True, slots=True)
class Network:
    """words, positions: embedding tables. buckets: the attention's bias by bucket of relative position, (buckets, heads)."""

    words: Floats
    positions: Floats
    embedding_norm: Norm
    buckets: Floats
    layers: list[Layer]
    epsilon: float = _EPSILON

    @property
    def heads(self) -> int:
        """Heads of attention."""
        return int(self.buckets.shape[1])

    @property
    def width(self) -> int:
        """Length of a token vector."""
        return int(self.words.shape[1])

    def bias_by_distance(self) -> Floats:
        """The attention's bias for key position minus query position, -(n - 1) .. n - 1: shape (heads, 2 n - 1).

        Small distances have a bucket each, larger ones share logarithmic buckets up to 128; half of the buckets are for
        keys after the query (Raffel et al. 2020, section 2.1, as MPNet uses them).
        """
        n_positions = len(self.positions) - 2  # the first two rows stand for padding
        return np.ascontiguousarray(self.buckets[_bucket(np.arange(1 - n_positions, n_positions), len(self.buckets))].T)


def read_network(folder: Path) -> Network:
    """The network in an exported folder. Raises ModelError for a model that is no MPNet encoder."""
    import onnx

    model = onnx.load(str(folder / "model.onnx"))
    tensors = _tensors(model)
    try:
        n_layers = 1 + max(int(found[1]) for name in tensors if (found := re.match(r"encoder\.layer\.(\d+)\.", name)))
        return Network(
            words=tensors["embeddings.word_embeddings.weight"],
            positions=tensors["embeddings.position_embeddings.weight"],
            embedding_norm=_norm(tensors, "embeddings.LayerNorm"),
            buckets=tensors["encoder.relative_attention_bias.weight"],
            layers=[_layer(tensors, f"encoder.layer.{number}") for number in range(n_layers)],
        )
    except (KeyError, ValueError) as error:
        raise ModelError(
            f"only MPNet models have an int8 tier, and this one lacks {error}",
            file=str(folder),
            hint="Use all-mpnet-base-v2 or a model fine-tuned from mpnet-base; others run in fp32",
        ) from error


def _tensors(model: Any) -> dict[str, Floats]:
    """The graph's weights by the network's names.

    The names of tensors will not do: the exporter renames matrices and keeps one of several equal tensors. Those of nodes
    say which part of the network they are.
    """
    from onnx import numpy_helper

    found = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    found |= {
        n.output[0]: found[n.input[0]] for n in model.graph.node if n.op_type == "Identity" and n.input[0] in found
    }
    named: dict[str, Floats] = {}
    for node in model.graph.node:
        held = [found[name] for name in node.input if name in found]
        kinds = _HELD.get(node.op_type, ())
        if len(held) == len(kinds) and (part := _NODE.fullmatch(node.name)):
            named |= {f"{part[1].replace('/', '.')}.{kind}": one for kind, one in zip(kinds, held, strict=True)}
    return named


def _layer(tensors: dict[str, Floats], name: str) -> Layer:
    dense = {
        short: Dense(tensors[f"{name}.{long}.weight"], tensors[f"{name}.{long}.bias"])
        for short, long in PROJECTIONS.items()
    }
    return Layer(dense, _norm(tensors, f"{name}.attention.LayerNorm"), _norm(tensors, f"{name}.output.LayerNorm"))


def _norm(tensors: dict[str, Floats], name: str) -> Norm:
    return Norm(tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def _bucket(distance: NDArray[np.int64], n_buckets: int, farthest: int = 128) -> NDArray[np.int64]:
    half = n_buckets // 2
    exact = half // 2
    away = np.abs(distance)
    ratio = np.log(np.maximum(away, 1).astype(np.float32) / np.float32(exact)) / np.float32(np.log(farthest / exact))
    far = exact + (ratio * np.float32(half - exact)).astype(np.int64)
    bucket = np.where(away < exact, away, np.minimum(far, half - 1))
    return np.asarray(bucket + np.where(distance > 0, half, 0), np.int64)

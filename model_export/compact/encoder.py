"""The graph of an MPNet encoder for batches of one token length: attention fused, no masks, no shape arithmetic.

Matrices are multiplied by whatever `Projections` writes: in fp32 or in int8. The graph pools nothing; the run time does,
text by text.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from model_export.compact.network import Floats, Network, Norm
from model_export.compact.writer import CONTRIB, GraphWriter

__all__ = ["Exact", "Projections", "Rows", "Term", "write_encoder"]

PAD = 1  # the id of `<pad>`, which a text may contain; it counts no position


class Rows(NamedTuple):
    """Token vectors, (texts x tokens, width). total, norm: the sum they are the layer norm of, where they are one."""

    value: str
    total: str | None = None
    norm: Norm | None = None


class Term(NamedTuple):
    """What a multiplication gave: parts still to be summed, and the bias still to be added."""

    parts: list[str]
    bias: Floats


class Projections(Protocol):
    """Writes the multiplication of rows by one of a layer's matrices."""

    def __call__(self, graph: GraphWriter, layer: int, name: str, rows: Rows) -> Term:
        """name: a key of `PROJECTIONS`."""


class Exact:
    """`Projections` in fp32."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def __call__(self, graph: GraphWriter, layer: int, name: str, rows: Rows) -> Term:
        """One MatMul."""
        dense = self._network.layers[layer].dense[name]
        return Term([graph.op("MatMul", rows.value, graph.constant(dense.weight))], dense.bias)


def write_encoder(
    network: Network,
    projections: Projections,
    *,
    layers: tuple[int, ...] = (),
    words: Any = np.float32,
    gelu: str = "BiasGelu",
    taps: dict[tuple[int, str], str] | None = None,
) -> Any:
    """The model: output `token_embeddings`, and `layer_N` for `layers`, each (texts, tokens, width).

    words: how the word table is stored, float32 or float16. gelu: ONNX Runtime's operator, "BiasGelu" by erf or "FastGelu"
    by tanh. taps: filled with the names of what goes into each group of
    matrices, ("q", "o", "up", "down" of a layer), and of the two sums before its layer norms ("attention", "output"),
    which then are outputs too.
    """
    graph = GraphWriter()
    width = network.width
    rows, shape = _embedded(graph, network, words)
    bias = _distances(graph, network)
    flat = graph.constant([-1, width], np.int64)
    for number, layer in enumerate(network.layers):
        q, k, v = (projections(graph, number, name, rows) for name in "qkv")
        joined = [graph.op("Reshape", _summed(graph, one.parts), shape) for one in (q, k, v)]
        biases = graph.constant(np.concatenate([q.bias, k.bias, v.bias]))
        scale = (width // network.heads) ** -0.5
        attended = graph.op(
            "MultiHeadAttention", *joined, biases, "", bias, domain=CONTRIB, num_heads=network.heads, scale=scale
        )
        context = Rows(graph.op("Reshape", attended, flat))
        middle = _added(graph, projections(graph, number, "o", context), rows, layer.attention_norm, network.epsilon)
        up = projections(graph, number, "up", middle)
        inner = Rows(graph.op(gelu, _summed(graph, up.parts), graph.constant(up.bias), domain=CONTRIB))
        if taps is not None:
            found = {"q": rows.value, "o": context.value, "up": middle.value, "down": inner.value}
            taps |= {(number, name): value for name, value in found.items()}
        rows = _added(graph, projections(graph, number, "down", inner), middle, layer.output_norm, network.epsilon)
        if taps is not None:
            taps |= {(number, "attention"): str(middle.total), (number, "output"): str(rows.total)}
        if number + 1 in layers:
            graph.op("Reshape", rows.value, shape, output=f"layer_{number + 1}")
    graph.op("Reshape", rows.value, shape, output="token_embeddings")
    outputs: list[tuple[str, list[str | int]]] = [
        (name, ["texts", "tokens", width]) for name in ("token_embeddings", *(f"layer_{number}" for number in layers))
    ]
    outputs += [(name, ["rows", f"width_{number}"]) for number, name in enumerate((taps or {}).values())]
    return graph.model(outputs)


def _embedded(graph: GraphWriter, network: Network, words: Any) -> tuple[Rows, str]:
    """Token vectors before the first layer, and the name of the shape (texts, tokens, width)."""
    from onnx import TensorProto

    is_word = graph.op(
        "Cast",
        graph.op("Not", graph.op("Equal", "input_ids", graph.constant(PAD, np.int64))),
        to=TensorProto.INT32,
    )
    counted = graph.op("Mul", graph.op("CumSum", is_word, graph.constant(1, np.int32)), is_word)
    positions = graph.op("Add", counted, graph.constant(PAD, np.int32))
    word = graph.op("Gather", graph.constant(network.words, words), "input_ids")
    if words != np.float32:
        word = graph.op("Cast", word, to=TensorProto.FLOAT)
    total = graph.op("Sum", word, graph.op("Gather", graph.constant(network.positions), positions))
    shape = graph.op("Shape", total)
    total = graph.op("Reshape", total, graph.constant([-1, network.width], np.int64))
    return _normed(graph, total, network.embedding_norm, network.epsilon), shape


def _distances(graph: GraphWriter, network: Network) -> str:
    """The attention's bias, (1, heads, tokens, tokens), from one table by distance."""
    table = network.bias_by_distance()
    tokens = graph.op("Gather", graph.op("Shape", "input_ids"), graph.constant(1, np.int64))
    places = graph.op("Range", graph.constant(0, np.int64), tokens, graph.constant(1, np.int64))
    keys, queries = (graph.op("Unsqueeze", places, graph.constant([axis], np.int64)) for axis in (0, 1))
    distance = graph.op("Sub", keys, queries)
    row = graph.op("Add", distance, graph.constant(table.shape[1] // 2, np.int64))
    bias = graph.op("Gather", graph.constant(table), row, axis=1)
    return graph.op("Unsqueeze", bias, graph.constant([0], np.int64))


def _added(graph: GraphWriter, term: Term, residual: Rows, norm: Norm, epsilon: float) -> Rows:
    total = graph.op("Sum", *term.parts, residual.value, graph.constant(term.bias))
    return _normed(graph, total, norm, epsilon)


def _normed(graph: GraphWriter, total: str, norm: Norm, epsilon: float) -> Rows:
    # Not SkipLayerNormalization: that kernel takes four times as long as Sum and LayerNormalization.
    gain, shift = graph.constant(norm.gain), graph.constant(norm.shift)
    return Rows(graph.op("LayerNormalization", total, gain, shift, axis=-1, epsilon=epsilon), total, norm)


def _summed(graph: GraphWriter, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else graph.op("Sum", *parts)

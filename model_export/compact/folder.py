"""The files of an int8 folder: the graph, the same one for processors whose s8 products overflow, and their canary."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from model_export.compact.encoder import write_encoder
from model_export.compact.network import Network
from model_export.compact.projections import Compact
from model_export.compact.recipe import Recipe
from model_export.compact.writer import CONTRIB, IR_VERSION, OPSET
from model_export.graph import save_graph

__all__ = ["CANARY", "fine_parts", "write_canary", "write_graphs"]

UNSIGNED_GRAPH = "model-u8.onnx"
CANARY = "canary.onnx"
CANARY_ROWS = 16
CANARY_DEPTH = 64
_SIGN = 0x80  # of an s8 byte: turned over, the byte is the u8 that is 128 larger

GELU = "FastGelu"  # by tanh: a seventh faster than by erf, and no error that can be told from rounding's


def fine_parts(n_layers: int) -> frozenset[tuple[int, str]]:
    """The matrices whose rows are read in 16 bits: v of the last third of layers, down of the first sixth.

    These brought most of the error: v of all-mpnet-base-v2's layers 9 to 12 alone 34 % of its energy, down 40 %.
    """
    third, sixth = math.ceil(n_layers / 3), math.ceil(n_layers / 6)
    late = {(number, "v") for number in range(n_layers - third, n_layers)}
    return frozenset(late | {(number, "down") for number in range(sixth)})


def write_graphs(
    network: Network, recipes: dict[tuple[int, str], Recipe], folder: Path, layers: tuple[int, ...]
) -> None:
    """Write model.onnx with its weights, and model-u8.onnx, which reads the same weights."""
    import onnx

    projections = Compact(network, recipes, fine=fine_parts(len(network.layers)))
    model = write_encoder(network, projections, layers=layers, words=np.float16, gelu=GELU)
    save_graph(model, folder / "model.onnx")
    model = onnx.load(str(folder / "model.onnx"), load_external_data=False)
    _make_unsigned(model)
    onnx.save(model, str(folder / UNSIGNED_GRAPH))


def _make_unsigned(model: Any) -> None:
    """s8 weights become u8 with zero point 128: when the graph is loaded, every byte's sign bit is turned over."""
    from onnx import TensorProto, helper

    graph = model.graph
    signed = {
        one.name for node in graph.node if node.op_type == "MatMulIntegerToFloat" for one in _weights(graph, node)
    }
    turned = []
    for one in graph.initializer:
        if one.name in signed:
            one.data_type = TensorProto.UINT8
            turned.append(helper.make_node("BitwiseXor", [one.name, "sign"], [f"{one.name}_u8"], name=f"{one.name}_u8"))
    graph.initializer.append(helper.make_tensor("sign", TensorProto.UINT8, [], [_SIGN]))
    graph.initializer.append(helper.make_tensor("zero_u8", TensorProto.UINT8, [], [_SIGN]))
    for node in graph.node:
        if node.op_type == "MatMulIntegerToFloat":
            node.input[1] = f"{node.input[1]}_u8"
            node.input[5] = "zero_u8"
    nodes = [*turned, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)


def _weights(graph: Any, node: Any) -> list[Any]:
    return [one for one in graph.initializer if one.name == node.input[1]]


def write_canary(path: Path) -> None:
    """A tiny graph: u8 rows times weights of 127, as s8 (`signed`) and as u8 with zero point 128 (`unsigned`)."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    shape = (CANARY_DEPTH, CANARY_ROWS)
    tensors = {
        "signed_weights": np.full(shape, 127, np.int8),
        "unsigned_weights": np.full(shape, 255, np.uint8),
        "one": np.array(1, np.float32),
        "scale": np.ones(CANARY_ROWS, np.float32),
        "row_zero": np.array(0, np.uint8),
        "signed_zero": np.array(0, np.int8),
        "unsigned_zero": np.array(128, np.uint8),
    }
    nodes = [
        helper.make_node(
            "MatMulIntegerToFloat",
            ["rows", f"{kind}_weights", "one", "scale", "row_zero", f"{kind}_zero"],
            [kind],
            domain=CONTRIB,
        )
        for kind in ("signed", "unsigned")
    ]
    graph = helper.make_graph(
        nodes,
        "canary",
        [helper.make_tensor_value_info("rows", TensorProto.UINT8, ["rows", CANARY_DEPTH])],
        [
            helper.make_tensor_value_info(kind, TensorProto.FLOAT, ["rows", CANARY_ROWS])
            for kind in ("signed", "unsigned")
        ],
        [numpy_helper.from_array(value, name) for name, value in tensors.items()],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION), str(path))

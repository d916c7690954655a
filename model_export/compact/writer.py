"""Writing an ONNX graph node by node: constants are named once, nodes by what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["CONTRIB", "IR_VERSION", "OPSET", "GraphWriter"]

OPSET = 18
IR_VERSION = 9  # that of opset 18's time: newer ones say nothing that is needed here
CONTRIB = "com.microsoft"
_SHARED = 64  # elements: constants up to here are looked up and written once


class GraphWriter:
    """Collects nodes and weights. `op` gives the name of what a node computes, to be the input of others."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._tensors: list[Any] = []
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def constant(self, value: Any, dtype: Any = None) -> str:
        """The name of a tensor that the graph holds. value: an array, a list or a number."""
        from onnx import numpy_helper

        array = np.array(value, dtype=dtype, order="C")
        key = (array.dtype.str, array.shape, array.tobytes())
        if array.size <= _SHARED and key in self._known:
            return self._known[key]
        name = f"constant_{len(self._tensors)}"
        self._tensors.append(numpy_helper.from_array(array, name))
        if array.size <= _SHARED:
            self._known[key] = name
        return name

    def op(self, kind: str, *inputs: str, output: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output."""
        from onnx import helper

        name = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], name=name, domain=domain, **attributes))
        return name

    def model(self, outputs: Sequence[tuple[str, Sequence[str | int]]]) -> Any:
        """The whole graph, reading `input_ids` (int64, texts x tokens). outputs: names and shapes, all float32."""
        from onnx import TensorProto, helper

        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)) for name, shape in outputs],
            self._tensors,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="scenescore")

"""ROI pooling as a graph without weights: boxes of three pyramid levels go through ONNX's own RoiAlign."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

__all__ = ["pooling_graph"]

POOLED_LEVELS = (3, 4, 5)
IR_VERSION = 8  # what opset 18 came with


def pooling_graph(side: int, *, opset: int) -> ModelProto:
    """p3, p4, p5 and boxes (N, 4) in image px with their level (N,), 3 to 5 -> pooled (N, channels, side, side).

    The rule is detectron2's ROIAlignV2: aligned to half pixels, as many samples per bin as the box is bins wide, rounded
    up. Each level pools its own boxes; the rows are put back into the order of the boxes at the end.
    """
    nodes: list[Any] = []
    for level in POOLED_LEVELS:
        nodes += _level_nodes(level, side)
    names = [str(level) for level in POOLED_LEVELS]
    nodes += [
        helper.make_node("Concat", [f"pooled_{name}" for name in names], ["pooled_by_level"], axis=0),
        helper.make_node("Concat", [f"rows_{name}" for name in names], ["rows"], axis=0),
        helper.make_node("Unsqueeze", ["rows", "last_axis"], ["targets"]),
        helper.make_node("Shape", ["rows"], ["n_rows"]),
        helper.make_node("Squeeze", ["n_rows", "first_axis"], ["end"]),
        helper.make_node("Range", ["zero", "end", "one"], ["sources"]),
        helper.make_node("ScatterND", ["sources", "targets", "sources"], ["order"]),
        helper.make_node("Gather", ["pooled_by_level", "order"], ["pooled"], axis=0),
    ]
    constants = {
        "first_axis": np.array([0], np.int64),
        "last_axis": np.array([1], np.int64),
        "zero": np.array(0, np.int64),
        "one": np.array(1, np.int64),
        **{f"number_{level}": np.array(level, np.int64) for level in POOLED_LEVELS},
    }
    graph = helper.make_graph(
        nodes,
        f"roi_{side}",
        [
            *(
                helper.make_tensor_value_info(
                    f"p{level}", TensorProto.FLOAT, [1, "channels", f"h_{level}", f"w_{level}"]
                )
                for level in POOLED_LEVELS
            ),
            helper.make_tensor_value_info("boxes", TensorProto.FLOAT, ["n", 4]),
            helper.make_tensor_value_info("level", TensorProto.INT64, ["n"]),
        ],
        [helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["n", "channels", side, side])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)


def _level_nodes(level: int, side: int) -> list[Any]:
    return [
        helper.make_node("Equal", ["level", f"number_{level}"], [f"is_{level}"]),
        helper.make_node("NonZero", [f"is_{level}"], [f"found_{level}"]),
        helper.make_node("Squeeze", [f"found_{level}", "first_axis"], [f"rows_{level}"]),
        helper.make_node("Gather", ["boxes", f"rows_{level}"], [f"boxes_{level}"], axis=0),
        helper.make_node("Sub", [f"rows_{level}", f"rows_{level}"], [f"image_{level}"]),
        helper.make_node(
            "RoiAlign",
            [f"p{level}", f"boxes_{level}", f"image_{level}"],
            [f"pooled_{level}"],
            output_height=side,
            output_width=side,
            sampling_ratio=0,
            spatial_scale=1 / 2**level,
            coordinate_transformation_mode="half_pixel",
        ),
    ]

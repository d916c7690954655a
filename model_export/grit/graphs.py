"""The network as ONNX graphs with the seams that the run time of `handler.models` knows."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn

from model_export.grit.network import Grit
from model_export.grit.pooling_graph import pooling_graph
from model_export.grit.pyramid import LEVELS

__all__ = ["OPSET", "PRECISIONS", "write_graphs"]

Tensor = Any
OPSET = 18  # the first with all we need; above it nothing is faster in ONNX Runtime
WEIGHTS_FROM = 1024  # bytes: smaller tensors are shapes and constants, and stay in the graph
PRECISIONS = {"fp32": torch.float32, "fp16": torch.float16}
_TRACED_SIDES = (64, 96)  # px, unequal, so that no axis can be taken for another


@dataclass(frozen=True, slots=True)
class _Graph:
    """One graph to write. inputs: name, example and names of its dynamic axes; outputs: name and its dynamic axes."""

    name: str
    module: nn.Module
    inputs: list[tuple[str, Tensor, dict[int, str]]]
    outputs: list[tuple[str, dict[int, str]]]


def write_graphs(network: Grit, folder: Path, *, precision: str = "fp32") -> None:
    """Write every graph into `folder`, weights in a file NAME.onnx.data of each. Inputs and outputs stay float32.

    precision: "fp32", or "fp16" for weights and arithmetic of half precision, which only a GPU runs fast.
    """
    dtype = PRECISIONS[precision]
    if dtype != torch.float32:
        network = copy.deepcopy(network).to(dtype)
    for graph in _graphs(network, dtype):
        _write(graph, folder)
    for side in (network.sizes.pooled, network.sizes.region):
        onnx.save_model(pooling_graph(side, opset=OPSET), str(folder / f"roi_{side}.onnx"))


def _graphs(network: Grit, dtype: Any) -> list[_Graph]:
    sizes = network.sizes
    regions = torch.zeros(2, sizes.channels, sizes.region, sizes.region)
    visual = torch.zeros(sizes.text_layers, 2, sizes.text_heads, sizes.visual_tokens, sizes.text_head_width)
    text = torch.zeros(sizes.text_layers, 2, sizes.text_heads, 3, sizes.text_head_width)
    row, many = {0: "n"}, {1: "n"}
    maps = {2: "h", 3: "w"}
    before, after = {1: "n", 3: "t"}, {1: "n", 3: "t_next"}
    return [
        _Graph(
            "backbone",
            _Image(network, dtype),
            [("image", torch.zeros(1, 3, *_TRACED_SIDES), {2: "height", 3: "width"})],
            [
                *((f"p{level}", {axis: f"{name}_{level}" for axis, name in maps.items()}) for level in LEVELS[:3]),
                *((f"heatmap_{level}", {axis: f"{name}_{level}" for axis, name in maps.items()}) for level in LEVELS),
                *(
                    (f"regression_{level}", {axis: f"{name}_{level}" for axis, name in maps.items()})
                    for level in LEVELS
                ),
            ],
        ),
        *(
            _Graph(
                f"boxes_{stage}",
                _Stage(network, dtype, stage),
                [("pooled", torch.zeros(2, sizes.channels, sizes.pooled, sizes.pooled), row)],
                [("logits", row), ("deltas", row)],
            )
            for stage in range(sizes.stages)
        ),
        _Graph("prefix", _Prefix(network, dtype), [("regions", regions, row)], [("keys", many), ("values", many)]),
        _Graph(
            "step",
            _Step(network, dtype),
            [
                ("token", torch.zeros(2, dtype=torch.int64), row),
                ("position", torch.zeros(1, dtype=torch.int64), {}),
                ("prefix_keys", visual, many),
                ("prefix_values", visual, many),
                ("text_keys", text, before),
                ("text_values", text, before),
            ],
            [("logits", row), ("new_text_keys", after), ("new_text_values", after)],
        ),
    ]


def _write(graph: _Graph, folder: Path) -> None:
    path = folder / f"{graph.name}.onnx"
    with torch.inference_mode():
        torch.onnx.export(
            graph.module,
            tuple(example for _, example, _ in graph.inputs),
            str(path),
            input_names=[name for name, _, _ in graph.inputs],
            output_names=[name for name, _ in graph.outputs],
            dynamic_axes={
                **{name: axes for name, _, axes in graph.inputs if axes},
                **{name: axes for name, axes in graph.outputs if axes},
            },
            opset_version=OPSET,
            dynamo=False,
        )
    model = onnx.load(str(path))
    onnx.save_model(
        model, str(path), save_as_external_data=True, location=f"{path.name}.data", size_threshold=WEIGHTS_FROM
    )
    for one in folder.glob(f"{path.name}*"):
        one.chmod(0o644)  # onnx makes the weights readable to their owner alone


class _Part(nn.Module):
    """A part of the network between float32 inputs and float32 outputs."""

    def __init__(self, network: Grit, dtype: Any) -> None:
        super().__init__()
        self.network = network
        self.dtype = dtype


class _Image(_Part):
    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        levels = self.network.backbone(image.to(self.dtype))
        heatmaps, regressions = self.network.proposal_generator(levels)
        return tuple(one.float() for one in (*levels[:3], *heatmaps, *regressions))


class _Stage(_Part):
    def __init__(self, network: Grit, dtype: Any, stage: int) -> None:
        super().__init__(network, dtype)
        self.stage = stage

    def forward(self, pooled: Tensor) -> tuple[Tensor, ...]:
        return tuple(one.float() for one in self.network.roi_heads.stage(self.stage, pooled.to(self.dtype)))


class _Prefix(_Part):
    def forward(self, regions: Tensor) -> tuple[Tensor, ...]:
        return tuple(one.float() for one in self.network.roi_heads.text_decoder.prefix(regions.to(self.dtype)))


class _Step(_Part):
    def forward(self, token: Tensor, position: Tensor, *caches: Tensor) -> tuple[Tensor, ...]:
        visual_keys, visual_values, text_keys, text_values = (one.to(self.dtype) for one in caches)
        decoder = self.network.roi_heads.text_decoder
        found = decoder.step(token, position, (visual_keys, visual_values), (text_keys, text_values))
        return tuple(one.float() for one in found)

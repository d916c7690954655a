"""The multiplications of the int8 graph: rows are quantised token by token, so no text depends on another.

The operators that do it are ONNX Runtime's own: MatMulIntegerToFloat multiplies u8 rows by s8 weights exactly, in 32-bit
integers. Each row's step is its largest magnitude / 127, so a batch mate changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from model_export.compact.encoder import Rows, Term
from model_export.compact.network import Floats, Network
from model_export.compact.recipe import Recipe
from model_export.compact.writer import CONTRIB, GraphWriter

__all__ = ["Compact", "group_of"]

_LEAST_STEP = 1e-9
_CENTRE = 128  # the zero point of rows of both signs
_FINER = 254  # the second pass's step in the first one's: what rounding leaves, -1/2 .. 1/2, in -127 .. 127


def group_of(name: str) -> str:
    """The group that a matrix belongs to."""
    return "qkv" if name in ("q", "k", "v") else name


class Compact:
    """`Projections` in int8.

    recipes: of every (layer, group). exact: (layer, name) of matrices that stay in fp32. fine: (layer, group) whose rows
    are read in two passes, 16 bits in all.
    """

    def __init__(
        self,
        network: Network,
        recipes: Mapping[tuple[int, str], Recipe],
        *,
        exact: frozenset[tuple[int, str]],
        fine: frozenset[tuple[int, str]],
    ) -> None:
        self._network = network
        self._recipes = recipes
        self._exact = exact
        self._fine = fine
        self._passes: dict[tuple[int, str], list[tuple[str, str, str]]] = {}
        self._steps: dict[tuple[int, str], str] = {}
        self._outliers: dict[tuple[int, str], str] = {}

    def __call__(self, graph: GraphWriter, layer: int, name: str, rows: Rows) -> Term:
        """One pass or two in int8, and the outlier channels in fp32."""
        weight, bias = self._network.layers[layer].dense[name].weight, self._network.layers[layer].dense[name].bias
        divisor, offset = self._folded(layer, name)
        if (layer, name) in self._exact:
            part = graph.op("MatMul", rows.value, graph.constant((weight / divisor).astype(np.float32)))
            return Term([part], ((bias - offset) / divisor).astype(np.float32))
        key = (layer, group_of(name))
        recipe = self._recipes[key]
        start = "qkv".index(name) * weight.shape[1] if name in "qkv" else 0
        columns = slice(start, start + weight.shape[1])
        matrix, scale = recipe.matrix[:, columns], recipe.scale[columns]
        bias = bias + recipe.mean @ weight - (recipe.shift / recipe.smooth) @ (matrix * scale)
        if key not in self._passes:
            self._quantise(graph, key, recipe, rows)
        held, column = graph.constant(matrix), graph.constant((scale / divisor).astype(np.float32))
        none = graph.constant(0, np.int8)
        products = [
            graph.op("MatMulIntegerToFloat", row, held, step, column, zero, none, domain=CONTRIB)
            for row, step, zero in self._passes[key]
        ]
        product = products[0] if len(products) == 1 else graph.op("Sum", *products)
        parts = [graph.op("Mul", product, self._steps[key])]
        if len(recipe.outliers):
            if key not in self._outliers:
                self._outliers[key] = graph.op("Gather", rows.value, graph.constant(recipe.outliers), axis=1)
            apart = graph.constant((weight[recipe.outliers] / divisor).astype(np.float32))
            parts.append(graph.op("MatMul", self._outliers[key], apart))
        return Term(parts, ((bias - offset) / divisor).astype(np.float32))

    def _folded(self, layer: int, name: str) -> tuple[Floats, Floats]:
        """What v's result is divided by, less what is subtracted before: `o` reads it smoothed.

        Attention's weights sum to 1, so subtracting a vector from all values subtracts it from the result.
        """
        recipe = self._recipes.get((layer, "o"))
        if name != "v" or recipe is None or (layer, "o") in self._exact:
            return np.ones(1, np.float32), np.zeros(1, np.float32)
        return recipe.smooth, recipe.mean

    def _quantise(self, graph: GraphWriter, key: tuple[int, str], recipe: Recipe, rows: Rows) -> None:
        smoothed = self._smoothed(graph, key, recipe, rows)
        is_positive = recipe.shift > 0
        largest = graph.op(
            "ReduceMax",
            smoothed if is_positive else graph.op("Abs", smoothed),
            graph.constant([1], np.int64),
            keepdims=0,
        )
        step = graph.op("Mul", largest, graph.constant(1 / 255 if is_positive else 1 / 127, np.float32))
        step = graph.op("Max", step, graph.constant(_LEAST_STEP, np.float32))
        self._steps[key] = graph.op("Unsqueeze", step, graph.constant([1], np.int64))
        zero = 0 if is_positive else _CENTRE
        first, zeros = self._rounded(graph, smoothed, step, zero)
        one = graph.constant(1, np.float32)
        self._passes[key] = [(first, one, graph.constant(zero, np.uint8))]
        if key in self._fine:
            coarse = graph.op("DequantizeLinear", first, step, zeros, axis=0)
            finer = graph.op("Mul", step, graph.constant(1 / _FINER, np.float32))
            second, _ = self._rounded(graph, graph.op("Sub", smoothed, coarse), finer, _CENTRE)
            share = graph.constant(1 / _FINER, np.float32)
            self._passes[key].append((second, share, graph.constant(_CENTRE, np.uint8)))

    def _rounded(self, graph: GraphWriter, value: str, step: str, zero: int) -> tuple[str, str]:
        zeros = graph.op("Expand", graph.constant([zero], np.uint8), graph.op("Shape", step))
        return graph.op("QuantizeLinear", value, step, zeros, axis=0), zeros

    def _smoothed(self, graph: GraphWriter, key: tuple[int, str], recipe: Recipe, rows: Rows) -> str:
        """(x - mean) / smooth, 0 in outlier channels: by a second layer norm where x comes from one."""
        if key[1] == "o":
            return rows.value  # v has it in its weights
        inverse = 1 / recipe.smooth
        inverse[recipe.outliers] = 0
        if rows.norm is not None and rows.total is not None:
            gain = graph.constant((rows.norm.gain * inverse).astype(np.float32))
            shift = graph.constant(((rows.norm.shift - recipe.mean) * inverse).astype(np.float32))
            return graph.op("LayerNormalization", rows.total, gain, shift, axis=-1, epsilon=self._network.epsilon)
        scaled = graph.op("Mul", rows.value, graph.constant(inverse.astype(np.float32)))
        if recipe.shift:
            scaled = graph.op("Add", scaled, graph.constant((recipe.shift * inverse).astype(np.float32)))
        return scaled

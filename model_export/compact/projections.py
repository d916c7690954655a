"""The multiplications of the int8 graph: rows are quantised token by token, so no text depends on another.

The operators that do it are ONNX Runtime's own: MatMulIntegerToFloat multiplies u8 rows by s8 weights exactly, in 32-bit
integers. Each row's step is its largest magnitude / 127, so a batch mate changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from model_export.compact.encoder import Rows, Term
from model_export.compact.network import Floats, Network
from model_export.compact.recipe import Recipe
from model_export.compact.writer import CONTRIB, GraphWriter

__all__ = ["Compact", "group_of"]

_LEAST_STEP = 1e-9
_CENTRE = 128  # the zero point of rows of both signs
_FINER = 254  # the second pass's step in the first one's: what rounding leaves, -1/2 .. 1/2, in -127 .. 127


class _Quantised(NamedTuple):
    """rows: u8, whose value is (rows - zero) * step. step: (n,); column: the same as (n, 1). smoothed: what was rounded."""

    rows: str
    step: str
    column: str
    zero: int
    smoothed: str


def group_of(name: str) -> str:
    """The group that a matrix belongs to."""
    return "qkv" if name in ("q", "k", "v") else name


class Compact:
    """`Projections` in int8.

    recipes: of every (layer, group). fine: (layer, name) of matrices whose rows are read in two passes, 16 bits in all.
    """

    def __init__(
        self,
        network: Network,
        recipes: Mapping[tuple[int, str], Recipe],
        *,
        fine: frozenset[tuple[int, str]],
    ) -> None:
        self._network = network
        self._recipes = recipes
        self._fine = fine
        self._read: dict[tuple[int, str], _Quantised] = {}
        self._rest: dict[tuple[int, str], str] = {}
        self._outliers: dict[tuple[int, str], str] = {}

    def __call__(self, graph: GraphWriter, layer: int, name: str, rows: Rows) -> Term:
        """One pass or two in int8, and the outlier channels in fp32."""
        weight, bias = self._network.layers[layer].dense[name].weight, self._network.layers[layer].dense[name].bias
        divisor, offset = self._folded(layer, name)
        key = (layer, group_of(name))
        recipe = self._recipes[key]
        start = "qkv".index(name) * weight.shape[1] if name in "qkv" else 0
        columns = slice(start, start + weight.shape[1])
        matrix, scale = recipe.matrix[:, columns], recipe.scale[columns]
        bias = bias + recipe.mean @ weight - (recipe.shift / recipe.smooth) @ (matrix * scale)
        if key not in self._read:
            self._read[key] = self._quantised(graph, key, recipe, rows)
        read = self._read[key]
        held, column = graph.constant(matrix), graph.constant((scale / divisor).astype(np.float32))
        product = _product(graph, read.rows, read.zero, 1, held, column)
        if (layer, name) in self._fine:
            if key not in self._rest:
                self._rest[key] = _rest(graph, read)
            rest = _product(graph, self._rest[key], _CENTRE, 1 / _FINER, held, column)
            product = graph.op("Add", product, rest)
        scaled = graph.op("Mul", product, read.column)
        if len(recipe.outliers):
            if key not in self._outliers:
                self._outliers[key] = graph.op("Gather", rows.value, graph.constant(recipe.outliers), axis=1)
            apart = graph.constant((weight[recipe.outliers] / divisor).astype(np.float32))
            scaled = graph.op("Gemm", self._outliers[key], apart, scaled)  # adds as it multiplies: a pass less than Add
        return Term([scaled], ((bias - offset) / divisor).astype(np.float32))

    def _folded(self, layer: int, name: str) -> tuple[Floats, Floats]:
        """What v's result is divided by, less what is subtracted before: `o` reads it smoothed.

        Attention's weights sum to 1, so subtracting a vector from all values subtracts it from the result.
        """
        if name != "v":
            return np.ones(1, np.float32), np.zeros(1, np.float32)
        recipe = self._recipes[layer, "o"]
        return recipe.smooth, recipe.mean

    def _quantised(self, graph: GraphWriter, key: tuple[int, str], recipe: Recipe, rows: Rows) -> _Quantised:
        smoothed = self._smoothed(graph, key, recipe, rows)
        is_positive = recipe.shift > 0
        magnitude = smoothed if is_positive else graph.op("Abs", smoothed)
        largest = graph.op("ReduceMax", magnitude, graph.constant([1], np.int64), keepdims=0)
        step = graph.op("Mul", largest, graph.constant(1 / 255 if is_positive else 1 / 127, np.float32))
        step = graph.op("Max", step, graph.constant(_LEAST_STEP, np.float32))
        zero = 0 if is_positive else _CENTRE
        column = graph.op("Unsqueeze", step, graph.constant([1], np.int64))
        return _Quantised(_rounded(graph, smoothed, step, zero), step, column, zero, smoothed)

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


def _rounded(graph: GraphWriter, value: str, step: str, zero: int) -> str:
    return graph.op("QuantizeLinear", value, step, _zeros(graph, step, zero), axis=0)


def _zeros(graph: GraphWriter, step: str, zero: int) -> str:
    return graph.op("Expand", graph.constant([zero], np.uint8), graph.op("Shape", step))


def _rest(graph: GraphWriter, read: _Quantised) -> str:
    """What rounding left, rounded to a step that is finer by `_FINER`."""
    coarse = graph.op("DequantizeLinear", read.rows, read.step, _zeros(graph, read.step, read.zero), axis=0)
    finer = graph.op("Mul", read.step, graph.constant(1 / _FINER, np.float32))
    return _rounded(graph, graph.op("Sub", read.smoothed, coarse), finer, _CENTRE)


def _product(graph: GraphWriter, rows: str, zero: int, scale: float, matrix: str, column: str) -> str:
    """Rows times matrix in integers, times a scale per column and one for all."""
    one, row_zero, matrix_zero = (
        graph.constant(scale, np.float32),
        graph.constant(zero, np.uint8),
        graph.constant(0, np.int8),
    )
    return graph.op("MatMulIntegerToFloat", rows, matrix, one, column, row_zero, matrix_zero, domain=CONTRIB)

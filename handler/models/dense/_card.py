"""The card of an exported dense captioner."""

from __future__ import annotations

from typing import Literal

from handler.models._card import Card
from handler.models.dense._network import GRAPHS

__all__ = ["DenseCard"]


class DenseCard(Card):
    """`card.json` of a GRiT folder."""

    needs = (*(f"{name}.onnx" for name in GRAPHS), "vocab.txt")
    hint = "Export one with `scenescore export grit --checkpoint FILE --output DIR`"

    kind: Literal["dense_captioner"] = "dense_captioner"

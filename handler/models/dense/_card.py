"""The card of an exported dense captioner."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from handler.models._card import Card, read_card
from handler.models.dense._network import GRAPHS

__all__ = ["DenseCard", "load_dense_card"]


class DenseCard(Card):
    """`card.json` of a GRiT folder."""

    kind: Literal["dense_captioner"]


def load_dense_card(folder: Path) -> DenseCard:
    """Read and check the card. Raises ModelError that says what to type when there is none."""
    hint = "Export one with `scenescore export grit --checkpoint FILE --output DIR`"
    return read_card(folder, DenseCard, needed=(*(f"{name}.onnx" for name in GRAPHS), "vocab.txt"), hint=hint)

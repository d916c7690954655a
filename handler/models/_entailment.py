"""A text-pair classifier on ONNX Runtime: whether one text follows from another. None ships; a team may bring its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from handler.errors import ModelError
from handler.models._card import Card, read_card
from handler.models._session import open_session
from handler.models._tokenizer import Tokenizer
from handler.settings import MODEL_CARD

__all__ = ["EntailmentCard", "OnnxEntailment"]


class EntailmentCard(Card):
    """The card of an entailment model's folder. labels: of its logits, in their order ("entailment", "neutral",
    "contradiction" as the model has them)."""

    needs = ("model.onnx", "tokenizer.json")
    hint = "Name a folder with model.onnx, tokenizer.json and a card.json of kind entailment"

    kind: Literal["entailment"] = "entailment"
    labels: list[str] = Field(min_length=2)
    max_tokens: int = Field(ge=5)
    inputs: list[Literal["input_ids", "attention_mask", "token_type_ids"]] = Field(min_length=1)


class OnnxEntailment:
    """An entailment model from a folder of model.onnx (first output: logits), tokenizer.json and card.json.

    One pair a pass, so that a pair has the same bits whatever stands beside it. Raises ModelError for a folder without a
    card or with another kind of model.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.card = read_card(self.folder, EntailmentCard)
        self.labels = tuple(self.card.labels)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Of (premise, hypothesis) pairs, shape (n, labels). Raises ModelError when the graph gives another number."""
        found = [self._one(premise, hypothesis) for premise, hypothesis in pairs]
        return np.stack(found) if found else np.empty((0, len(self.labels)), np.float32)

    def _one(self, premise: str, hypothesis: str) -> NDArray[np.float32]:
        ids, types = self._tokenizer.pair(premise, hypothesis)
        feed = {
            "input_ids": np.array([ids], np.int64),
            "attention_mask": np.ones((1, len(ids)), np.int64),
            "token_type_ids": np.array([types], np.int64),
        }
        logits = self._session.run(None, {name: feed[name] for name in self.card.inputs})[0][0]
        if logits.shape != (len(self.labels),):
            raise ModelError(
                f"the model gives {logits.size} logits where its card names {len(self.labels)} labels",
                file=str(self.folder / MODEL_CARD),
                field="labels",
            )
        return np.asarray(logits, np.float32)

    @cached_property
    def _session(self) -> Any:
        return open_session(self.folder, self.card, "model.onnx")

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.folder / "tokenizer.json", self.card.max_tokens)

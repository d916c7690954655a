"""The seam for an entailment model: a further judge, asked for the pairs where it matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from handler.claims._contract import Judgement
from handler.errors import ModelError

__all__ = ["EntailmentModel", "contradiction_probabilities", "with_entailment"]

_CONTRADICTION = ("contradiction", "not_entailment")  # of models with three labels and with two


class EntailmentModel(Protocol):
    """Whatever says whether a text follows from another; `handler.models.OnnxEntailment` reads one from a folder."""

    labels: tuple[str, ...]
    """Of the logits, in their order."""

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[Any]:
        """Of (premise, hypothesis) pairs, shape (n, labels)."""


def contradiction_probabilities(model: EntailmentModel, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    """How probable the model finds that each answer contradicts its reference, 0..1. pairs: (answer, reference).

    Raises ModelError when no label of the model says contradiction.
    """
    names = [label.lower().replace("-", "_") for label in model.labels]
    at = next((names.index(name) for name in _CONTRADICTION if name in names), None)
    if at is None:
        raise ModelError(
            f"no label of the entailment model says contradiction: {', '.join(model.labels)}",
            field="labels",
            hint="Name its labels in its card, in the order of its logits",
        )
    logits = np.asarray(model.logits([(reference, answer) for answer, reference in pairs]), np.float64).reshape(
        len(pairs), len(names)
    )
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers[:, at] / powers.sum(axis=1), np.float64)


def with_entailment(judgement: Judgement, probability: float) -> Judgement:
    """The judgement with an entailment model's probability as a second opinion of equal weight; claims stay as they are."""
    return replace(
        judgement,
        contradiction=(judgement.contradiction + probability) / 2,
        features={**judgement.features, "entailment_contradiction": probability},
    )

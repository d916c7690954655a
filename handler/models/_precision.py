"""fp32 or int8: which folder a request means, and what this processor's arithmetic makes of it.

An int8 folder lies beside the fp32 one it was made from. Its graph multiplies unsigned rows by signed weights; processors
without VNNI (or its like) add two such products in 16 bits, where they overflow. A canary in the folder shows it when the
model is loaded. There, the same weights are read as unsigned ones: the products are exact, so the scores have the same
bits, and only the time is another. Where neither is exact, fp32 is used, and the signature says so.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from handler.errors import ModelError, RequestError
from handler.models._card import ModelCard, load_card
from handler.models._session import open_session
from handler.settings import compact_folder, has_model

__all__ = ["Kernel", "Tier", "find_tier", "graph_name", "int8_kernel"]

CANARY = "canary.onnx"
GRAPHS = {"u8s8": "model.onnx", "u8u8": "model-u8.onnx"}
CANARY_LARGEST = (255, 127)  # of a row's value and of a weight: their products overflow first

_log = logging.getLogger("scenescore")

Kernel = Literal["u8s8", "u8u8"]


class Tier(NamedTuple):
    """folder: of the model to use. refused: the precision that was wanted and that this processor cannot do, else None."""

    folder: Path
    refused: str | None = None


def find_tier(folder: Path, wanted: str) -> Tier:
    """The model of a precision. folder: the fp32 model's, beside which the int8 one lies; either may be named itself.

    Raises RequestError where there is a model, and not of that precision; ModelError where there is none.
    """
    if wanted != "int8":
        card = load_card(folder)
        if card.precision != wanted:
            raise RequestError(
                f"the model {card.name} has precision {card.precision}, not {wanted}",
                field="precision",
                hint="Name a model folder of that precision with --model",
            )
        return Tier(folder)
    compact = _compact(folder)
    if int8_kernel(compact) is not None:
        return Tier(compact)
    exact = folder if folder != compact else folder.with_name(folder.name.removesuffix("-int8"))
    if exact == compact or not has_model(exact):
        raise _unusable(compact)
    _log.warning("this processor multiplies int8 wrongly: the fp32 model in %s is used instead", exact)
    return Tier(exact, refused=wanted)


def graph_name(folder: Path, card: ModelCard) -> str:
    """The graph of a model folder that is exact here. Raises ModelError for an int8 model that this processor cannot run."""
    if card.precision != "int8":
        return GRAPHS["u8s8"]
    kernel = int8_kernel(folder)
    if kernel is None:
        raise _unusable(folder)
    return GRAPHS[kernel]


@lru_cache
def int8_kernel(folder: Path) -> Kernel | None:
    """How this processor multiplies the int8 model's matrices exactly: rows u8, weights s8 or u8; None for not at all."""
    card = load_card(folder)
    for name in (CANARY, GRAPHS["u8u8"]):
        if name not in card.files:
            raise ModelError(f"the model card names no {name}", file=str(folder), hint="Export the int8 model again")
    session = open_session(folder, card, CANARY)
    rows = np.full((16, session.get_inputs()[0].shape[1]), CANARY_LARGEST[0], np.uint8)
    return _exact_kernel(session.run(["signed", "unsigned"], {"rows": rows}), rows.shape[1])


def _exact_kernel(products: list[Any], depth: int) -> Kernel | None:
    expected = float(CANARY_LARGEST[0] * CANARY_LARGEST[1] * depth)
    signed, unsigned = ((product == expected).all() for product in products)
    return "u8s8" if signed else "u8u8" if unsigned else None


def _compact(folder: Path) -> Path:
    beside = compact_folder(folder)
    if has_model(beside):
        return beside
    hint = "Export one with `scenescore export mpnet --precision int8`"
    if not has_model(folder):
        raise ModelError("there is no int8 model in this folder", file=str(beside), hint=hint)
    card = load_card(folder)
    if card.precision == "int8":
        return folder
    raise RequestError(f"there is no int8 model beside {card.name}, which is in fp32", field="precision", hint=hint)


def _unusable(folder: Path) -> ModelError:
    return ModelError(
        "this processor multiplies int8 wrongly, and there is no fp32 model beside this one",
        file=str(folder),
        hint="Export the fp32 model with `scenescore export mpnet`",
    )

"""Export the int8 tier beside a verified fp32 folder: calibrate, solve, write, gate, and only then the folder."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from pathlib import Path
from typing import Any

from handler.models import BATCH_TOKENS, ModelCard, TextEncoder, load_card
from handler.settings import available_threads, compact_folder
from model_export.card import SCHEMA, file_facts, tool_versions
from model_export.compact.text import calibration_texts, whole_words
from model_export.exporting import Card, export_folder, now, require_extra, verified_parity, write_card
from model_export.quiet import say

__all__ = ["export_compact"]

KIND = "text_encoder"
_KEPT = ("name", "source", "max_tokens", "pooling", "normalize", "dimension", "languages", "license")
_TEXTS = ("NOTICE", "LICENSE", "tokenizer.json")


def export_compact(exact: Path, *, force: bool = False) -> tuple[Path, dict[str, Any]]:
    """Make the int8 folder of the fp32 folder `exact`, beside it, unless it is there already.

    Returns the folder and the card's `parity`. Raises ModelError for a model that is no MPNet encoder, and when the gate
    fails: the result then lies in FOLDER.unverified, and what was there stays.
    """
    original = load_card(exact)
    output = compact_folder(exact)
    tools = tool_versions("numpy")
    made_from = original.sha256
    parity = verified_parity(
        output, kind=KIND, tools=tools, is_same_source=lambda card: bool(card["made_from"] == made_from)
    )
    if parity and not force:
        say("nothing to do: the int8 model is complete, verified and made from the fp32 model beside it")
        return output, parity
    require_extra(("onnx", "onnxruntime"))
    card = export_folder(output, lambda folder: _build(folder, exact, original))
    return output, dict(card["parity"])


def _build(folder: Path, exact: Path, original: ModelCard) -> Card:
    """Fill `folder` and pass it through the gate. Returns the card, as written."""
    from model_export.compact.folder import CANARY, fine_parts, write_canary, write_graphs
    from model_export.compact.gate import check_compact
    from model_export.compact.network import read_network
    from model_export.compact.recipe import joined_weight, solve
    from model_export.compact.statistics import collect

    facts = json.loads((exact / "card.json").read_text(encoding="utf-8"))
    network = read_network(exact)
    texts = calibration_texts(whole_words(exact / "tokenizer.json"))
    tokenizer = TextEncoder(exact)
    ids = [tokenizer.token_ids(text)[0] for text in texts]
    say(f"calibrating on {len(texts)} texts")
    started = time.monotonic()
    moments = collect(network, ids, available_threads())
    say(f"solving {len(moments)} groups of matrices ({time.monotonic() - started:.0f} s for calibrating)")
    recipes = {}
    for key in list(moments):
        recipes[key] = solve(joined_weight(network.layers[key[0]], key[1]), key[1], moments.pop(key))
    layers = {number: name for number, name in facts["layers"].items() if name != "token_embeddings"}
    write_graphs(network, recipes, folder, tuple(map(int, layers)))
    write_canary(folder / CANARY)
    for name in _TEXTS:
        if (exact / name).is_file():
            shutil.copyfile(exact / name, folder / name)
    with (folder / "NOTICE").open("a", encoding="utf-8") as file:
        file.write("In this folder the weights are changed: rounded to 8 bits.\n")
    card = {
        "schema": SCHEMA,
        "kind": KIND,
        **{name: facts[name] for name in _KEPT},
        "made_from": original.sha256,
        "files": file_facts(folder),
        "inputs": ["input_ids"],
        "layers": {**layers, str(len(network.layers)): "token_embeddings"},
        "batch_tokens": BATCH_TOKENS,
        "precision": "int8",
        "opset": facts["opset"],
        "compact": {
            "calibration": {
                "n_texts": len(texts),
                "n_tokens": sum(map(len, ids)),
                "sha256": hashlib.sha256("\n".join(texts).encode()).hexdigest(),
            },
            "rows_of_16_bits": [f"layer {n + 1} {name}" for n, name in sorted(fine_parts(len(network.layers)))],
        },
        "tools": tool_versions("numpy"),
        "created": now(),
        "parity": {"verified": False},
    }
    write_card(folder, card)
    say("comparing with the fp32 model")
    card["parity"] = check_compact(folder, exact)
    write_card(folder, card)
    return card

"""Export one sentence-transformers model: weights, graph, tokenizer, card, gate, and only then the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handler.models import BATCH_TOKENS
from handler.settings import default_model_folder
from model_export.card import SCHEMA, file_facts, source_facts, stated_facts, tool_versions, write_licence
from model_export.exporting import Card, export_folder, now, require_extra, same_weights, verified_parity, write_card
from model_export.known import KnownModel, known_model
from model_export.quiet import quiet_libraries, say
from model_export.weights import Weights, file_hashes, find_weights

__all__ = ["default_output", "export_text_encoder"]

KIND = "text_encoder"


def default_output(model: str) -> Path:
    """Where an export goes unless told otherwise: the cache folder named after the model."""
    known = known_model(model)
    return default_model_folder(known.name if known else Path(model).resolve().name)


def export_text_encoder(
    model: str, *, weights: str = "auto", output: Path | None = None, force: bool = False, verbose: bool = False
) -> tuple[Path, dict[str, Any]]:
    """Export `model` (a known name, a hub id or a folder) unless `output` already holds this very export.

    Returns the output folder and the card's `parity`. Raises ModelError when the parity gate fails: the result then
    lies in OUTPUT.unverified, and what was in `output` stays.
    """
    known = known_model(model)
    output = (output or default_output(model)).absolute()
    tools = tool_versions()
    parity = verified_parity(
        output, kind=KIND, tools=tools, is_same_source=lambda card: same_weights(card, model, known, weights)
    )
    if parity and not force:
        say("nothing to do: the exported model is complete, verified and of these tools and weights")
        return output, parity
    require_extra(("torch", "optimum", "sentence_transformers", "onnx"))
    found = find_weights(model, weights)
    card = export_folder(output, lambda folder: _build(folder, found, known, verbose))
    return output, dict(card["parity"])


def _build(folder: Path, weights: Weights, known: KnownModel | None, verbose: bool) -> Card:
    """Fill `folder` and pass it through the gate. Returns the card, as written."""
    name = known.name if known else weights.id.rsplit("/", 1)[-1]
    hashes = file_hashes(weights.folder)
    say(f"loading {weights.id}")
    with quiet_libraries(verbose=verbose):
        from model_export.graph import (
            OPSET,
            graph_inputs,
            graph_layers,
            load_original,
            module_facts,
            write_graph,
            write_tokenizer,
        )
        from model_export.parity import check_parity

        original = load_original(weights.folder)
        facts = module_facts(original)
        say("writing the graph")
        write_graph(weights.folder, folder)
        write_tokenizer(original.tokenizer, folder, facts["max_tokens"])
        languages, licence = stated_facts(known, weights.folder)
        write_licence(folder, weights=weights, licence=licence, name=name)
        card = {
            "schema": SCHEMA,
            "kind": KIND,
            "name": name,
            "source": source_facts(weights, hashes),
            "files": file_facts(folder),
            **facts,
            "inputs": graph_inputs(folder),
            "layers": graph_layers(folder),
            "batch_tokens": BATCH_TOKENS,
            "precision": "fp32",
            "opset": OPSET,
            "languages": languages,
            "license": licence,
            "tools": tool_versions(),
            "created": now(),
            "parity": {"verified": False},
        }
        write_card(folder, card)
        say("comparing the run time with sentence-transformers")
        card["parity"] = check_parity(folder, original, known)
        write_card(folder, card)
    return card

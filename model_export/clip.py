"""Export one CLIP model: weights, both towers, tokenizer, preprocessing, card, gate, and only then the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handler.settings import DEFAULT_CLIP_NAME, default_model_folder
from model_export.card import SCHEMA, file_facts, source_facts, stated_facts, tool_versions, write_licence
from model_export.exporting import Card, export_folder, now, require_extra, same_weights, verified_parity, write_card
from model_export.quiet import quiet_libraries, say
from model_export.weights import Weights, file_hashes, find_weights

__all__ = ["export_clip", "parity_line"]

KIND = "image_text_encoder"


def export_clip(
    model: str, *, weights: str = "auto", output: Path | None = None, force: bool = False, verbose: bool = False
) -> tuple[Path, dict[str, Any]]:
    """Export the CLIP model `model` (a hub id or a folder) unless `output` already holds this very export.

    output: by default where the run time looks for CLIP. Returns the output folder and the card's `parity`. Raises
    ModelError for what is no CLIP checkpoint, and when the parity gate fails: the result then lies in OUTPUT.unverified,
    and what was in `output` stays.
    """
    output = (output or default_model_folder(DEFAULT_CLIP_NAME)).absolute()
    tools = tool_versions("pillow")
    parity = verified_parity(
        output, kind=KIND, tools=tools, is_same_source=lambda card: same_weights(card, model, None, weights)
    )
    if parity and not force:
        say("nothing to do: the exported model is complete, verified and of these tools and weights")
        return output, parity
    require_extra(("torch", "optimum", "transformers", "onnx"))
    require_extra(("PIL",), "export,images")
    found = find_weights(model, weights)
    card = export_folder(output, lambda folder: _build(folder, found, tools, verbose))
    return output, dict(card["parity"])


def parity_line(parity: dict[str, Any]) -> str:
    """The result of the gate as one line for people."""
    mark = "verified" if parity["verified"] else "NOT VERIFIED: " + "; ".join(parity["failures"])
    return (
        f"parity {mark}: {parity['n_texts']} texts and {parity['n_pictures']} pictures, largest component difference "
        f"{parity['max_component_difference']}, largest cosine error {parity['max_cosine_error']}"
    )


def _build(folder: Path, weights: Weights, tools: dict[str, str], verbose: bool) -> Card:
    """Fill `folder` and pass it through the gate. Returns the card, as written."""
    name = weights.id.rsplit("/", 1)[-1]
    hashes = file_hashes(weights.folder)
    say(f"loading {weights.id}")
    with quiet_libraries(verbose=verbose):
        from model_export.clip_checkpoint import load_original, original_facts
        from model_export.clip_graph import text_inputs, write_towers
        from model_export.clip_parity import check_parity
        from model_export.graph import OPSET, write_tokenizer

        original = load_original(weights.folder)
        facts = original_facts(original)
        say("writing the graphs")
        write_towers(weights.folder, folder)
        write_tokenizer(original.tokenizer, folder, facts["max_tokens"])
        languages, licence = stated_facts(None, weights.folder)
        write_licence(folder, weights=weights, licence=licence, name=name)
        card = {
            "schema": SCHEMA,
            "kind": KIND,
            "name": name,
            "source": source_facts(weights, hashes),
            "files": file_facts(folder),
            **facts,
            "text_inputs": text_inputs(folder),
            "precision": "fp32",
            "opset": OPSET,
            "languages": languages,
            "license": licence,
            "tools": tools,
            "created": now(),
            "parity": {"verified": False},
        }
        write_card(folder, card)
        say("comparing the run time with transformers")
        card["parity"] = check_parity(folder, original)
        write_card(folder, card)
    return card

"""Export one sentence-transformers model: weights, graph, tokenizer, card, gate, and only then the folder."""

from __future__ import annotations

import importlib.util
import json
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handler.errors import ModelError
from handler.settings import default_model_folder
from model_export.card import (
    SCHEMA,
    file_facts,
    is_whole,
    source_facts,
    stated_facts,
    tool_versions,
    write_card,
    write_licence,
)
from model_export.folders import building, refuse_foreign
from model_export.known import KnownModel, known_model
from model_export.quiet import quiet_libraries, say
from model_export.stamps import sha256_of
from model_export.weights import Weights, file_hashes, find_weights

__all__ = ["default_output", "export_text_encoder"]


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
    if not force and (parity := _verified_parity(output, model, known, weights)):
        say("nothing to do: the exported model is complete, verified and of these tools and weights")
        return output, parity
    refuse_foreign(output)
    _require_extra()
    found = find_weights(model, weights)
    unverified = output.with_name(f"{output.name}.unverified")
    with building(output) as folder:
        card = _build(folder, found, known, verbose)
        if not card["parity"]["verified"]:
            shutil.rmtree(unverified, ignore_errors=True)
            shutil.copytree(folder, unverified)
            raise ModelError(
                f"the parity gate refuses this export: {'; '.join(card['parity']['failures'])}",
                file=str(unverified),
                hint="It must not be used; --verbose shows what the libraries said",
            )
    shutil.rmtree(unverified, ignore_errors=True)
    for name in card["files"]:
        sha256_of(output / name)  # stamped now, so that the next run need not hash
    return output, dict(card["parity"])


def _verified_parity(output: Path, model: str, known: KnownModel | None, route: str) -> dict[str, Any] | None:
    """The card's `parity` when the folder holds what this export would write again, else None. Imports nothing heavy."""
    try:
        card = json.loads((output / "card.json").read_text(encoding="utf-8"))
        source, parity = card["source"], card["parity"]
        # A tool that is missing here is no reason to export again: it could not.
        is_same = all(card["tools"].get(name) == version for name, version in tool_versions().items())
        is_verified = card["schema"] == SCHEMA and parity["verified"] is True
        return (
            parity
            if is_verified and is_whole(output, card) and is_same and _same_source(source, model, known, route)
            else None
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _same_source(source: dict[str, Any], model: str, known: KnownModel | None, route: str) -> bool:
    folder = None if known else Path(model)
    if route not in ("auto", "hub", "packages"):
        folder = Path(route)
    if folder and folder.is_dir():
        return bool(source["files"] == file_hashes(folder))
    pinned = known is None or source["files"]["model.safetensors"] == known.sha256
    return pinned and bool(source["id"] == (known.hub_id if known else model))


def _require_extra() -> None:
    missing = [
        name for name in ("torch", "optimum", "sentence_transformers", "onnx") if not importlib.util.find_spec(name)
    ]
    if missing:
        raise ModelError(
            f"exporting needs {', '.join(missing)}, which is not installed",
            hint='Install the extra: pip install "scenescore[export]"',
        )


def _build(folder: Path, weights: Weights, known: KnownModel | None, verbose: bool) -> dict[str, Any]:
    """Fill `folder` and pass it through the gate. Returns the card, as written."""
    started = time.monotonic()
    name = known.name if known else weights.id.rsplit("/", 1)[-1]
    hashes = file_hashes(weights.folder)
    say(f"loading {weights.id}")
    with quiet_libraries(verbose=verbose):
        from model_export.graph import OPSET, graph_inputs, load_original, module_facts, write_graph, write_tokenizer
        from model_export.parity import check_parity

        original = load_original(weights.folder)
        facts = module_facts(original)
        say("writing the graph")
        write_graph(weights.folder, folder)
        write_tokenizer(original, folder, facts["max_tokens"])
        languages, licence = stated_facts(known, weights.folder)
        write_licence(folder, weights=weights, licence=licence, name=name)
        card = {
            "schema": SCHEMA,
            "kind": "text_encoder",
            "name": name,
            "source": source_facts(weights, hashes),
            "files": file_facts(folder),
            **facts,
            "inputs": graph_inputs(folder),
            "precision": "fp32",
            "opset": OPSET,
            "languages": languages,
            "license": licence,
            "tools": tool_versions(),
            "created": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "parity": {"verified": False},
        }
        write_card(folder, card)
        say("comparing the run time with sentence-transformers")
        card["parity"] = check_parity(folder, original, known)
        write_card(folder, card)
    say(f"done in {time.monotonic() - started:.1f} s")
    return card

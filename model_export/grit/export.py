"""Export one GRiT checkpoint: hash, weights, graphs, vocabulary, card, gate, and only then the folder."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handler.errors import ModelError
from handler.settings import default_model_folder
from handler.storage import is_remote, name_of
from model_export.card import SCHEMA, facts_of, is_whole, tool_versions, write_card
from model_export.folders import building, refuse_foreign
from model_export.grit.sizes import GRIT_B, GritSizes
from model_export.grit.vocabulary import find_vocabulary
from model_export.quiet import quiet_libraries, say
from model_export.stamps import sha256_of

__all__ = ["NAME", "export_grit", "parity_line"]

NAME = "GRiT_B_DenseCap_ObjectDet"


def export_grit(
    checkpoint: str,
    *,
    output: Path | None = None,
    sha256: str | None = None,
    vocabulary: Path | None = None,
    precision: str = "fp32",
    force: bool = False,
    verbose: bool = False,
    sizes: GritSizes = GRIT_B,
) -> tuple[Path, dict[str, Any]]:
    """Export a checkpoint unless `output` already holds this very export. Nothing is downloaded but from S3, if named so.

    checkpoint: a local file or s3:// object. output: by default the cache folder of exported models. sha256: what the
    checkpoint's must be, 64 hex digits. vocabulary: of the decoder, by default found in the cache of weights. precision:
    "fp32", or "fp16" for CUDA. Returns the output folder and the card's `parity`. Raises ModelError for a checkpoint or
    vocabulary that is missing or another one, and when the parity gate fails: the result then lies in OUTPUT.unverified,
    and what was in `output` stays.
    """
    output = (output or default_model_folder(NAME if precision == "fp32" else f"{NAME}-{precision}")).absolute()
    if not force and (parity := _verified_parity(output, checkpoint, sha256, precision)):
        say("nothing to do: the exported model is complete, verified and of these tools and this checkpoint")
        return output, parity
    refuse_foreign(output)
    _require_extra()
    words = find_vocabulary(sizes, vocabulary)
    unverified = output.with_name(f"{output.name}.unverified")
    with building(output) as folder, quiet_libraries(verbose=verbose):
        card = _build(folder, checkpoint, sha256, words, precision, sizes)
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


def parity_line(parity: dict[str, Any]) -> str:
    """The result of the gate as one line for people."""
    mark = "verified" if parity["verified"] else "NOT VERIFIED: " + "; ".join(parity["failures"])
    largest = parity["largest_differences"]
    return (
        f"parity {mark}: {parity['n_detections']} detections, {parity['n_tokens']} tokens; largest differences:"
        f" heat maps {largest['heatmaps']}, box logits {largest['box_logits']}, token logits {largest['token_logits']}"
    )


def _verified_parity(output: Path, checkpoint: str, sha256: str | None, precision: str) -> dict[str, Any] | None:
    """The card's `parity` when the folder holds what this export would write again, else None. Imports nothing heavy."""
    try:
        card = json.loads((output / "card.json").read_text(encoding="utf-8"))
        parity = card["parity"]
        is_same = all(card["tools"].get(name) == version for name, version in tool_versions().items())
        is_verified = card["schema"] == SCHEMA and parity["verified"] is True
        found = sha256.lower() if sha256 else None
        if not is_remote(checkpoint):
            local = sha256_of(Path(checkpoint))
            found = local if found in (None, local) else None  # another one than expected is for the export to refuse
        is_same_model = found == card["source"]["sha256"] and card["precision"] == precision
        return parity if is_verified and is_same and is_same_model and is_whole(output, card) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _require_extra() -> None:
    missing = [name for name in ("torch", "onnx") if not importlib.util.find_spec(name)]
    if missing:
        raise ModelError(
            f"exporting needs {', '.join(missing)}, which is not installed",
            hint='Install the extra: pip install "scenescore[export]"',
        )


def _build(
    folder: Path, checkpoint: str, sha256: str | None, words: bytes, precision: str, sizes: GritSizes
) -> dict[str, Any]:
    """Fill `folder` and pass it through the gate. Returns the card, as written."""
    from model_export.grit.checkpoint import load_network, local_checkpoint
    from model_export.grit.graphs import OPSET, write_graphs
    from model_export.grit.parity import check_parity

    started = time.monotonic()
    say(f"loading {name_of(checkpoint)}")
    with local_checkpoint(checkpoint, sha256=sha256, scratch=folder) as (path, found):
        network = load_network(path, sizes, location=checkpoint)
    say("writing the graphs")
    write_graphs(network, folder, precision=precision)
    (folder / "vocab.txt").write_bytes(words)
    name = NAME if sizes == GRIT_B else "GRiT of another size"
    card: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "dense_captioner",
        "name": name,
        "source": {
            "kind": "s3" if is_remote(checkpoint) else "file",
            "id": name_of(checkpoint),
            "sha256": found,
            "expected_sha256": sha256.lower() if sha256 else None,
        },
        "files": facts_of(sorted(folder.iterdir())),
        "sizes": dataclasses.asdict(sizes),
        "precision": precision,
        "opset": OPSET,
        "languages": ["en"],
        "license": None,
        "tools": tool_versions(),
        "created": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "parity": {"verified": False},
    }
    _write_notice(folder, card)
    write_card(folder, card)
    say("comparing the graphs and the run time with the torch definition")
    card["parity"] = check_parity(folder, network, words.decode().splitlines(), precision=precision)
    write_card(folder, card)
    say(f"done in {time.monotonic() - started:.1f} s")
    return card


def _write_notice(folder: Path, card: dict[str, Any]) -> None:
    """Say beside the graphs where they come from: whoever ships the folder ships it too."""
    source = card["source"]
    form = "unchanged" if card["precision"] == "fp32" else "rounded to half precision"
    notice = (
        f"{card['name']}\n\nThis folder holds the weights of the checkpoint {source['id']} (sha256 {source['sha256']}),\n"
        f"converted to the ONNX format by scenescore. Their values are {form}.\n"
        "Licence of the weights: not stated in the checkpoint; ask those who published it.\n"
        "vocab.txt is the vocabulary of bert-base-uncased (Apache-2.0).\n"
    )
    (folder / "NOTICE").write_text(notice, encoding="utf-8")

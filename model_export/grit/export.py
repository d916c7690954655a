"""Export one GRiT checkpoint: hash, weights, graphs, vocabulary, card, gate, and only then the folder."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from handler.settings import default_model_folder
from handler.storage import is_remote, name_of
from model_export.card import SCHEMA, file_facts, tool_versions
from model_export.exporting import Card, export_folder, now, require_extra, verified_parity, write_card
from model_export.grit.sizes import GRIT_B, GritSizes
from model_export.grit.vocabulary import find_vocabulary
from model_export.quiet import quiet_libraries, say
from model_export.stamps import sha256_of

__all__ = ["NAME", "export_grit", "parity_line"]

KIND = "dense_captioner"
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
    tools = tool_versions()
    parity = verified_parity(
        output, kind=KIND, tools=tools, is_same_source=lambda card: _is_same(card, checkpoint, sha256, precision)
    )
    if parity and not force:
        say("nothing to do: the exported model is complete, verified and of these tools and this checkpoint")
        return output, parity
    require_extra(("torch", "onnx"))
    words = find_vocabulary(sizes, vocabulary)
    with quiet_libraries(verbose=verbose):
        card = export_folder(output, lambda folder: _build(folder, checkpoint, sha256, words, precision, sizes))
    return output, dict(card["parity"])


def parity_line(parity: dict[str, Any]) -> str:
    """The result of the gate as one line for people."""
    mark = "verified" if parity["verified"] else "NOT VERIFIED: " + "; ".join(parity["failures"])
    largest = parity["largest_differences"]
    return (
        f"parity {mark}: {parity['n_detections']} detections, {parity['n_tokens']} tokens; largest differences:"
        f" heat maps {largest['heatmaps']}, box logits {largest['box_logits']}, token logits {largest['token_logits']}"
    )


def _is_same(card: Card, checkpoint: str, sha256: str | None, precision: str) -> bool:
    """Whether a card is of this checkpoint: in S3, only where its hash is said."""
    found = sha256.lower() if sha256 else None
    if not is_remote(checkpoint):
        local = sha256_of(Path(checkpoint))
        found = local if found in (None, local) else None  # another one than expected is for the export to refuse
    return bool(found == card["source"]["sha256"] and precision == card["precision"])


def _build(folder: Path, checkpoint: str, sha256: str | None, words: bytes, precision: str, sizes: GritSizes) -> Card:
    """Fill `folder` and pass it through the gate. Returns the card, as written."""
    from model_export.grit.checkpoint import load_network, local_checkpoint
    from model_export.grit.graphs import OPSET, write_graphs
    from model_export.grit.parity import check_parity

    say(f"loading {name_of(checkpoint)}")
    with local_checkpoint(checkpoint, sha256=sha256, scratch=folder) as (path, found):
        network = load_network(path, sizes, location=checkpoint)
    say("writing the graphs")
    write_graphs(network, folder, precision=precision)
    (folder / "vocab.txt").write_bytes(words)
    name = NAME if sizes == GRIT_B else "GRiT of another size"
    card: Card = {
        "schema": SCHEMA,
        "kind": KIND,
        "name": name,
        "source": {
            "kind": "s3" if is_remote(checkpoint) else "file",
            "id": name_of(checkpoint),
            "sha256": found,
            "expected_sha256": sha256.lower() if sha256 else None,
        },
        "files": file_facts(folder),
        "sizes": dataclasses.asdict(sizes),
        "precision": precision,
        "opset": OPSET,
        "languages": ["en"],
        "license": None,
        "tools": tool_versions(),
        "created": now(),
        "parity": {"verified": False},
    }
    _write_notice(folder, card)
    write_card(folder, card)
    say("comparing the graphs and the run time with the torch definition")
    card["parity"] = check_parity(folder, network, words.decode().splitlines(), precision=precision)
    write_card(folder, card)
    return card


def _write_notice(folder: Path, card: Card) -> None:
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

"""What every export does around its own work: nothing twice, nothing foreign replaced, nothing unverified kept."""

from __future__ import annotations

import importlib.util
import json
import shutil
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handler.errors import ModelError, RequestError
from model_export.card import SCHEMA
from model_export.folders import building
from model_export.known import KnownModel
from model_export.quiet import say
from model_export.stamps import sha256_of
from model_export.weights import file_hashes

__all__ = ["Card", "export_folder", "now", "require_extra", "same_weights", "verified_parity", "write_card"]

Card = dict[str, Any]


def export_folder(output: Path, build: Callable[[Path], Card]) -> Card:
    """Have `build` fill a folder that takes the place of `output`. Returns the card.

    Raises ModelError when the parity gate fails: the result then lies in OUTPUT.unverified, and what was in `output`
    stays.
    """
    started = time.monotonic()
    unverified = output.with_name(f"{output.name}.unverified")
    with building(output) as folder:
        card = build(folder)
        say(f"done in {time.monotonic() - started:.1f} s")
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
    return card


def verified_parity(
    output: Path, *, kind: str, tools: dict[str, str], is_same_source: Callable[[Card], bool]
) -> Card | None:
    """The card's `parity` when the folder holds what this export would write again, else None. Imports nothing heavy.

    is_same_source: whether a card is of the weights that are asked for; an error in it means no. Raises RequestError when
    `output` holds anything but an exported model: it is replaced as a whole.
    """
    card: Card = {}
    try:
        card = json.loads((output / "card.json").read_text(encoding="utf-8"))
        files, parity = card["files"], card["parity"]
        is_whole = all(
            (output / name).stat().st_size == facts["bytes"] and sha256_of(output / name) == facts["sha256"]
            for name, facts in files.items()
        )
        # A tool that is missing here is no reason to export again: it could not.
        is_same = card["kind"] == kind and all(card["tools"].get(name) == version for name, version in tools.items())
        is_verified = card["schema"] == SCHEMA and parity["verified"] is True
        if is_verified and is_whole and is_same and is_same_source(card):
            return dict(parity)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    _refuse_foreign(output, card)
    return None


def same_weights(card: Card, model: str, known: KnownModel | None, route: str) -> bool:
    """Whether a card is of the weights that a model's name and route stand for."""
    source = card["source"]
    folder = None if known else Path(model)
    if route not in ("auto", "hub", "packages"):
        folder = Path(route)
    if folder and folder.is_dir():
        return bool(source["files"] == file_hashes(folder))
    pinned = known is None or source["files"]["model.safetensors"] == known.sha256
    return pinned and bool(source["id"] == (known.hub_id if known else model))


def _refuse_foreign(output: Path, card: Any) -> None:
    if not output.exists() or (output.is_dir() and not any(output.iterdir())):
        return
    schema = card.get("schema") if isinstance(card, dict) else None
    if not str(schema).startswith("scenescore.model/"):
        raise RequestError(
            "the output exists and is not an exported model, so it will not be replaced",
            file=str(output),
            hint="Name another folder with --output",
        )


def require_extra(names: Sequence[str], extra: str = "export") -> None:
    """Raises ModelError that names what is not installed."""
    missing = [name for name in names if not importlib.util.find_spec(name)]
    if missing:
        raise ModelError(
            f"exporting needs {', '.join(missing)}, which is not installed",
            hint=f'Install the extra: pip install "scenescore[{extra}]"',
        )


def write_card(folder: Path, card: Card) -> None:
    """Write card.json."""
    text = json.dumps(card, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "card.json").write_text(text + "\n", encoding="utf-8")


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

"""The model card and the licence texts: what an exported folder says about itself."""

from __future__ import annotations

import contextlib
import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from model_export.known import KnownModel
from model_export.stamps import digest
from model_export.weights import Weights

__all__ = ["SCHEMA", "file_facts", "source_facts", "stated_facts", "tool_versions", "write_licence"]

SCHEMA = "scenescore.model/1"
EXPORTER = "3"  # raise it when this package writes other files from the same weights and tools
_TOOLS = (
    "optimum",
    "optimum-onnx",
    "torch",
    "transformers",
    "sentence-transformers",
    "tokenizers",
    "onnx",
    "onnxruntime",
)
_WORDS = ("tokenizer.json", "vocab.txt")
_SPDX = {"apache-2.0": "Apache-2.0", "mit": "MIT"}


def tool_versions(*more: str) -> dict[str, str]:
    """Versions of everything installed that shapes the export, read without importing any of it. more: distributions."""
    found = {"python": platform.python_version(), "model_export": EXPORTER}
    for name in (*_TOOLS, *more):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def file_facts(folder: Path) -> dict[str, dict[str, str | int]]:
    """sha256 and length in bytes of the files the run time reads: graphs, weights, tokenizer or vocabulary."""
    paths = sorted(path for path in folder.iterdir() if ".onnx" in path.name or path.name in _WORDS)
    return {path.name: {"sha256": digest(path), "bytes": path.stat().st_size} for path in paths}


def source_facts(weights: Weights, hashes: dict[str, str]) -> dict[str, Any]:
    """Where the weights came from, and the hash of every file that was read."""
    return {"kind": weights.kind, "id": weights.id, "revision": weights.revision, "files": hashes}


def stated_facts(known: KnownModel | None, folder: Path) -> tuple[list[str] | None, str | None]:
    """Languages and licence of a model: pinned, else as the front matter of its README states them, else None."""
    if known:
        return list(known.languages), known.license
    stated = _front_matter(folder / "README.md")
    languages, licence = stated.get("language"), stated.get("license")
    if isinstance(languages, str):
        languages = [languages]
    # "multilingual" and the like say nothing about which languages are known.
    is_list_of_codes = isinstance(languages, list) and all(isinstance(one, str) and len(one) <= 3 for one in languages)
    return (languages if is_list_of_codes else None), (_SPDX.get(str(licence), str(licence)) if licence else None)


def _front_matter(readme: Path) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped] # its types are a package of their own

    try:
        text = readme.read_text(encoding="utf-8")
        stated = yaml.safe_load(text.split("---", 2)[1]) if text.startswith("---") else {}
    except (OSError, UnicodeDecodeError, IndexError, yaml.YAMLError):
        return {}
    return stated if isinstance(stated, dict) else {}


def write_licence(folder: Path, *, weights: Weights, licence: str | None, name: str) -> None:
    """Put NOTICE, and the licence text where we have it, beside the graph: whoever ships the folder ships them too."""
    revision = f", revision {weights.revision}" if weights.revision else ""
    notice = (
        f"{name}\n\nThis folder holds the model {weights.id}{revision}, converted to the ONNX format by scenescore.\n"
        "The weights are unchanged; the form of the files is not the original one.\n"
        f"Licence of the model: {licence or 'not stated by its source'}.\n"
    )
    if "/" in weights.id:
        notice += f"Source: {weights.id} on the Hugging Face model hub.\n"
    (folder / "NOTICE").write_text(notice, encoding="utf-8")
    own = sorted(path for path in weights.folder.glob("LICENSE*") if path.is_file())
    if own:
        shutil.copyfile(own[0], folder / "LICENSE")
    elif licence == "Apache-2.0":
        shutil.copyfile(Path(__file__).parent / "data" / "LICENSE-Apache-2.0.txt", folder / "LICENSE")

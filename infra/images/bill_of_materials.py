"""A CycloneDX 1.6 bill of materials, from what the installed packages and model cards say of themselves."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

__all__ = ["bill_of_materials"]


def bill_of_materials(name: str, task: Path, cards: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Every package under task and every model, with version, licence and origin. The same input gives the same bytes."""
    packages = sorted(distributions(path=[str(task)]), key=lambda one: one.metadata["Name"].lower())
    own = next(one for one in packages if one.metadata["Name"] == "scenescore")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "container",
                "name": name,
                "version": own.version,
                "bom-ref": name,
                "licenses": _licences(own),
            },
            "properties": [{"name": "python", "value": f"{sys.version_info.major}.{sys.version_info.minor}"}],
        },
        "components": [*(_package(one) for one in packages), *map(_model, cards)],
    }


def _package(one: Distribution) -> dict[str, Any]:
    name = one.metadata["Name"]
    reference = f"pkg:pypi/{name.lower().replace('_', '-')}@{one.version}"
    licences = _licences(one)
    return {
        "type": "library",
        "name": name,
        "version": one.version,
        "bom-ref": reference,
        "purl": reference,
        **({"licenses": licences} if licences else {}),
    }


def _licences(one: Distribution) -> list[dict[str, Any]]:
    """As an expression where the package gives one, else by the name it gives, else by its classifiers."""
    expression = _field(one, "License-Expression")
    if expression:
        return [{"expression": expression}]
    named = _field(one, "License")
    if named and "\n" not in named.strip() and len(named) < 80:
        return [{"license": {"name": named.strip()}}]
    classified = [text for text in one.metadata.get_all("Classifier") or [] if text.startswith("License ::")]
    return [{"license": {"name": text.rpartition(":: ")[2]}} for text in classified]


def _field(one: Distribution, name: str) -> str | None:
    values = one.metadata.get_all(name)
    return values[0] if values else None


def _model(card: dict[str, Any]) -> dict[str, Any]:
    files = sorted(card["files"].items())
    listing = "".join(f"{name} {facts['sha256']}\n" for name, facts in files)
    digest = hashlib.sha256(listing.encode()).hexdigest()
    return {
        "type": "machine-learning-model",
        "name": card["name"],
        "version": digest[:12],
        "bom-ref": f"model:{card['name']}@{digest[:12]}",
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "licenses": [{"license": {"name": card.get("license") or "unknown"}}],
        "components": [
            {"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": facts["sha256"]}]}
            for name, facts in files
        ],
    }

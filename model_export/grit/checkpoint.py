"""A checkpoint file becomes the network: its hash first, then names and shapes, and nothing less than all of them."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from handler.errors import ModelError
from handler.storage import is_remote, open_read
from model_export.grit.network import Grit, unused_shapes
from model_export.grit.sizes import GritSizes
from model_export.stamps import sha256_of

__all__ = ["load_network", "local_checkpoint", "network_of"]

WORDS = "roi_heads.text_decoder.textual.embedding.words.weight"
OUTPUT = "roi_heads.text_decoder.textual.output.weight"
_CHUNK = 1 << 22  # bytes
_SHOWN = 8  # names of a list, before "and N more"


@contextlib.contextmanager
def local_checkpoint(location: str, *, sha256: str | None, scratch: Path) -> Iterator[tuple[Path, str]]:
    """The checkpoint as a local file, and its sha256. One on S3 is copied into `scratch` and removed at the end.

    Raises ModelError when there is none, or when its hash is not the expected one; the file has not been opened by
    torch then.
    """
    with contextlib.ExitStack() as stack:
        if is_remote(location):
            path, found = stack.enter_context(_copied(location, scratch))
        else:
            path = Path(location)
            if not path.is_file():
                raise ModelError(
                    "there is no checkpoint at this place", file=location, hint="Name it with --checkpoint"
                )
            found = sha256_of(path)
        if sha256 and found != sha256.lower():
            raise ModelError(
                f"the checkpoint has sha256 {found}, expected {sha256.lower()}",
                file=location,
                hint="It is damaged or another one: get it again, or leave out --sha256 if you trust it",
            )
        yield path, found


@contextlib.contextmanager
def _copied(location: str, scratch: Path) -> Iterator[tuple[Path, str]]:
    hashed = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=scratch, suffix=".pth") as file:
        with open_read(location) as source:
            while chunk := source.read(_CHUNK):
                hashed.update(chunk)
                file.write(chunk)
        file.flush()
        yield Path(file.name), hashed.hexdigest()


def load_network(path: Path, sizes: GritSizes, *, location: str | None = None) -> Grit:
    """The network with the weights of a checkpoint file. location: what messages call it, by default its path.

    Raises ModelError as `network_of` does, and for a file that is no checkpoint.
    """
    location = location or str(path)
    return network_of(_read(path, location), sizes, file=location)


def network_of(state: dict[str, Any], sizes: GritSizes, *, file: str | None = None) -> Grit:
    """The network with the weights of a state dict, on the CPU, in float32 whatever they were saved in.

    GRiT is trained with half-precision weights, and its own loading turns what it finds into float32 as well. Raises
    ModelError with a list of what is missing, unexpected or of another shape or type; when the tied weights of the
    decoder's words differ; and when a weight is not a finite number. file: where they come from, for the message.
    """
    with torch.device("meta"):
        network = Grit(sizes)
    wanted = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    _refuse_other(state, wanted | unused_shapes(sizes), file)
    if not torch.equal(state[WORDS], state[OUTPUT]):
        raise ModelError("the weights of the decoder's output differ from its word embeddings", file=file, field=OUTPUT)
    used = {name: state[name].float() for name in wanted}
    used[OUTPUT] = used[WORDS]
    network.load_state_dict(used, strict=True, assign=True)
    network.eval()
    return network


def _read(path: Path, location: str) -> dict[str, Any]:
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch, pickle and zipfile raise what they like
        raise ModelError(
            f"torch cannot read the checkpoint as plain weights ({type(error).__name__})",
            file=location,
            hint="It must be a file of torch.save whose entry 'model' is the state dict",
        ) from error
    state = content.get("model") if isinstance(content, dict) else None
    if not isinstance(state, dict):
        raise ModelError("the checkpoint has no entry 'model' with the state dict", file=location, field="model")
    return dict(state)


def _refuse_other(state: dict[str, Any], expected: dict[str, tuple[int, ...]], file: str | None) -> None:
    missing = [name for name in expected if name not in state]
    unexpected = [str(name) for name in state if name not in expected]
    other = []
    broken = []
    for name in (name for name in expected if name in state):
        value = state[name]
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            other.append(f"{name} (not a tensor of floats)")
        elif tuple(value.shape) != expected[name]:
            other.append(f"{name} ({_shown(tuple(value.shape))}, expected {_shown(expected[name])})")
        elif not torch.isfinite(value).all():
            broken.append(name)
    lists = {"missing": missing, "unexpected": unexpected, "mis-shaped": other, "not finite": broken}
    faults = [f"{len(names)} {what}: {_listed(names)}" for what, names in lists.items() if names]
    if faults:
        raise ModelError(
            f"the checkpoint is not one of this network: {'; '.join(faults)}",
            file=file,
            field="model",
            hint="The network is GRiT_B_DenseCap_ObjectDet",
        )


def _listed(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _shown(shape: tuple[int, ...]) -> str:
    return "x".join(str(one) for one in shape) or "scalar"

"""The model card: what an exported model folder says about itself."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path
from stat import S_ISDIR
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handler.errors import ModelError
from handler.models._batches import BATCH_TOKENS
from handler.settings import MODEL_CARD

__all__ = ["Card", "FileFacts", "ModelCard", "check_content", "load_card", "read_card"]


class FileFacts(BaseModel):
    """Hash and size of one file of the model folder. bytes: its length; sha256: 64 hex digits."""

    sha256: str
    bytes: int


class Card(BaseModel):
    """What every `card.json` says (`scenescore.model/1`), written by the export.

    parity: the export's gate and its figures. Class attributes: `needs`, the files a folder of this kind must have;
    `hint`, what to type when there is none.
    """

    model_config = ConfigDict(extra="allow", populate_by_name=True)
    needs: ClassVar[tuple[str, ...]]
    hint: ClassVar[str]

    name: str
    kind: str
    files: dict[str, FileFacts]
    precision: str = "fp32"
    parity: dict[str, Any] = {}

    @property
    def sha256(self) -> str:
        """Hash over all its files: the identity of the model in signatures and result folders."""
        listing = "".join(f"{name} {self.files[name].sha256}\n" for name in sorted(self.files))
        return hashlib.sha256(listing.encode()).hexdigest()

    @property
    def verified(self) -> bool:
        """Whether the export's parity gate held."""
        return bool(self.parity.get("verified"))


class ModelCard(Card):
    """The card of a text encoder.

    pooling: how token vectors become one: "mean", "cls", or "graph" (the graph's own `sentence_embedding` output).
    languages: codes the model was trained for, None when unknown. layers: by number, the graph's output with the token
    vectors of that layer. batch_tokens: how many go through the graph together, about; it moves no bit.
    """

    needs = ("model.onnx", "tokenizer.json")
    hint = "Export one with `scenescore export mpnet`, or name its folder with --model or SCENESCORE_MODEL"

    kind: Literal["text_encoder"] = "text_encoder"
    max_tokens: int = Field(ge=3)
    pooling: Literal["mean", "cls", "graph"]
    normalize: bool
    dimension: int = Field(ge=1)
    inputs: list[Literal["input_ids", "attention_mask", "token_type_ids"]] = Field(min_length=1)
    languages: list[str] | None = None
    layers: dict[int, str] = {}
    batch_tokens: int = Field(default=BATCH_TOKENS, ge=1)


AnyCard = TypeVar("AnyCard", bound=Card)


def load_card(folder: str | Path) -> ModelCard:
    """Read and check the card of a text encoder's folder; see `read_card`."""
    return read_card(folder, ModelCard)


def read_card(folder: str | Path, kind: type[AnyCard]) -> AnyCard:
    """Read and check the card of a model folder. Raises ModelError that says what to type when there is none."""
    path = Path(folder) / MODEL_CARD
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ModelError("there is no exported model in this folder", file=str(folder), hint=kind.hint) from error
    try:
        card = kind.model_validate_json(text)
    except ValidationError as error:
        raise _damaged(error, path, kind) from error
    for name in kind.needs:
        if name not in card.files:
            raise ModelError(f"the model card names no {name}", file=str(path), hint="Export the model again")
    for name, facts in card.files.items():
        size = _size(Path(folder) / name)
        if size != facts.bytes:
            raise ModelError(
                f"{name} has {size} bytes where its card says {facts.bytes}",
                file=str(folder),
                hint="Export the model again with --force",
            )
    return card


def _damaged(error: ValidationError, path: Path, kind: type[Card]) -> ModelError:
    wrong_kind = next((one for one in error.errors() if one["loc"] == ("kind",)), None)
    if wrong_kind and isinstance(wrong_kind["input"], str):
        wanted = str(kind.model_fields["kind"].default)
        held, wanted = (name.replace("_", " ") for name in (wrong_kind["input"], wanted))
        return ModelError(f"the model in this folder is of kind {held}, not {wanted}", file=str(path), hint=kind.hint)
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or None
    return ModelError(
        f"the model card is damaged: {first['msg']}", file=str(path), field=field, hint="Export the model again"
    )


def check_content(folder: Path, card: Card, *, again: bool = False) -> None:
    """Compare every file's sha256 with the card. Raises ModelError: a damaged model gives plausible, wrong scores.

    A file that was checked before on this machine and has not changed since is not read again (0.25 s for 436 MB),
    unless `again` is given.
    """
    for name, facts in card.files.items():
        path = folder / name
        stamp = _stamp_of(path, facts.sha256)
        if not again and _is_ours(stamp.parent) and stamp.exists():
            continue
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != facts.sha256:
            raise ModelError(
                f"{name}: the content is not what the card says (sha256 {found[:12]}, not {facts.sha256[:12]})",
                file=str(folder),
                hint="Export the model again with --force",
            )
        with contextlib.suppress(OSError):
            stamp.parent.mkdir(mode=0o700, exist_ok=True)
            stamp.touch()


def _stamp_of(path: Path, sha256: str) -> Path:
    """A file in the temp directory whose existence says: this very file had this hash."""
    facts = path.stat()
    what = f"{path.resolve()} {facts.st_size} {facts.st_mtime_ns} {facts.st_ino} {sha256}"
    owner = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir(), f"scenescore-checked-{owner}")
    return folder / hashlib.sha256(what.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _is_ours(folder: Path) -> bool:
    """Whether only we can have put stamps there: in a temp directory that all share, others may have made the folder."""
    try:
        facts = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return True
    return S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o022


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0

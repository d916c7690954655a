"""What was scored, with what, on what: the names and facts that go into a report and its folder."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from handler import storage
from handler.errors import RequestError
from handler.evaluation._inputs import find_files
from handler.evaluation._request import EvaluationRequest
from handler.metrics import BaseMetric
from handler.samples import Record
from handler.settings import DEFAULT_OUTPUT, available_threads

__all__ = [
    "InputIdentity",
    "content_of",
    "environment",
    "error_location",
    "folder_location",
    "identify_files",
    "identify_records",
    "list_files",
    "mark_of",
    "request_document",
]

BLOCK = 1 << 20  # bytes read at a time


@dataclass(frozen=True, slots=True)
class InputIdentity:
    """What was scored.

    name: the S3 key, the file's name, or "records". content: S3 etag, or the first 16 hex digits of the sha256. files: the
    objects to read, one, or those under a folder or prefix. stamps: what told each local file from another version of it
    before it was read. bytes: None for records in memory.
    """

    name: str
    content: str
    location: str | None = None
    bytes: int | None = None
    files: tuple[storage.ObjectInfo, ...] = ()
    stamps: tuple[object, ...] = ()

    def check_unchanged(self) -> None:
        """Raises ChangedError when a local file is not the one that was named. S3 objects are read by their etag."""
        for info, stamp in zip(self.files, self.stamps, strict=True):
            if _stamp(info.location) != stamp:
                raise storage.ChangedError(
                    "the file was replaced while it was scored", file=info.location, hint="Run again; nothing was kept"
                )

    def document(self) -> dict[str, Any]:
        """The `input` part of report.json."""
        document = {"name": self.name, "location": self.location, "content": self.content, "bytes": self.bytes}
        return {**document, "n_files": len(self.files)} if len(self.files) > 1 else document


def identify_files(location: str) -> InputIdentity:
    """Name an input location by its content. Raises StorageError when there is nothing."""
    files = list_files(location)
    stamps = tuple(_stamp(info.location) for info in files)
    content = _content(location, files)
    return InputIdentity(_name_of(location), content, location, sum(info.size for info in files), files, stamps)


def list_files(location: str) -> tuple[storage.ObjectInfo, ...]:
    """The objects to read. Raises StorageError when there is nothing."""
    return tuple(find_files(location))


def content_of(location: str) -> str:
    """S3 etag, or the first 16 hex digits of the sha256, of what lies at a location."""
    return _content(location, list_files(location))


def identify_records(records: Sequence[Record]) -> InputIdentity:
    """Name records in memory by their content."""
    digest = hashlib.sha256()
    for record in records:
        digest.update(orjson.dumps(record, default=repr, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY))
    return InputIdentity("records", digest.hexdigest()[:16])


def error_location(request: EvaluationRequest, content: str, name: str) -> str:
    """Where error.json goes for an input that could not be opened: `<output>/<input key>/<content>-<name>`."""
    assert request.output is not None
    key = "records" if request.input is None else _name_of(request.input)
    return storage.join(request.output, *_safe(key), f"{content}-{name}")


def folder_location(
    request: EvaluationRequest,
    source: InputIdentity,
    metrics: Sequence[BaseMetric],
    companions: Mapping[str, str],
) -> str:
    """`<output>/<input key>/<content>-<request hash>`. companions: {role: content} of the files beside the input."""
    assert request.output is not None
    _refuse_file_in_the_way(request.output, *_safe(source.name))
    signatures = {metric.name: metric.signature() for metric in metrics}
    return storage.join(
        request.output, *_safe(source.name), f"{source.content}-{request.identity(signatures, dict(companions))}"
    )


def _refuse_file_in_the_way(output: str, *inside: str) -> None:
    """Results go into folders: `--output .` beside the input would need one that has the input's own name."""
    if storage.is_remote(output):
        return
    folder = Path(output, *inside)
    if file := next((one for one in (*reversed(folder.parents), folder) if os.path.isfile(one)), None):
        raise RequestError(
            f"results would go into {str(folder)!r}, and {str(file)!r} is a file, not a folder",
            field="output",
            hint=f"Name another folder, e.g. --output {DEFAULT_OUTPUT}",
        )


def _safe(key: str) -> list[str]:
    """The segments of an input's name, none of which leads elsewhere."""
    return [part if part not in ("", ".", "..") else "_" for part in key.split("/")]


def request_document(request: EvaluationRequest, metrics: Sequence[BaseMetric]) -> dict[str, Any]:
    """The request as it was understood: defaults filled in, records left out."""
    document = request.model_dump(mode="json", exclude={"sessions", "fail_if", "gate_on"}, exclude_none=True)
    return {**document, "metrics": [metric.name for metric in metrics]}


def environment(threads: int | None) -> dict[str, Any]:
    """Versions and machine, for whoever compares two reports."""
    return {
        "scenescore": _version("scenescore"),
        "onnxruntime": _version("onnxruntime"),
        "tokenizers": _version("tokenizers"),
        "numpy": _version("numpy"),
        "pillow": _version("pillow"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "threads": threads or available_threads(),
    }


def _version(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _stamp(location: str) -> object:
    if storage.is_remote(location):
        return None
    try:
        facts = os.stat(location)
    except OSError:  # it is gone, and so another than any that was there
        return ()
    return (facts.st_ino, facts.st_size, facts.st_mtime_ns)


def mark_of(location: str) -> str:
    """What tells this version of a file from another, without reading it where it is local."""
    return content_of(location) if storage.is_remote(location) else json.dumps(_stamp(location))


def _name_of(location: str) -> str:
    """An S3 input keeps its whole key, so that results lie as the inputs do; a local one its last name."""
    if storage.is_remote(location):
        return location.split("/", 3)[-1].rstrip("/")
    name = Path(location).name
    return name if name not in ("", "..") else Path(location).resolve().name


def _content(location: str, files: Sequence[storage.ObjectInfo]) -> str:
    contents = [info.etag or _hash_of_file(info.location) for info in files]
    one = len(files) == 1 and files[0].location == location
    return contents[0] if one else _hash_of_listing(files, contents)


def _hash_of_listing(files: Sequence[storage.ObjectInfo], contents: Sequence[str]) -> str:
    names = [storage.name_of(info.location) for info in files]
    return hashlib.sha256(json.dumps([names, contents]).encode()).hexdigest()[:16]


def _hash_of_file(location: str) -> str:
    digest = hashlib.sha256()
    with storage.open_read(location) as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()[:16]

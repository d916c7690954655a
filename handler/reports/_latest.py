"""`latest.json`: beside the result folders of one input, the name of the newest."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import orjson

from handler import storage
from handler.reports._folder import dump_json

__all__ = ["LATEST", "LATEST_KIND", "mend_latest", "update_latest"]

LATEST = "latest.json"
LATEST_KIND = "scenescore.latest/"  # of its schema, before the version


def update_latest(folder: str, content: str, sequencer: str | None = None) -> bool:
    """Point `latest.json` at a finished result folder, unless it names a newer version of the input already.

    sequencer: S3's order of writes to one key, hexadecimal; two of them decide what is newer, else the later finish does.
    Returns whether the pointer moved.
    """
    parent, _, name = folder.rpartition("/")
    entry = {
        "schema": f"{LATEST_KIND}1",
        "folder": name,
        "content": content,
        "sequencer": sequencer,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }

    def newer(old: bytes | None) -> bytes | None:
        known = _parsed(old)
        same = (known.get("folder"), known.get("sequencer")) == (name, sequencer)
        return None if same or _is_newer(known, sequencer) else dump_json(entry)

    return storage.update_bytes(storage.join(parent, LATEST), newer)


def mend_latest(folder: str, content: str, started: str) -> bool:
    """Point at a result that is found finished, where its run was killed before it could: when there is no pointer, or one
    to a result that was finished before this one was started (UTC, as in report.json). Returns whether it moved."""
    parent, _, name = folder.rpartition("/")
    try:
        known = _parsed(storage.read_bytes(storage.join(parent, LATEST)))
    except storage.NotFoundError:
        known = {}
    if known.get("folder") == name or str(known.get("finished") or "") > started:
        return False
    return update_latest(folder, content)


def _parsed(old: bytes | None) -> dict[str, Any]:
    try:
        known: Any = orjson.loads(old or b"{}")
    except orjson.JSONDecodeError:
        return {}
    is_ours = isinstance(known, dict) and isinstance(known.get("sequencer"), str | None)
    return known if is_ours else {}


def _is_newer(known: Mapping[str, Any], sequencer: str | None) -> bool:
    other = known.get("sequencer")
    if not other or not sequencer:
        return False
    width = max(len(other), len(sequencer))  # S3: pad the shorter one with zeros on the right, then compare as strings
    return bool(other.upper().ljust(width, "0") > sequencer.upper().ljust(width, "0"))

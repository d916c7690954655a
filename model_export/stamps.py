"""File hashes that are computed once: a stamp remembers a hash for as long as the file looks untouched.

Hashing 440 MB takes most of a second on a good machine and many on a slow disk; a run with nothing to do should cost
neither. A stamp holds as long as length, modification time and status-change time of the file are the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from handler.settings import default_model_folder

__all__ = ["cache_folder", "digest", "sha256_of"]


def cache_folder() -> Path:
    """Where weights and stamps are kept: $XDG_CACHE_HOME/scenescore, by default ~/.cache/scenescore."""
    return default_model_folder().parents[1]


def sha256_of(path: Path) -> str:
    """The sha256 of a file as 64 hex digits, from its stamp when that still fits."""
    path = path.resolve()
    stamp = cache_folder() / "stamps" / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"
    looks = _looks(path)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        recorded = json.loads(stamp.read_text(encoding="utf-8"))
        if recorded["looks"] == looks:
            return str(recorded["sha256"])
    sha256 = digest(path)
    if _looks(path) == looks:
        _write(stamp, {"looks": looks, "sha256": sha256})
    return sha256


def digest(path: Path) -> str:
    """The sha256 of a file, read now: for files in passing, which need no stamp."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _looks(path: Path) -> list[int]:
    facts = path.stat()
    return [facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]


def _write(stamp: Path, content: dict[str, object]) -> None:
    # Without a writable cache every run hashes again, which is slower and just as right.
    with contextlib.suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=stamp.parent, delete=False, encoding="utf-8") as file:
            json.dump(content, file)
        Path(file.name).replace(stamp)

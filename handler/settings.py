"""Settings that come from the machine and the environment, read once, in one place."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

DEFAULT_MODEL_NAME = "all-mpnet-base-v2"
DEFAULT_THRESHOLD = 0.75
DEFAULT_OUTPUT = "./scenescore-results"
DEFAULT_MAX_ERROR_RATE = 0.01


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says.

    model: folder of the exported text encoder (SCENESCORE_MODEL), else the user's cache folder.
    output: where result folders go (SCENESCORE_OUTPUT), a path or an s3:// prefix.
    """

    model: Path
    output: str

    @classmethod
    def from_environment(cls) -> Settings:
        """Read SCENESCORE_MODEL and SCENESCORE_OUTPUT."""
        model = os.environ.get("SCENESCORE_MODEL")
        return cls(
            model=Path(model) if model else default_model_folder(),
            output=os.environ.get("SCENESCORE_OUTPUT") or DEFAULT_OUTPUT,
        )


def default_model_folder(name: str = DEFAULT_MODEL_NAME) -> Path:
    """The folder `scenescore export` writes to unless told otherwise: $XDG_CACHE_HOME/scenescore/models/NAME."""
    cache = os.environ.get("XDG_CACHE_HOME")
    base = Path(cache) if cache else Path.home() / ".cache"
    return base / "scenescore" / "models" / name


def available_threads() -> int:
    """Cores this process may really use: its CPU set, cut by a container's CPU quota; at least 1.

    `os.cpu_count` would name the host's cores: on a container of a big host that oversubscribes and stalls.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    quota = _cgroup_quota()
    return max(1, min(cores, math.ceil(quota)) if quota else cores)


def _cgroup_quota() -> float | None:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return None
    return None if quota == "max" else int(quota) / int(period)

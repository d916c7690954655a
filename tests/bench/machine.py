"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tests.bench.contenders import PEERS

__all__ = ["machine"]

OURS = ("scenescore", "numpy", "onnxruntime", "tokenizers")
THEIRS = ("alquimia-fair-forge", "sentence-transformers", "torch", "transformers", "optimum-onnx", "onnxruntime")
VERSIONS = "import importlib.metadata as m, sys; print(*map(m.version, sys.argv[1:]))"


def machine() -> dict[str, Any]:
    """Processor, cores, memory in GB, system, Python, and the versions of the product's and the peers' libraries."""
    found = {"processor": _processor(), "cores": os.cpu_count(), "memory_gb": _memory_gb()}
    return {
        **found,
        "instructions": _instructions(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in OURS},
        "peer_versions": _peer_versions(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }


def _processor() -> str:
    named = re.search(r"^model name\s*:\s*(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def _instructions() -> list[str]:
    """Those that decide how fast matrices are multiplied here."""
    flags = re.search(r"^flags\s*:\s*(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    wanted = ("avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8")
    return [name for name in wanted if flags and name in flags[1].split()]


def _memory_gb() -> float | None:
    total = re.search(r"^MemTotal:\s*(\d+) kB", _text("/proc/meminfo"), re.MULTILINE)
    return round(int(total[1]) / 1e6, 1) if total else None


def _text(path: str) -> str:
    return Path(path).read_text() if Path(path).exists() else ""


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _peer_versions() -> dict[str, str]:
    python = PEERS / "bin/python"
    if not python.exists():
        return {}
    done = subprocess.run([python, "-c", VERSIONS, *THEIRS], capture_output=True, text=True, check=False)
    return dict(zip(THEIRS, done.stdout.split(), strict=False))

"""AWS's runtime interface emulator, taken from the package aws-sam-cli.

Only the binary is unpacked: the package itself pins libraries that this project uses in other versions.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

VERSION = "1.170.0"
WHEEL_SHA256 = "24ebaf5ecba38dc1758089968cb89ab61e124b84e92a344fc7a2771a47f4d0bf"
_MEMBERS = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}


def emulator_binary() -> Path:
    """The emulator in the user's cache folder, fetched on first use. Raises RuntimeError saying what is missing."""
    machine = _MEMBERS.get(platform.machine())
    if sys.platform != "linux" or machine is None:
        raise RuntimeError(f"the Lambda emulator runs on Linux x86-64 and arm64, not on {platform.platform()}")
    binary = _cache() / f"aws-lambda-rie-{VERSION}-{machine}"
    if not binary.is_file():
        binary.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
            _unpack(_download(Path(folder)), machine).rename(binary)
    return binary


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "scenescore" / "tools"


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--dest", folder, f"aws-sam-cli=={VERSION}"], capture_output=True, text=True, timeout=300
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise RuntimeError(f"pip could not download aws-sam-cli=={VERSION}, which brings the emulator:\n{done.stderr}")
    found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
    if found != WHEEL_SHA256:
        raise RuntimeError(f"{wheels[0].name} has sha256 {found}, expected {WHEEL_SHA256}: not used")
    return wheels[0]


def _unpack(wheel: Path, machine: str) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        path = Path(archive.extract(f"samcli/local/rapid/aws-lambda-rie-{machine}", wheel.parent))
    path.chmod(0o755)
    return path

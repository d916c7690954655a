"""Put together what an image holds: packages, this product, models, a bill of materials. Standard library and uv only.

The Dockerfiles run it in a build stage and copy the folder; the tests run it into a folder and use that. It runs under the
Python that the image has, as wheels and byte code are made for one version.

usage: assemble.py {function,detector} --output FOLDER --model FOLDER [--model FOLDER] [--uv uv]
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import json
import py_compile
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bill_of_materials import bill_of_materials
from trimming import trim

ROOT = Path(__file__).resolve().parents[2]
LOCKS = {"function": "infra/locks/function.txt", "detector": "infra/locks/detector.txt"}
# The oldest C library that wheels may ask for: Amazon Linux 2023 has glibc 2.34, Ubuntu 24.04 has 2.39.
PLATFORM = "x86_64-manylinux_2_34"
SOURCES = ("handler", "model_export", "pyproject.toml", "README.md", "LICENSE")


def main() -> None:
    """Read the command line and say how large everything became."""
    parser = argparse.ArgumentParser(description="Put together what an image holds.")
    parser.add_argument("image", choices=LOCKS)
    parser.add_argument("--output", type=Path, required=True, help="made anew: task/, models/, sbom.cdx.json")
    parser.add_argument("--model", type=Path, action="append", default=[], help="folder of an exported model")
    parser.add_argument("--uv", default="uv", help="the uv to install with")
    options = parser.parse_args()
    assemble(options.image, output=options.output, models=options.model, uv=options.uv)
    for name, size in sizes(options.output).items():
        print(f"{name:24} {size / 1e6:8.1f} MB")  # noqa: T201 - a command's output


def assemble(image: str, *, output: Path, models: list[Path], uv: str = "uv") -> None:
    """Fill output with task/, models/NAME/ and sbom.cdx.json. Raises SystemExit for a model that is not whole."""
    shutil.rmtree(output, ignore_errors=True)
    task = output / "task"
    task.mkdir(parents=True)
    install(ROOT / LOCKS[image], task, uv)
    trim(task)
    compile_all(task)
    cards = [copy_model(model, output / "models") for model in models]
    bill = bill_of_materials(f"scenescore-{image}", task, cards)
    (output / "sbom.cdx.json").write_text(json.dumps(bill, indent=1), encoding="utf-8")
    for path in output.rglob("*"):  # whoever the function runs as must be able to read it
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def install(lock: Path, target: Path, uv: str) -> None:
    """The locked wheels, each with its hash checked, and this product without what only its build needs."""
    command = [uv, "pip", "install", "--quiet", "--python", sys.executable, "--target", str(target), "--no-deps"]
    locked = ["--only-binary", ":all:", "--python-platform", PLATFORM, "--require-hashes", "--requirement", str(lock)]
    subprocess.run([*command, *locked], check=True)  # noqa: S603 - no shell
    with tempfile.TemporaryDirectory() as folder:  # setuptools leaves its own folders in the source
        for name in SOURCES:
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, Path(folder, name))
        subprocess.run([*command, folder], check=True)  # noqa: S603 - no shell
    shutil.rmtree(target / "model_export")


def compile_all(task: Path) -> None:
    """Byte code that is never checked against its source: nothing can be written where the function runs."""
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    if not compileall.compile_dir(task, quiet=1, stripdir=str(task), workers=1, invalidation_mode=mode):
        sys.exit("some modules do not compile")


def copy_model(folder: Path, target: Path) -> dict[str, object]:
    """Copy a model whose files are all what its card says; the card. Raises SystemExit otherwise."""
    card: dict[str, object] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    files = card["files"]
    assert isinstance(files, dict)
    for name, facts in files.items():
        with (folder / name).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != facts["sha256"]:
            sys.exit(f"{folder / name} is not what its card says: export the model again")
    shutil.copytree(folder.resolve(), target / str(card["name"]))
    return card


def sizes(output: Path) -> dict[str, int]:
    """Bytes of the packages, of each model, and of everything."""
    parts = [output / "task", *sorted((output / "models").glob("*"))]
    found = {str(part.relative_to(output)): _bytes(part) for part in parts}
    return {**found, "total": _bytes(output)}


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    main()

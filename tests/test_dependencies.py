"""Every dependency is declared, used and explained; nothing is imported that is not."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "infra" / "DEPENDENCIES.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
# Their modules are not named like them.
MODULES = {"pillow": "PIL", "optimum-onnx": "optimum", "import-linter": "importlinter", "pyyaml": "yaml"}
# Compared with when they are there: no dependency of ours. The guided fuzzer and the tools install theirs themselves.
GUESTS = {
    "pycocoevalcap",
    "pycocotools",
    "atheris",
    "aws_cdk",
    "cdk_nag",
    "constructs",
    "fair_forge",
    "samtranslator",
    "scenescore_cdk",
}


def named(requirements):
    return {re.match(r"[\w.-]+", one)[0].lower() for one in requirements}


def rows(section):
    """The table rows of a section of the page, as cells."""
    text = re.search(rf"^## {section}$(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| Package")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def module_of(package):
    return MODULES.get(package.lower(), package.lower().replace("-", "_"))


def imports(folder):
    """The third-party modules that the files of a folder import, with one file for each."""
    files = sorted((ROOT / folder).rglob("*.py"))
    ours = {path.stem for path in files} | {"handler", "model_export", "tests", "_typeshed"}
    found = {}
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            found |= {name.split(".")[0]: path.relative_to(ROOT) for name in names}
    return {name: path for name, path in found.items() if name not in {*sys.stdlib_module_names, *ours}}


BROUGHT = rows("Imported, and brought by another")
USED = [(row[0], row[-1]) for name in ("Run time", "Extras", "Development") for row in rows(name)]
USED += [(row[0], row[-1]) for row in BROUGHT]


@pytest.mark.parametrize(
    ("section", "declared"),
    [
        ("Run time", PROJECT["dependencies"]),
        ("Extras", [one for name, several in EXTRAS.items() if name != "dev" for one in several]),
        ("Development", [one for one in EXTRAS["dev"] if not named([one]) & {"av", "pillow", "uvicorn"}]),
    ],
)
def test_the_page_explains_what_is_declared_and_nothing_else(section, declared):
    assert {row[0].lower() for row in rows(section)} == named(declared)
    assert all(all(row) for row in rows(section)), "a cell is empty"


@pytest.mark.parametrize(
    ("folder", "extras"),
    [("handler", ["images", "video", "serve"]), ("model_export", ["images", "export"]), ("tests", list(EXTRAS))],
)
def test_what_is_imported_is_declared(folder, extras):
    declared = named([*PROJECT["dependencies"], *(one for name in extras for one in EXTRAS[name])])
    declared |= {row[0].lower() for row in BROUGHT if reaches(declared, row[1])}
    known = {module_of(name) for name in declared} | (GUESTS if folder == "tests" else set())
    assert {name: path for name, path in imports(folder).items() if name not in known} == {}


def reaches(declared, package):
    """Whether a package is declared, or brought by one that is."""
    brought = {row[0].lower(): row[1] for row in BROUGHT}
    return package in declared or (package in brought and reaches(declared, brought[package]))


@pytest.mark.parametrize(("package", "by"), [row[:2] for row in BROUGHT])
def test_what_another_brings_it_really_requires(package, by):
    try:
        required = importlib.metadata.requires(by) or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{by} is not installed")
    assert package.lower() in named(one for one in required if "extra ==" not in one)


@pytest.mark.parametrize(("package", "file"), USED)
def test_the_file_that_the_page_names_uses_the_package(package, file):
    text = (ROOT / file).read_text(encoding="utf-8")
    command = {"import-linter": "lint-imports", "pytest-xdist": "-n "}.get(package, package)
    assert re.search(rf"\b{re.escape(module_of(package))}\b", text) or command in text


def test_the_deployment_tools_are_those_that_are_pinned():
    pinned = set()
    for name in ("sam", "cdk", "lint"):
        lines = (ROOT / "infra" / "locks" / f"{name}.in").read_text(encoding="utf-8").splitlines()
        pinned |= named(line for line in lines if line.strip())
    npm = re.findall(r'"([\w-]+)": "[\d.]+"', (ROOT / "infra/locks/npm/package.json").read_text(encoding="utf-8"))
    told = {name.removesuffix(" (npm)") for row in rows("Deployment tools") for name in row[0].split(", ")}
    assert {name.lower() for name in told} == pinned | set(npm)


def test_every_package_of_the_functions_image_is_told_with_its_licence():
    lock = (ROOT / "infra" / "locks" / "function.txt").read_text(encoding="utf-8")
    told = PAGE[PAGE.index("## What ships") :].split("The detector's image")[0]
    assert {name for name in re.findall(r"^([\w.-]+)==", lock, re.M) if not re.search(rf"\b{name}\b", told)} == set()


def test_torch_is_pinned_once():
    assert re.search(r"^TORCH := (.*)$", (ROOT / "Makefile").read_text(), re.M)[1] in EXTRAS["export"]

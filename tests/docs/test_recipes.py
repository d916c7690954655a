"""The recipes of CONTRIBUTING.md are followed word for word in a copy of the package, and are as short as they say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.docs.blocks import blocks_of, role_of
from tests.docs.following import environment_of, follow
from tests.docs.test_documents import RECIPES
from tests.model_export.conftest import tiny_model  # noqa: F401 - a fixture

MOST_LINES = 30
HEADINGS = re.findall(r"^## (Add .*)$", (ROOT / RECIPES).read_text(encoding="utf-8"), re.MULTILINE)


def recipe(heading):
    """The blocks under a heading."""
    lines = (ROOT / RECIPES).read_text(encoding="utf-8").splitlines()
    first = lines.index(f"## {heading}") + 1
    after = [number for number, line in enumerate(lines, 1) if line.startswith("## ") and number > first]
    return [one for one in blocks_of(RECIPES) if first < one.line < min(after, default=len(lines))]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of what ships, which the recipes change one after the other."""
    folder = tmp_path_factory.mktemp("recipes") / "package"
    for name in ("handler", "model_export"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_there_is_a_recipe_for_each_part():
    assert HEADINGS == ["Add a metric", "Add a format", "Add a model"]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_recipe_is_short(heading):
    added = 0
    for block in recipe(heading):
        if block.named and block.language == "python":
            added += sum(bool(line.strip()) for line in block.text.splitlines())
        elif role_of(block, None) == "edit":
            added += sum(line.startswith("+") for line in block.text.splitlines())
    assert 5 < added < MOST_LINES


@pytest.fixture(scope="module")
def followed(package, model, tiny_model, tmp_path_factory):  # noqa: F811 - a fixture of another file
    """The copy after all recipes."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(tiny_model("mean"), package / "my-encoder")
    environment = environment_of(home, model, PYTHONPATH=str(package), XDG_CACHE_HOME=str(home / "cache"))
    for heading in HEADINGS:
        follow(recipe(heading), package, environment)
    return package


@pytest.mark.model
def test_the_recipes_work_as_written(followed):
    assert "vision.overlap" in (followed / "handler/metrics/vision/_overlap.py").read_text(encoding="utf-8")


@pytest.mark.model
@pytest.mark.full
@pytest.mark.parametrize("tool", ["ruff format --check", "ruff check", "mypy"])
def test_what_the_recipes_add_passes_lint(followed, tool):
    changed = [
        "handler/metrics/vision",
        "handler/formats/_pairs.py",
        "handler/formats/_detect.py",
        "model_export/known.py",
    ]
    command = [sys.executable, "-m", *tool.split(), *changed]
    found = subprocess.run(command, cwd=followed, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr

"""What holds for every file of the repository: short, finished, and no check switched off without a word why."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_LINES = 300
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
EXCEPTION = re.compile(r"#\s*(?:type: ignore|noqa)(?P<rest>[^#\n]*)(?P<reason>#[^\n]*)?")
ONE = re.compile(r"(?:\[[a-z, -]+\]|: [A-Z]+[0-9]+(?:, ?[A-Z]+[0-9]+)*)(?P<reason>\s+-\s+\S.*)?\s*")


def files(*endings):
    if not (ROOT / ".git").exists():
        pytest.skip("the list of files comes from git, and this is no clone")
    command = ["git", "ls-files", *(f"*{ending}" for ending in endings)]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [path for path in map(ROOT.joinpath, filter(None, names)) if path.is_file()]


def is_typed(path):
    """Whether mypy reads the file: elsewhere a "type: ignore" is only a note to an editor."""
    return path.relative_to(ROOT).parts[0] in ("handler", "model_export", "infra")


def unexplained(line):
    """The part of a line that switches a check off without naming it, or without a reason."""
    for match in EXCEPTION.finditer(line):
        code = ONE.fullmatch(match["rest"])
        if not code or not (code["reason"] or (match["reason"] or "").strip("# ")):
            return match[0]
    return None


def test_no_python_file_is_longer_than_300_lines():
    long = {str(path): n for path in files(".py") if (n := len(path.read_bytes().splitlines())) > MOST_LINES}
    assert not long


def test_nothing_is_left_to_do_in_the_files():
    found = [str(path) for path in files(".py", ".md", ".toml", ".yaml", "Makefile") if UNFINISHED.search(text(path))]
    assert not found


def test_every_check_that_is_switched_off_names_its_code_and_its_reason():
    found = [
        f"{path}:{number}: {what}"
        for path in files(".py")
        for number, line in enumerate(text(path).splitlines(), 1)
        if path != Path(__file__) and (what := unexplained(line)) and ("noqa" in what or is_typed(path))
    ]
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "x = 1  # noqa",
        "x = 1  # noqa: S603",
        "x = 1  # type: ignore",
        "x = 1  # type: ignore # it is fine",
        "x = 1  # type: ignore[misc]",
        "x = 1  # noqa - it is fine",
    ],
)
def test_a_bare_exception_is_found(line):
    assert unexplained(line)


@pytest.mark.parametrize(
    "line", ["x = 1  # noqa: S603 - no shell", "x = 1  # type: ignore[misc] # torch has no types", "x = 1  # no queue"]
)
def test_an_explained_exception_is_allowed(line):
    assert not unexplained(line)


def text(path):
    return path.read_text(encoding="utf-8")

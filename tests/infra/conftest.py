"""The tools, and what they make of the template; each made once for all tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.aws.conftest import connect, make_site, rie  # noqa: F401 - fixtures
from tests.infra.resolving import Template

ROOT = Path(__file__).parents[2]
INFRA = ROOT / "infra"
TOOLS = ROOT / "build" / "tools"
PLACES = {
    "sam": "sam/bin/sam",
    "sam-python": "sam/bin/python",
    "cdk-python": "cdk/bin/python",
    "cfn-lint": "lint/bin/cfn-lint",
    "checkov": "lint/bin/checkov",
    "hadolint": "lint/bin/hadolint",
    "cdk": "npm/node_modules/.bin/cdk",
    "asl-validator": "npm/node_modules/.bin/asl-validator",
    "node": "node/node",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave these minutes out of the ordinary suite."""
    if os.environ.get("SCENESCORE_INFRA"):
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="takes minutes and tools of its own: run `make infra-test`"))


def tool(name: str) -> str:
    """Where a tool lies. Skips the test when it is not installed."""
    path = TOOLS / PLACES[name]
    if not path.exists():
        pytest.skip(f"{name} is not installed: `make infra-test` installs it under build/tools")
    return str(path)


def run(*command: str | Path, cwd: Path = ROOT, timeout: float = 300, **environment: str) -> str:
    """The output of a command that must succeed, without AWS accounts, telemetry or bars of progress."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SCENESCORE_"))}
    quiet = {"SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "eu-west-1", "CI": "true", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**clean, **quiet, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, (
        f"{command[0]} ended with {done.returncode}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def plain_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """infra/template.yaml as AWS transforms it."""
    target = tmp_path_factory.mktemp("plain") / "template.json"
    to_cloudformation(INFRA / "template.yaml", target)
    return target


@pytest.fixture(scope="session")
def plain(plain_file: Path) -> Template:
    return json.loads(plain_file.read_text())


def to_cloudformation(source: Path, target: Path) -> None:
    run(tool("sam-python"), ROOT / "tests" / "infra" / "to_cloudformation.py", source, target)


@pytest.fixture(scope="session")
def function_content(model: Path) -> Path:
    """What infra/images/assemble.py makes of the function's image, under the Python of the image."""
    output = ROOT / "build" / "images" / "function"
    python = image_python()
    script = INFRA / "images" / "assemble.py"
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("uv is not installed beside this Python: `make infra-test` installs it")
    run(python, script, "function", "--uv", uv, "--model", model, "--output", output)
    return output


def image_python(version: str = "3.13") -> str:
    """The Python of an image. Skips the test where this machine has none: the locked wheels are for no other."""
    for candidate in (f"python{version}", *_pyenv(version)):
        try:
            done = subprocess.run(
                [candidate, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True
            )
        except FileNotFoundError:
            continue
        if done.returncode == 0:
            return done.stdout.strip()
    pytest.skip(f"the image has Python {version}, which is not on this machine")


def _pyenv(version: str) -> Sequence[str]:
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return [str(path) for path in root.glob(f"versions/{version}*/bin/python{version}")]

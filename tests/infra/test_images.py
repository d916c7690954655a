"""What the images hold, put together by the script that their Dockerfiles call: size, content, and a real evaluation.

No engine builds images here. The function's content runs under the runtime interface emulator as Lambda runs it: a tree
that cannot be written, a user that exists nowhere, no home, nothing else of this project in sight.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.aws import enclosure, events
from tests.aws.emulator import Emulator
from tests.aws.rie import emulator_binary
from tests.conftest import EXAMPLE
from tests.infra.conftest import INFRA, ROOT, image_python, run, tool

BUDGET_MB = 900  # of the function's content, with the fp32 model
START_BUDGET_S = 20  # until the first answer, on a busy machine and with the emulator's own start
DOCKERFILES = sorted((INFRA / "images").glob("*.Dockerfile"))


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.stem)
def test_hadolint_finds_nothing(dockerfile):
    assert run(tool("hadolint"), dockerfile) == ""


def test_checkov_finds_nothing_in_the_dockerfiles():
    options = ["--framework", "dockerfile", "--skip-download", "--compact", "--output", "json"]
    report = json.loads(run(tool("checkov"), "--directory", INFRA / "images", *options))
    assert (report["summary"]["failed"], report["summary"]["parsing_errors"]) == (0, 0)
    assert report["summary"]["passed"] > 100


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.stem)
def test_bases_are_pinned_and_the_script_is_what_fills_the_image(dockerfile):
    text = dockerfile.read_text()
    for base in re.findall(r"^ARG \w+_BASE=(.*)$", text, re.M):
        assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", base), base
    for stage in re.findall(r"^FROM (\S+)", text, re.M):
        assert re.fullmatch(r"\$\{\w+_BASE\}", stage), stage
    assert f"assemble.py {dockerfile.stem} " in text
    assert re.findall(r"^COPY --from=content /content/(\S+)", text, re.M) == ["models", "sbom.cdx.json", "task"]
    assert re.search(r"^USER \d+$", text, re.M)


@pytest.fixture(scope="module")
def content(function_content):
    return function_content


def size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def test_the_function_fits_its_budget(content):
    assert size_mb(content) < BUDGET_MB
    assert size_mb(content / "task") < 200


def test_nothing_is_in_it_that_running_does_not_need(content):
    names = {path.name.partition("-")[0].lower() for path in (content / "task").iterdir()}
    for unwanted in (
        "torch",
        "transformers",
        "optimum",
        "scipy",
        "sklearn",
        "pandas",
        "sympy",
        "model_export",
        "pip",
        "setuptools",
    ):
        assert unwanted not in names
    for path in (content / "task").rglob("*"):
        assert path.suffix not in (".c", ".h", ".pyx", ".a", ".o", ".pyi"), path
        assert path.name != "tests" or not path.is_dir(), path
        mode = path.stat().st_mode
        assert mode & 0o444 == 0o444, path
        assert not mode & 0o022, path
        assert path.name not in ("direct_url.json", "RECORD"), path


def test_it_has_byte_code_and_needs_none_written(content):
    compiled = {path.name.partition(".")[0] for path in (content / "task" / "handler").rglob("*.pyc")}
    assert {path.stem for path in (content / "task" / "handler").rglob("*.py")} == compiled


def test_the_bill_of_materials_is_whole(content):
    bill = json.loads((content / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    installed = {(one.metadata["Name"], one.version) for one in distributions(path=[str(content / "task")])}
    libraries = {(one["name"], one["version"]): one for one in bill["components"] if one["type"] == "library"}
    assert set(libraries) == installed
    lock = (INFRA / "locks" / "function.txt").read_text()
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.M))
    assert {name.lower().replace("_", "-"): version for name, version in installed} == {**locked, "scenescore": "0.1.0"}
    for name, one in libraries.items():
        assert one["licenses"], name
    (model,) = (one for one in bill["components"] if one["type"] == "machine-learning-model")
    assert model["licenses"] == [{"license": {"name": "Apache-2.0"}}]
    assert len({one["bom-ref"] for one in bill["components"]}) == len(bill["components"])


def test_a_damaged_model_does_not_get_into_an_image(model, tmp_path):
    damaged = tmp_path / "model"
    shutil.copytree(model, damaged, copy_function=lambda source, target: Path(target).symlink_to(source))
    (damaged / "tokenizer.json").unlink()
    (damaged / "tokenizer.json").write_text("{}")
    code = "import sys, assemble; assemble.copy_model(*map(assemble.Path, sys.argv[1:]))"
    done = subprocess.run(
        [image_python(), "-c", code, damaged, tmp_path / "to"], cwd=INFRA / "images", capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "is not what its card says" in done.stderr
    assert not (tmp_path / "to").exists()


@dataclass
class ImageEmulator(Emulator):
    """The emulator with another Python: that of the image."""

    python: str = sys.executable

    def _command(self, api_port: int) -> list[str]:
        return [self.python if part == sys.executable else part for part in super()._command(api_port)]


@pytest.fixture(scope="module")
def runtime():
    """The runtime interface client in a folder of its own: AWS's base image brings it."""
    python = image_python()
    target = ROOT / "build" / "images" / "runtime"  # not pytest's folder, which nobody else may read
    shutil.rmtree(target, ignore_errors=True)
    uv = Path(sys.executable).with_name("uv")
    run(uv, "pip", "install", "--quiet", "--python", python, "--target", target, "awslambdaric>=4.2")
    return python, target


def image_environment(content):
    """What the Dockerfile sets, with the image's folder where it lies here."""
    dockerfile = (INFRA / "images" / "function.Dockerfile").read_text()
    (block,) = re.findall(r"^ENV (.*?[^\\])$", dockerfile, re.M | re.S)
    pairs = [part.split("=", 1) for part in block.replace("\\\n", " ").split()]
    return {name: value.replace("/opt/scenescore", str(content)) for name, value in pairs}


@pytest.fixture
def start(content, runtime, rie):
    """Start the image's content as Lambda would; see the module's docstring."""
    reason = enclosure.why_not()
    if reason:
        pytest.skip(reason)
    python, client = runtime
    base = Path(subprocess.check_output([python, "-c", "import sys; print(sys.base_prefix)"], text=True).strip())
    folders = (content / "task", content / "models", client, base, emulator_binary().parent)

    def start(environment):
        variables = {**environment, **image_environment(content), "PYTHONPATH": str(client), "TMPDIR": "/tmp"}
        prefix = enclosure.enclose(*folders)
        return ImageEmulator(variables, prefix=prefix, unset=["HOME"], root=content / "task", python=python)

    return start


@pytest.mark.model
def test_the_content_scores_an_upload_as_lambda_runs_it(start, make_site):
    site = make_site()
    upload = site.upload("cam 1/entrance.json", EXAMPLE.read_bytes())
    with start(site.environment) as function:
        began = time.monotonic()
        function.invoke(events.s3_put(upload))
        first_s = time.monotonic() - began
        began = time.monotonic()
        reply = function.invoke(events.document("direct_pair"))
        second_s = time.monotonic() - began
        http = function.invoke(events.http("GET", "/health", ""))
        logs = function.logs()
    assert site.result(upload).scores() == [0.559, 0.291]
    assert [row["sample_id"] for row in reply["samples"]] == ["frame_001"]
    assert http["statusCode"] == 200
    environment = site.result(upload).report["environment"]
    assert environment["scenescore"] == "0.1.0"
    for word in ("Read-only file system", "Permission denied", "Traceback", "Warning"):
        assert word not in logs
    assert first_s < START_BUDGET_S
    assert second_s < first_s
    (ROOT / "build" / "images" / "start.json").write_text(json.dumps({"first_s": first_s, "second_s": second_s}))

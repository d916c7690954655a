"""The browser, axe, and pages made for it."""

from __future__ import annotations

import random
import shutil
import subprocess
import tarfile

import pytest

from handler.samples import Sample
from tests.reports.chromium import binary, chromium
from tests.reports.made_results import frames, make_result

AXE = "axe-core@4.14.1"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
PICTURED = {
    "index": 3,
    "thumbnail": f"data:image/png;base64,{PIXEL}",
    "detections": [{"box": [8, 8, 40, 40], "object": "dog"}],
}


@pytest.fixture(scope="module")
def browser():
    path = binary()
    if path is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    with chromium(path) as found:
        yield found


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm here to fetch axe-core with")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run([npm, "pack", AXE], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        pytest.skip(f"axe-core cannot be fetched: {done.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return archive.extractfile("package/axe.min.js").read().decode()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """50,000 frames of 40 cameras."""
    folder = tmp_path_factory.mktemp("many")
    draw = random.Random(5)
    similarities = [min(1.0, max(-1.0, draw.gauss(0.7, 0.2))) for _ in range(50_000)]
    make_result(folder, frames(50_000, n_sessions=40), similarities)
    return f"file://{folder}/report.html", similarities


@pytest.fixture
def few(tmp_path):
    """Six frames of two cameras."""
    make_result(tmp_path, frames(6, n_sessions=2), [0.9, 0.1, 0.8, 0.2, 0.75, 0.749])
    return f"file://{tmp_path}/report.html"


@pytest.fixture
def full(tmp_path):
    """A page with every section."""
    make_result(
        tmp_path,
        [*frames(6, n_sessions=2), Sample(6, "cam-03", "argos", "silent", "", (" ",), tags={"light": "day"})],
        [0.9, 0.1, 0.8, 0.2, 0.75, 0.749],
        errors=[{"line": 3, "column": 7, "field": "answer", "reason": "answer is a number"}],
        warnings=[{"code": "empty_answer", "count": 1, "examples": ["cam-03/silent"]}],
        calibration={
            "calibrated": False,
            "reasons": ["12 verdicts"],
            "thresholds": {"vision.similarity": {"value": 0.6}},
        },
        comparison={"results": [{"name": "a", "mean": 0.5}, {"name": "b", "mean": 0.6}]},
        detections=[{"source": "a.mp4", "size": [64, 48], "frames": [PICTURED]}],
    )
    return f"file://{tmp_path}/report.html"

"""What the detector's image holds, apart from its model: it decodes video and scores, here without a GPU."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.infra.conftest import INFRA, ROOT, image_python, run

BUDGET_MB = 700  # of the packages; the CUDA base and the model come on top

DECODE = """
import io, json, sys
import av, numpy as np, onnxruntime
buffer = io.BytesIO()
with av.open(buffer, "w", format="mp4") as out:
    stream = out.add_stream("h264", rate=8)
    stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
    for n in range(8):
        frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 20 * n, np.uint8), format="rgb24")
        out.mux(stream.encode(frame))
    out.mux(stream.encode())
buffer.seek(0)
with av.open(buffer) as video:
    frames = [frame.to_ndarray(format="rgb24").shape for frame in video.decode(video=0)]
from handler import evaluate
report = evaluate(sys.argv[1], metrics=["vision.similarity"])
scores = [row["metrics"]["vision.similarity"]["score"] for row in report.samples]
print(json.dumps({"frames": frames, "scores": scores, "providers": onnxruntime.get_available_providers()}))
"""


@pytest.fixture(scope="module")
def python():
    return image_python("3.12")


@pytest.fixture(scope="module")
def content(python):
    output = ROOT / "build" / "images" / "detector"
    uv = Path(sys.executable).with_name("uv")
    run(python, INFRA / "images" / "assemble.py", "detector", "--uv", uv, "--output", output)
    return output


def test_it_fits_its_budget(content):
    assert sum(path.stat().st_size for path in content.rglob("*") if path.is_file()) / 1e6 < BUDGET_MB


def test_it_has_the_runtime_for_gpus_and_no_other(content):
    bill = json.loads((content / "sbom.cdx.json").read_text())
    names = {one["name"] for one in bill["components"]}
    assert "onnxruntime-gpu" in names
    assert not names & {"onnxruntime", "torch", "transformers", "opencv-python"}
    assert (content / "task/onnxruntime/capi/libonnxruntime_providers_cuda.so").is_file()
    for one in bill["components"]:
        assert one["licenses"], one["name"]


def test_base_and_runtime_are_of_one_cuda(content):
    """The runtime is linked with the libraries of one major version of CUDA, which the base must bring."""
    dockerfile = (INFRA / "images" / "detector.Dockerfile").read_text()
    (base,) = re.findall(r"CUDA_BASE=nvidia/cuda:(\d+)\.\S*-cudnn-runtime", dockerfile)
    linked = (content / "task/onnxruntime/capi/libonnxruntime_providers_cuda.so").read_bytes()
    assert set(re.findall(rb"libcublas\.so\.(\d+)", linked)) == {base.encode()}


@pytest.mark.model
def test_it_decodes_and_scores(content, python, model):
    example = ROOT / "handler" / "data" / "entrance.json"
    done = subprocess.run(
        [python, "-S", "-c", DECODE, example],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(content / "task"), "SCENESCORE_MODEL": str(model), "HOME": "/"},
        capture_output=True,
        text=True,
        timeout=300,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr[-4000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["frames"] == [[48, 64, 3]] * 8
    assert [round(score, 3) for score in said["scores"]] == [0.559, 0.291]
    assert "CUDAExecutionProvider" in said["providers"]


def test_its_command_starts(content, python, tmp_path):
    """The job's command, in an image without a detector: it says so, and that no other attempt can help."""
    pytest.importorskip("handler.batch_task", reason="the video jobs are not in this version")
    nowhere = {f"SCENESCORE_{name}": str(tmp_path / "none") for name in ("MODEL", "CLIP", "DETECTOR")}
    manifest = tmp_path / "videos.csv"
    manifest.write_text("video,prompt\nclips/1.mp4,a dog\n")
    done = subprocess.run(
        [python, "-S", "-m", "handler.batch_task", manifest, "--output", tmp_path / "out"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(content / "task"), **nowhere},
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
    )
    last = json.loads(done.stderr.splitlines()[-1])
    assert (done.returncode, last["message"]) == (2, "failed"), done.stderr
    assert "--detector" in last["error"]

"""The clips, their scores in one piece, and a folder for every test."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("av", reason="PyAV is not installed: pip install scenescore[video]")

from handler import evaluate
from tests.batch.videos import essence, make_clips, manifest


@pytest.fixture(scope="session")
def clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    make_clips(folder / "clips")
    (folder / "videos.csv").write_text(manifest())
    return folder


@pytest.fixture(scope="session")
def undisturbed(clips, tiny_grit, tmp_path_factory):
    """The detections and the report of one evaluation in one piece."""
    base = tmp_path_factory.mktemp("undisturbed")
    detections = base / "detections"
    report = evaluate(
        clips / "videos.csv", detector=tiny_grit, threads=1, output=base / "out", detections=str(detections)
    )
    files = {path.name: path.read_bytes() for path in detections.glob("*.json")}
    return SimpleNamespace(
        name=Path(report.location).name,
        left={path.name for path in Path(report.location).rglob("*") if path.is_file()},
        files=files,
        essence=essence(report.location, lambda at: Path(at).read_bytes()),
    )

"""What readers of a document have before they begin: the guides' own files, a bucket, clips, models."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

from handler.storage._s3_client import make_client
from tests.conftest import EXAMPLE, ROOT
from tests.servers import S3Server

GUIDES = ROOT / "handler" / "guides"
Given = Callable[[Path, pytest.FixtureRequest], Mapping[str, str]]
"""Fills the reader's folder; returns what is set in the reader's shell."""


def guide_files(folder: Path, request: pytest.FixtureRequest) -> Mapping[str, str]:
    """The folder `files` beside the guides."""
    shutil.copytree(GUIDES / "files", folder, dirs_exist_ok=True)
    return {}


def example(folder: Path, request: pytest.FixtureRequest) -> Mapping[str, str]:
    """The packaged example, where a clone has it."""
    target = folder / EXAMPLE.relative_to(ROOT)
    target.parent.mkdir(parents=True)
    shutil.copy(EXAMPLE, target)
    return {}


def fleet(folder: Path, request: pytest.FixtureRequest) -> Mapping[str, str]:
    """Frames of one's own, also in a bucket."""
    shutil.copy(GUIDES / "files" / "monday.csv", folder / "frames.csv")
    server: S3Server = request.getfixturevalue("seaweedfs_server")
    environment = server.environment()
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        with closing(make_client()) as client:
            with suppress(client.exceptions.BucketAlreadyOwnedByYou):  # the server is one for all documents
                client.create_bucket(Bucket="fleet")
            client.upload_file(str(folder / "frames.csv"), "fleet", "2026/11/monday.csv")
    return environment


def clips(folder: Path, request: pytest.FixtureRequest) -> Mapping[str, str]:
    """Three short videos of a car that drives by, and an exported GRiT, tiny and untrained."""
    from tests.video.clips import make_clip

    (folder / "clips").mkdir()
    for name, colour, shake in (("a red car-0", 0, 0), ("a red car-1", 0, 14), ("a blue car-0", 2, 2)):
        frames = list(_driving_by(colour, np.random.default_rng(5).integers(-shake, shake + 1, 24)))
        make_clip(folder / "clips" / f"{name}.mp4", frames, codec="mpeg4", pixel_format="yuv420p")
    (folder / "grit").symlink_to(request.getfixturevalue("tiny_grit"))
    return {}


def _driving_by(colour: int, light: np.ndarray) -> Iterator[np.ndarray]:
    """Frames of a street whose light changes."""
    for place, change in enumerate(light):
        frame = np.full((96, 128, 3), 130 + change, np.uint8)
        frame[50:70, 10 + 2 * place : 40 + 2 * place] = 30
        frame[50:70, 10 + 2 * place : 40 + 2 * place, colour] = 200
        yield frame


GIVEN: dict[str, Given] = {
    **{path.relative_to(ROOT).as_posix(): guide_files for path in sorted(GUIDES.glob("*.md"))},
    "README.md": example,
    "handler/README.md": fleet,
    "handler/guides/score-generated-videos.md": clips,
    "infra/deploy.md": fleet,
}

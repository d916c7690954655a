"""Small clips with a manifest of them, and the container task as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import orjson

from tests.video.clips import make_clip

ROOT = Path(__file__).parents[2]
HEADER = "video,prompt,dimension,color,object,object_a,object_b,relationship,model\n"
ROWS = (
    ("{at}/a red car-0.mkv", "a red car,color,red,car,,,,ltx"),
    ("{at}/a red car-1.mkv", "a red car,color,red,car,,,,wan"),
    ("{at}/a dog-0.mkv", "a dog,object_class,,dog,,,,ltx"),
    ("{at}/a cat and a dog-0.mkv", "a cat and a dog,multiple_objects;temporal_flickering,,a cat and a dog,,,,ltx"),
    ("{at}/a dog left of a car-0.mkv", "a dog left of a car,spatial_relationship,,,dog,car,left of,wan"),
    ("{at}/broken.mkv", "a dog,object_class,,dog,,,,wan"),
    ("{at}/nowhere.mkv", "a dog,object_class,,dog,,,,wan"),
)
N_READABLE = 5


def make_clips(folder):
    """Five clips of noise, one to five frames long, and a file that is none."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(8)
    for number, (name, _) in enumerate(ROWS[:N_READABLE], 1):
        frames = [random.integers(0, 256, (48, 64, 3), np.uint8) for _ in range(number)]
        make_clip(folder / name.rpartition("/")[2], frames)
    (folder / "broken.mkv").write_bytes(b"no video at all")
    return folder


def manifest(at="clips"):
    """A CSV of them, in the folder `at` beside it."""
    return HEADER + "".join(f"{name.format(at=at)},{rest}\n" for name, rest in ROWS)


def start_task(*arguments, **environment):
    """`python -m handler.batch_task` as AWS Batch starts it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SCENESCORE_", "AWS_BATCH_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "handler.batch_task", *arguments],
        env={**clean, "PYTHONPATH": str(ROOT), **environment},
        stderr=subprocess.PIPE,
        text=True,
    )


def run_task(*arguments, **environment):
    """The same until its end: exit code, and what it logged."""
    process = start_task(*arguments, **environment)
    _, logged = process.communicate(timeout=300)
    return process.returncode, [orjson.loads(line) for line in logged.splitlines()]


def essence(folder, read):
    """What two result folders must have in common: all but names, times and the machine."""
    report = orjson.loads(read(f"{folder}/report.json"))
    rows = [orjson.loads(line) for line in read(f"{folder}/samples.jsonl").splitlines()]
    kept = ("counts", "metrics", "signature", "warnings")
    return {name: report[name] for name in kept}, rows, read(f"{folder}/errors.jsonl")

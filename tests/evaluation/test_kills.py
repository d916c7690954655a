"""kill -9 at random moments: what is carried on leaves the bytes of an undisturbed run, and little is done again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from handler.evaluation import EvaluationRequest, Machine, run
from tests.evaluation.shard_files import close

SLOWED = Path(__file__).parent / "slowed"
ROOT = Path(__file__).parent.parent.parent
N = 240
SEED = 9
AT_ONCE = 40  # samples that a process may have scored since its last save: 0.1 s of them, and the chunk at hand


@pytest.fixture
def manifest(tmp_path):
    rows = [{"hypothesis": f"hello word {i % 40}", "reference": f"hello world {i % 30}"} for i in range(N)]
    lines = [json.dumps(row) for row in rows]
    lines[100] = "{broken"
    (tmp_path / "m.jsonl").write_text("\n".join([*lines, json.dumps(rows[0])]))
    return tmp_path / "m.jsonl"


@pytest.fixture
def whole(manifest, tmp_path):
    report = run(EvaluationRequest(input=str(manifest), output=str(tmp_path / "whole")), Machine())
    return {path.name: path.read_bytes() for path in Path(report.location).iterdir()}


def start(manifest, *options):
    """The command as a process of its own session, so that its workers can be killed with it."""
    at = manifest.parent
    environment = {**os.environ, "PYTHONPATH": f"{SLOWED}{os.pathsep}{ROOT}", "SLOWED_LOG": str(at / "log")}
    command = [sys.executable, "-m", "handler.cli", "evaluate", str(manifest), "--output", str(at / "out"), *options]
    return subprocess.Popen(
        command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def check(manifest, whole, *, kills):
    (folder,) = (path for path in (manifest.parent / "out" / "m.jsonl").iterdir() if path.is_dir())
    found = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}
    assert sorted(found) == ["errors.jsonl", "report.html", "report.json", "samples.jsonl"]
    assert found["samples.jsonl"] == whole["samples.jsonl"]
    assert found["errors.jsonl"] == whole["errors.jsonl"]
    reports = [json.loads(one["report.json"]) for one in (found, whole)]
    for key in ("metrics", "counts", "warnings"):
        assert close(reports[0][key], reports[1][key]), key
    times = Counter(scored(manifest))
    assert len(times) == N
    assert times.total() <= N + kills * AT_ONCE, f"{times.total()} of {N} after {kills} kills"


@pytest.mark.parametrize("options", [(), ("--shards", "3", "--threads", "2")])
def test_killed_at_random_and_resumed(manifest, whole, options):
    """Every kill ends all processes: some while they start, most while they score or save, some when they join."""
    dice = random.Random(SEED)
    kills = 0
    while kills < 100:
        process = start(manifest, "--resume", *options)
        until = len(scored(manifest)) + (0 if dice.random() < 0.2 else dice.randrange(1, N))
        try:
            while process.poll() is None and len(scored(manifest)) < until:
                time.sleep(0.005)
            process.wait(dice.random() * 0.3)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        else:
            assert process.returncode == 0, process.stderr.read()
            break
        finally:
            process.stderr.close()
    assert kills
    check(manifest, whole, kills=kills * 2)


def scored(manifest):
    log = manifest.parent / "log"
    return log.read_text().split() if log.exists() else []


def wait_for_log(manifest, n):
    for _ in range(1000):
        if len(scored(manifest)) >= n:
            return
        time.sleep(0.02)
    raise AssertionError("nothing is scored")


def test_workers_end_with_their_parent(manifest, whole):
    process = start(manifest, "--shards", "2", "--threads", "2")
    wait_for_log(manifest, 40)
    process.kill()
    process.communicate()
    time.sleep(1.5)
    before = (manifest.parent / "log").read_text()
    time.sleep(0.3)
    assert (manifest.parent / "log").read_text() == before
    with start(manifest, "--resume") as again:  # however it is asked for, the plan that is there is carried on
        assert again.wait(60) == 0
    check(manifest, whole, kills=2 * 4)


def test_a_killed_worker_is_told_of_and_nothing_is_lost(manifest, whole):
    process = start(manifest, "--shards", "2", "--threads", "2")
    wait_for_log(manifest, 40)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("this system does not list a process's children")
    tasks = Path(f"/proc/{process.pid}/task").iterdir()
    workers = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    os.kill(workers[0], signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"ended with signal 9" in said
    assert b"--resume" in said
    with start(manifest, "--shards", "2", "--resume") as again:
        assert again.wait(60) == 0
    check(manifest, whole, kills=2)


def test_without_resume_all_is_scored_again(manifest, whole):
    process = start(manifest)
    wait_for_log(manifest, 100)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (manifest.parent / "log").unlink()
    with start(manifest) as again:
        assert again.wait(60) == 0
    check(manifest, whole, kills=0)

"""Many frames cost time, not memory; an estimate says how much before anything runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from handler.cli import main
from handler.evaluation import EvaluationRequest, Machine, estimate
from tests.bench.pairs import write_many

pytestmark = pytest.mark.model


def peak_mb(source, output):
    """Peak memory of a whole evaluation, in a process of its own."""
    command = [sys.executable, "-m", "handler.cli", "evaluate", source, "--output", output, "--threads", "1", "--json"]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss / 1024


@pytest.mark.parametrize("n", [100_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_memory_does_not_grow_with_frames(model, tmp_path, n):
    peaks = {}
    for size in (1000, n):
        write_many(tmp_path / f"{size}.jsonl", size)
        peaks[size] = peak_mb(tmp_path / f"{size}.jsonl", tmp_path / "out")
    assert peaks[n] - peaks[1000] <= 100


def test_estimate_counts_what_a_run_would_meet(model, tmp_path):
    write_many(tmp_path / "many.jsonl", 5000)
    request = EvaluationRequest(input=str(tmp_path / "many.jsonl"))
    found = estimate(request, Machine(model=model))
    assert (found.frames, found.unreadable) == (5000, 0)
    assert found.distinct_texts == 100
    assert found.tokens > 5 * found.distinct_texts
    assert found.seconds == pytest.approx(found.tokens / found.tokens_per_second + 5000 / 60_000)
    assert found.lambda_usd == pytest.approx(found.core_seconds * 1.769 * 0.0000166667)
    assert not (tmp_path / "scenescore-results").exists()


def test_dry_run_scores_and_writes_nothing(model, tmp_path, capsys):
    write_many(tmp_path / "many.jsonl", 200)
    arguments = ["evaluate", str(tmp_path / "many.jsonl"), "--output", str(tmp_path / "out"), "--dry-run"]
    assert main([*arguments]) == 0
    shown = capsys.readouterr().out
    assert "frames           200" in shown
    assert "price on Lambda" in shown
    assert main([*arguments, "--limit", "50", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["frames"] == 50
    assert not (tmp_path / "out").exists()


def test_looking_for_claims_is_part_of_the_estimate(model, tmp_path):
    write_many(tmp_path / "many.jsonl", 200)
    request = EvaluationRequest(input=str(tmp_path / "many.jsonl"), metrics=["vision.claims"])
    found = estimate(request, Machine(model=model))
    assert found.seconds == pytest.approx(found.tokens / found.tokens_per_second + 200 * found.seconds_per_frame)
    assert 0.001 < found.seconds_per_frame < 0.01

"""Processes timed from outside, and what their figures say."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from model_export.weights import find_weights
from tests.bench.pairs import write_many

MANY = (100_000, 300_000, 1_000_000)  # frames of the runs that measure everything but the encoder


def against_original(source: Path, n: int, threads: int, rounds: int) -> dict[str, Any]:
    """This product and the original on the same file, alternating. Seconds are medians of whole processes."""
    weights = find_weights("all-mpnet-base-v2").folder
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        product = evaluate_command(source, folder, threads)
        original = [sys.executable, "-m", "tests.bench.original", weights, source, Path(folder, "o.json"), threads]
        for _ in range(rounds):
            ours.append(timed(product))
            theirs.append(timed(original))
            assert_same_scores(Path(folder))
    figures: dict[str, Any] = {"name": f"{n} pairs, both metrics, {threads} thread(s)", "pairs": n, "threads": threads}
    for name, runs in (("product", ours), ("original", theirs)):
        figures[name] = {
            "process_seconds": statistics.median(run["seconds"] for run in runs),
            "scoring_seconds": statistics.median(run["scoring"] for run in runs),
            "peak_mb": max(run["peak_mb"] for run in runs),
        }
    for key in ("process_seconds", "scoring_seconds"):
        figures[f"ratio_{key}"] = figures["original"][key] / figures["product"][key]
    return figures


def many_frames(folder: Path) -> dict[str, Any]:
    """Seconds per frame after the start, and memory, where almost every text is known already: neither may grow."""
    figures = {}
    for n in (1000, *MANY):
        source = folder / f"{n}.jsonl"
        write_many(source, n)
        figures[n] = timed(evaluate_command(source, folder / "many", 1))
    start = figures[1000]
    return {
        "name": "frames of 100 distinct texts, 1 thread",
        "peak_mb": start["peak_mb"],
        "sizes": {
            n: {
                "microseconds_per_frame": 1e6 * (figures[n]["seconds"] - start["seconds"]) / (n - 1000),
                "extra_peak_mb": figures[n]["peak_mb"] - start["peak_mb"],
            }
            for n in MANY
        },
    }


def evaluate_command(source: Path, folder: str | Path, threads: int) -> list[Any]:
    """The product's command for a file."""
    product = [sys.executable, "-m", "handler.cli", "evaluate", source, "--output", folder]
    return [*product, "--threads", threads, "--force", "--json"]


def timed(command: list[Any]) -> dict[str, float]:
    """Run to the end: wall seconds, seconds of scoring as the process reports them, peak memory in MB."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdout=output, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command} ended with exit code {process.returncode}")
        output.seek(0)
        printed = json.load(output)
    figures = {"seconds": seconds, "peak_mb": usage.ru_maxrss / 1024}
    scoring = printed["scoring_seconds"] if "scoring_seconds" in printed else printed["timing"]["seconds"]
    return {**figures, "scoring": scoring, **({"score": printed["score"]} if "score" in printed else {})}


def assert_same_scores(folder: Path) -> None:
    """A comparison of speed means nothing if the numbers differ."""
    expected = json.loads((folder / "o.json").read_text())["similarity"]
    rows = [json.loads(line) for line in next(folder.rglob("samples.jsonl")).read_text().splitlines()]
    scores = [row["metrics"]["vision.similarity"]["score"] for row in rows]
    assert max(abs(one - other) for one, other in zip(scores, expected, strict=True)) <= 1e-5


def line(result: dict[str, Any]) -> str:
    """A row for a person."""
    if "product" not in result:
        return "\n".join(
            f"{n:,} {result['name']}: {one['microseconds_per_frame']:.1f} microseconds a frame after the start, "
            f"{one['extra_peak_mb']:+.0f} MB against 1,000 frames"
            for n, one in result["sizes"].items()
        )
    ours, theirs = result["product"], result["original"]
    return (
        f"{result['name']}: whole process {ours['process_seconds']:.2f} s against {theirs['process_seconds']:.2f} s "
        f"({result['ratio_process_seconds']:.1f}x); without start {ours['scoring_seconds']:.2f} s against "
        f"{theirs['scoring_seconds']:.2f} s ({result['ratio_scoring_seconds']:.1f}x); "
        f"peak {ours['peak_mb']:.0f} MB against {theirs['peak_mb']:.0f} MB"
    )

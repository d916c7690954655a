"""What `vision.claims` costs beside similarity alone, on the same file and threads."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

from tests.bench.contenders import Job, evaluate_command
from tests.bench.pairs import write_pairs
from tests.bench.processes import run

__all__ = ["beside_similarity", "lines"]

CHOSEN = {"similarity": "vision.similarity", "all vision metrics": "vision"}
LOADING = """
import json, resource, time
def now(): return time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import numpy
before = now()
from handler.claims._analysis import analyse
from handler.claims._tables import load_tables
load_tables(), analyse("Two men carry a ladder.")
after = now()
print(json.dumps({"seconds": after[0] - before[0], "mb": (after[1] - before[1]) / 1024}))
"""


def beside_similarity(folder: Path, n_pairs: int, threads: int, rounds: int) -> dict[str, Any]:
    """Scoring seconds of similarity alone and of all vision metrics in turns, peaks, and the time to load the word lists."""
    job = Job(folder / "claims.json", folder / "claims", threads)
    write_pairs(job.source, n_pairs)
    runs: dict[str, list[Any]] = {name: [] for name in CHOSEN}
    for _ in range(rounds):
        for name, metrics in CHOSEN.items():
            runs[name].append(run(evaluate_command(job, "--metrics", metrics), threads))
    seconds = {name: [_seconds(one.printed) for one in found] for name, found in runs.items()}
    peaks = {name: max(one.peak_mb for one in found) for name, found in runs.items()}
    alone, both = (seconds[name] for name in CHOSEN)
    loading = run([sys.executable, "-c", LOADING], 1).printed
    return {
        "kind": "claims",
        "name": f"{n_pairs} distinct pairs, vision.claims beside similarity",
        "threads": threads,
        "scoring_seconds": {name: statistics.median(found) for name, found in seconds.items()},
        "ratio": statistics.median(b / a for a, b in zip(alone, both, strict=True)),
        "extra_peak_mb": peaks["all vision metrics"] - peaks["similarity"],
        "lexicon_seconds": loading["seconds"],
        "lexicon_mb": loading["mb"],
    }


def _seconds(report: dict[str, Any]) -> float:
    timing: dict[str, float] = report["timing"]
    return timing["seconds"] - timing["model_load_seconds"]


def lines(result: dict[str, Any]) -> list[str]:
    """A row for a person."""
    alone, both = result["scoring_seconds"].values()
    return [
        f"{result['name']}, {result['threads']} thread(s): {alone:.2f} s alone, {both:.2f} s with claims "
        f"({result['ratio']:.2f}x), {result['extra_peak_mb']:+.0f} MB; word lists load in {result['lexicon_seconds']:.2f} s"
        f" and {result['lexicon_mb']:.0f} MB"
    ]

"""What `vision.claims` costs beside similarity alone, on the same files and threads."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

from tests.bench.contenders import Job, evaluate_command
from tests.bench.pairs import write_pairs
from tests.bench.processes import run

__all__ = ["beside_similarity", "lines"]

CHOSEN = {"similarity": "vision.similarity", "with claims": "vision.similarity,vision.claims"}
SMALL = 4  # the small file is a quarter of the large one: between the two, starting costs nothing
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
    """Seconds per pair of similarity alone and with claims, by what a larger file takes more than a small one; in turns,
    medians. Beside it the peaks, and the time to load the word lists.
    """
    sizes = (n_pairs // SMALL, n_pairs)
    jobs = {n: Job(folder / f"claims-{n}.json", folder / f"claims-{n}", threads) for n in sizes}
    runs: dict[tuple[str, int], list[Any]] = {(name, n): [] for n in sizes for name in CHOSEN}
    for n, job in jobs.items():
        write_pairs(job.source, n)
    for _ in range(rounds):
        for name, n in runs:
            runs[name, n].append(run(evaluate_command(jobs[n], "--metrics", CHOSEN[name]), threads))
    seconds = {which: statistics.median(_seconds(one.printed) for one in found) for which, found in runs.items()}
    per_pair = {name: (seconds[name, sizes[1]] - seconds[name, sizes[0]]) / (sizes[1] - sizes[0]) for name in CHOSEN}
    peaks = {name: max(one.peak_mb for n in sizes for one in runs[name, n]) for name in CHOSEN}
    alone, both = CHOSEN
    loading = run([sys.executable, "-c", LOADING], 1).printed
    return {
        "kind": "claims",
        "name": f"vision.claims beside similarity, per pair ({sizes[0]} to {sizes[1]} distinct pairs)",
        "threads": threads,
        "milliseconds_per_pair": {name: 1000 * value for name, value in per_pair.items()},
        "ratio": per_pair[both] / per_pair[alone],
        "ratio_of_runs": {str(n): seconds[both, n] / seconds[alone, n] for n in sizes},
        "extra_peak_mb": peaks[both] - peaks[alone],
        "lexicon_seconds": loading["seconds"],
        "lexicon_mb": loading["mb"],
    }


def _seconds(report: dict[str, Any]) -> float:
    timing: dict[str, float] = report["timing"]
    return timing["seconds"] - timing["model_load_seconds"]


def lines(result: dict[str, Any]) -> list[str]:
    """A row for a person."""
    alone, both = result["milliseconds_per_pair"].values()
    runs = ", ".join(f"{ratio:.2f}x of {n} pairs" for n, ratio in result["ratio_of_runs"].items())
    return [
        f"{result['name']}, {result['threads']} thread(s): {alone:.2f} ms alone, {both:.2f} ms with claims "
        f"({result['ratio']:.3f}x; whole runs {runs}), {result['extra_peak_mb']:+.0f} MB; word lists load in "
        f"{result['lexicon_seconds']:.2f} s and {result['lexicon_mb']:.0f} MB"
    ]

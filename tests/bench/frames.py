"""Everything but the encoder: frames of a hundred distinct texts, by format, on one core."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from tests.bench.contenders import Job, evaluate_command
from tests.bench.pairs import write_many_as
from tests.bench.processes import run

__all__ = ["lines", "many_frames"]

FEW = 1000
FORMATS = {"JSON Lines": ".jsonl", "CSV": ".csv", "fair-forge JSON": ".json"}


def many_frames(folder: Path, sizes: tuple[int, ...], rounds: int) -> dict[str, Any]:
    """Seconds per frame after the start, from file to report, and memory: neither may grow. Medians, formats in turn."""
    jobs = {}
    for name, suffix in FORMATS.items():
        for n in (FEW, *sizes):
            jobs[name, n] = Job(folder / f"{n}{suffix}", folder / "many", 1)
            write_many_as(jobs[name, n].source, n)
    runs: dict[tuple[str, int], list[Any]] = {key: [] for key in jobs}
    for _ in range(rounds):
        for key, job in jobs.items():
            runs[key].append(run(evaluate_command(job), 1))
    seconds = {key: statistics.median(one.seconds for one in found) for key, found in runs.items()}
    peak = {key: max(one.peak_mb for one in found) for key, found in runs.items()}
    return {
        "kind": "frames",
        "name": "frames of 100 distinct texts",
        "threads": 1,
        "formats": {
            name: {
                str(n): {
                    "frames_per_second": (n - FEW) / (seconds[name, n] - seconds[name, FEW]),
                    "extra_peak_mb": peak[name, n] - peak[name, FEW],
                }
                for n in sizes
            }
            for name in FORMATS
        },
    }


def lines(result: dict[str, Any]) -> list[str]:
    """Rows for a person."""
    return [
        f"{int(n):,} {result['name']}, {name}: {one['frames_per_second']:,.0f} a second after the start, "
        f"{one['extra_peak_mb']:+.0f} MB against {FEW:,} frames"
        for name, sizes in result["formats"].items()
        for n, one in sizes.items()
    ]

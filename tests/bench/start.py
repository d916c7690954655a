"""From process start to the first score, in parts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench import comparison
from tests.bench.contenders import COMPACT, FP32, Contender, Job, evaluate_command
from tests.bench.pairs import write_pairs

__all__ = ["lines", "start"]

PARTS = ("interpreter", "imports", "tokenizer", "model", "encode", "rest", "write")


def start(who: Sequence[Contender], folder: Path, threads: int, rounds: int) -> dict[str, Any]:
    """One pair by everyone. rest: reading, and all that has no name of its own; write: what comes after the first score."""
    job = Job(folder / "one.json", folder / "start", threads)
    write_pairs(job.source, 1)
    clocked = [_clocked(one) for one in who]
    result = comparison.compare("start to first score, one pair", clocked, job, rounds, pairs=1)
    for one in result["contenders"].values():
        runs = [run.pop("parts") for run in one.get("runs", ()) if "parts" in run]
        if runs:
            one["parts"] = {part: statistics.median(run.get(part, 0.0) for run in runs) for part in PARTS}
    return {**result, "kind": "start"}


def _clocked(one: Contender) -> Contender:
    more = {FP32: (), COMPACT: ("--precision", "int8")}.get(one.name)
    if more is None:
        return one
    return one._replace(
        command=lambda job: evaluate_command(job, *more, program=("-m", "tests.bench.traced")),
        figures=lambda printed: {key: printed[key] for key in ("first_score_seconds", "parts")},
    )


def lines(result: dict[str, Any]) -> list[str]:
    """Rows for a person."""
    return comparison.listed(result, _words)


def _words(_: str, one: dict[str, Any]) -> str:
    ratio = f" {one['ratio_first_score_seconds']:5.1f}x" if "ratio_first_score_seconds" in one else ""
    parts = "".join(f", {part} {seconds:.2f}" for part, seconds in one.get("parts", {}).items())
    return f"{one['first_score_seconds']:6.2f} s{ratio}, peak {one['peak_mb']:.0f} MB{parts}"

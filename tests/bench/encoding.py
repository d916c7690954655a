"""The encoder beside the machine's own peak, and the time of a text as their number grows."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.contenders import COMPACT, FP32, Contender, Job
from tests.bench.pairs import write_texts
from tests.bench.processes import Failed, run

__all__ = ["fractions", "growth", "growth_lines", "lines"]

FEW, MANY = 1000, 20_000


def fractions(folders: dict[str, Path], threads: int, rounds: int) -> dict[str, Any]:
    """See `peaks`. folders: of the encoders, by precision."""
    named = [f"{precision}={folder}" for precision, folder in folders.items()]
    try:
        measured = run([sys.executable, "-m", "tests.bench.peaks", threads, rounds, *named], threads).printed
    except Failed as failed:
        measured = {"skipped": str(failed)}
    return {"kind": "encoder", "name": "encoder beside the machine's peak", "threads": threads, **measured}


def lines(result: dict[str, Any]) -> list[str]:
    """Rows for a person."""
    found = [f"{result['name']}, {result['threads']} thread(s)"]
    for name, rate in result.get("operations_per_second", {}).items():
        fraction = result["fractions"].get(name)
        found.append(f"  {name:36} {rate / 1e9:7.1f} G/s" + (f", {fraction:.1%} of the peak" if fraction else ""))
    return found if "skipped" not in result else [*found, f"  skipped: {result['skipped']}"]


def growth(who: Sequence[Contender], folder: Path, threads: int, rounds: int) -> dict[str, Any]:
    """Scoring seconds per text of 1,000 and of 20,000 distinct texts by the same process kind, both metrics.

    The compact tier where there is one, else fp32. The small file is scored `rounds` times before and after the large.
    """
    one = next(one for name in (COMPACT, FP32) for one in who if one.name == name and (not one.skipped or name == FP32))
    few, many = (Job(folder / f"texts-{n}.json", folder / "growth", threads) for n in (FEW, MANY))
    for job, n in ((few, FEW), (many, MANY)):
        write_texts(job.source, n)
    small = [_seconds(one, few) for _ in range(rounds)]
    large = _seconds(one, many)
    small += [_seconds(one, few) for _ in range(rounds)]
    per_text = {str(FEW): statistics.median(small) / FEW, str(MANY): large / MANY}
    return {
        "kind": "growth",
        "name": f"{one.name}: {FEW:,} to {MANY:,} distinct texts",
        "threads": threads,
        "seconds_per_text": per_text,
        "growth": per_text[str(MANY)] / per_text[str(FEW)] - 1,
    }


def _seconds(one: Contender, job: Job) -> float:
    return one.figures(one.run(job).printed)["scoring_seconds"]


def growth_lines(result: dict[str, Any]) -> list[str]:
    """A row for a person."""
    few, many = (1e3 * seconds for seconds in result["seconds_per_text"].values())
    return [
        f"{result['name']}, {result['threads']} thread(s): {few:.2f} ms a text, then {many:.2f} ({result['growth']:+.1%})"
    ]

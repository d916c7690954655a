"""The encoder beside the machine's own peak, one tier beside the other, and the time of a text as their number grows."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.contenders import COMPACT, FP32, Contender, Job
from tests.bench.pairs import write_texts
from tests.bench.processes import Failed, run

__all__ = ["fractions", "growth", "growth_lines", "lines", "tier_lines", "tiers"]

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


def tiers(who: Sequence[Contender], folder: Path, threads: int, rounds: int, n_pairs: int) -> dict[str, Any]:
    """Fp32 and int8 on one file, in turns: seconds of the whole process and of scoring as medians, and their ratios.

    The file is long enough for starting to weigh little: what a queue of many captions gains.
    """
    job = Job(folder / "tiers.json", folder / "tiers", threads)
    write_texts(job.source, 2 * n_pairs)
    result: dict[str, Any] = {
        "kind": "tiers",
        "name": f"{n_pairs:,} distinct pairs, int8 against fp32",
        "threads": threads,
    }
    both = [one for name in (FP32, COMPACT) for one in who if one.name == name]
    skipped = next((f"{one.name}: {one.skipped}" for one in both if one.skipped), None)
    if skipped:
        return {**result, "skipped": skipped}
    found: dict[str, list[dict[str, float]]] = {one.name: [] for one in both}
    for _ in range(rounds):
        for one in both:
            run_ = one.run(job)
            found[one.name].append({"process_seconds": run_.seconds, **one.figures(run_.printed)})
    for key in ("process_seconds", "scoring_seconds"):
        result[key] = {name: statistics.median(run_[key] for run_ in runs) for name, runs in found.items()}
        rounds_ = zip(found[FP32], found[COMPACT], strict=True)
        result[f"ratio_{key}"] = statistics.median(exact[key] / compact[key] for exact, compact in rounds_)
    return result


def tier_lines(result: dict[str, Any]) -> list[str]:
    """A row for a person."""
    head = f"{result['name']}, {result['threads']} thread(s)"
    if "skipped" in result:
        return [f"{head}: skipped, {result['skipped']}"]
    exact, compact = (result["process_seconds"][name] for name in (FP32, COMPACT))
    return [
        f"{head}: {exact:.2f} s and {compact:.2f} s ({result['ratio_process_seconds']:.2f}x; "
        f"scoring {result['ratio_scoring_seconds']:.2f}x)"
    ]


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

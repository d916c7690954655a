"""The contenders on one file, in turn, round by round: a slow minute of the machine hits all of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from tests.bench.contenders import COMPACT, FAIR_FORGE, FP32, TORCH, Contender, Job
from tests.bench.processes import Failed, Run

__all__ = ["compare", "lines", "listed"]

TOLERANCE = {FP32: 1e-5, FAIR_FORGE: 1.01e-4}  # against sentence-transformers on torch; fair-forge rounds to 4 decimals


def compare(
    name: str, who: Sequence[Contender], job: Job, rounds: int, *, against: str = FAIR_FORGE, **facts: Any
) -> dict[str, Any]:
    """Seconds as medians over the rounds; ratios as medians of each round's own ratio to the contender `against`.

    difference: the largest of a score to that of sentence-transformers on torch. facts: more about the file.
    """
    runs: dict[str, list[Run]] = {one.name: [] for one in who if not one.skipped}
    result: dict[str, Any] = {"kind": "comparison", "name": name, "threads": job.threads, "rounds": rounds, **facts}
    skipped = {one.name: one.skipped for one in who if one.skipped}
    scores: dict[str, list[float]] = {}
    for _ in range(rounds):
        for one in who:
            if one.name in skipped:
                continue
            try:
                runs[one.name].append(one.run(job))
                scores[one.name] = one.scores(job)
            except Failed as failed:
                skipped[one.name] = str(failed)
    result["contenders"] = {
        one.name: {"skipped": skipped[one.name]} if one.name in skipped else _figures(one, runs[one.name])
        for one in who
    }
    _add_ratios(result["contenders"], against)
    _add_differences(result["contenders"], scores)
    return result


def _figures(one: Contender, runs: Sequence[Run]) -> dict[str, Any]:
    found = [{"process_seconds": run.seconds, **one.figures(run.printed)} for run in runs]
    medians = {key: statistics.median(run[key] for run in found) for key in found[0] if key != "parts"}
    return {**medians, "peak_mb": max(run.peak_mb for run in runs), "runs": found}


def _add_ratios(contenders: dict[str, Any], against: str) -> None:
    original = contenders.get(against, {}).get("runs")
    for one in contenders.values():
        for key in ("process_seconds", "scoring_seconds", "first_score_seconds"):
            if original and key in one and key in original[0]:
                pairs = zip(original, one["runs"], strict=True)
                one[f"ratio_{key}"] = statistics.median(theirs[key] / ours[key] for theirs, ours in pairs)


def _add_differences(contenders: dict[str, Any], scores: dict[str, list[float]]) -> None:
    """A comparison of speed means nothing if the numbers differ."""
    for name, found in scores.items():
        if TORCH in scores and name != TORCH and "skipped" not in contenders[name]:
            apart = [abs(one - other) for one, other in zip(found, scores[TORCH], strict=True)]
            contenders[name]["difference"] = max(apart)
            contenders[name]["mean_difference"] = statistics.fmean(apart)
            if max(apart) > TOLERANCE.get(name, 1):
                raise SystemExit(f"{name} scores a pair {max(apart)} apart from {TORCH}")


def listed(result: dict[str, Any], words: Callable[[str, dict[str, Any]], str]) -> list[str]:
    """Rows for a person. words: of a contender by name that ran, its figures."""
    found = [f"{result['name']}, {result['threads']} thread(s)"]
    for name, one in result["contenders"].items():
        found.append(f"  {name:36} {'skipped: ' + one['skipped'] if 'skipped' in one else words(name, one)}")
    return found


def lines(result: dict[str, Any]) -> list[str]:
    """Rows for a person."""
    return listed(result, _words)


def _words(name: str, one: dict[str, Any]) -> str:
    ratio = f" {one['ratio_process_seconds']:6.2f}x" if "ratio_process_seconds" in one else ""
    scoring = f" (scoring {one['scoring_seconds']:6.2f} s)" if "scoring_seconds" in one else ""
    apart = f", difference {one['difference']:.1e}" if "difference" in one and name == COMPACT else ""
    return f"{one['process_seconds']:7.2f} s{ratio}{scoring}, peak {one['peak_mb']:.0f} MB{apart}"

"""`captions.ngram` beside pycocoevalcap with Java: the same 225 images, whole processes, from files to figures.

The peer lives in an environment of its own: SCENESCORE_PYCOCOEVALCAP names its Python, else one is made for the run.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import venv
from pathlib import Path
from typing import Any

from handler.settings import available_threads
from tests.bench.contenders import Job, evaluate_command
from tests.bench.processes import run
from tests.conftest import CASES

PEER = Path(__file__).with_name("coco_captions.py")
PACKAGE = "pycocoevalcap==1.2"
SET = "instructblip-225"
WANTED = 5  # times as fast
TOLERANCE = 1e-6


def against_java(folder: Path, rounds: int) -> dict[str, Any]:
    """Both in turn, seconds as medians of whole processes; `skipped` with the reason where there is no peer or no set.

    The peer computes what the product does, and once more with METEOR, which a user of `COCOEvalCap.evaluate` waits for.
    """
    name = f"captions.ngram, {SET}"
    source = next(CASES.glob(f"*/{SET}"), None)
    if source is None:
        return {"kind": "captions", "name": name, "skipped": f"no case {SET} in {CASES}"}
    if shutil.which("java") is None:
        return {"kind": "captions", "name": name, "skipped": "no java on the path, which pycocoevalcap starts"}
    python = _peer(folder)
    if python is None:
        return {"kind": "captions", "name": name, "skipped": f"{PACKAGE} cannot be installed here"}
    annotations, results = source / "annotations.json", source / "results.json"
    job = Job(results, folder / "captions", 1)
    product = evaluate_command(job, "--references", annotations, "--metrics", "captions.ngram")
    threads = available_threads()  # Java takes what it finds
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(run(product, threads))
        theirs.append(run([python, PEER, annotations, results], threads))
        _assert_same_scores(job.output, theirs[-1].printed["score"])
    figures: dict[str, Any] = {"kind": "captions", "name": name, "images": 225, "wanted": WANTED}
    for side, runs in (("product", ours), ("original", theirs)):
        figures[side] = {
            "process_seconds": statistics.median(one.seconds for one in runs),
            "scoring_seconds": statistics.median(_scoring(one.printed) for one in runs),
            "peak_mb": max(one.peak_mb for one in runs),
        }
    whole = run([python, PEER, annotations, results, "meteor"], threads)
    scoring = _scoring(whole.printed)
    figures["original_with_meteor"] = {"process_seconds": whole.seconds, "scoring_seconds": scoring}
    for key in ("process_seconds", "scoring_seconds"):
        figures[f"ratio_{key}"] = figures["original"][key] / figures["product"][key]
        figures[f"ratio_{key}_with_meteor"] = figures["original_with_meteor"][key] / figures["product"][key]
    return figures


def lines(result: dict[str, Any]) -> list[str]:
    """A row for a person."""
    if "skipped" in result:
        return [f"{result['name']}: skipped, {result['skipped']}"]
    seconds, ratio = result["original_with_meteor"]["process_seconds"], result["ratio_process_seconds_with_meteor"]
    ours, theirs = result["product"], result["original"]
    return [
        f"{result['name']}: whole process {ours['process_seconds']:.2f} s against {theirs['process_seconds']:.2f} s "
        f"({result['ratio_process_seconds']:.1f}x), peak {ours['peak_mb']:.0f} MB against {theirs['peak_mb']:.0f} MB; "
        f"with METEOR, as it comes, it takes {seconds:.2f} s ({ratio:.1f}x)"
    ]


def _scoring(printed: dict[str, Any]) -> float:
    seconds: float = printed["scoring_seconds"] if "scoring_seconds" in printed else printed["timing"]["seconds"]
    return seconds


def _peer(folder: Path) -> Path | None:
    """A Python that has pycocoevalcap."""
    if given := os.environ.get("SCENESCORE_PYCOCOEVALCAP"):
        return Path(given)
    home = folder / "pycocoevalcap"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    installed = subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], capture_output=True, check=False)
    return python if installed.returncode == 0 else None


def _assert_same_scores(output: Path, expected: Any) -> None:
    """A comparison of speed means nothing if the numbers differ."""
    report = json.loads(next(output.rglob("report.json")).read_text())
    found = report["metrics"]["captions.ngram"]["overall"]
    assert all(abs(found[name] - score) <= TOLERANCE for name, score in expected.items()), (found, expected)

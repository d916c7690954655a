"""From nothing to the first reply: the function under AWS's emulator beside a process with sentence-transformers."""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from handler.settings import Settings, available_threads
from model_export.weights import find_weights
from tests.aws.emulator import Emulator
from tests.aws.events import document
from tests.bench.processes import run

ENCODE = """
import json, sys, time
from sentence_transformers import SentenceTransformer
one, other = SentenceTransformer(sys.argv[1], device="cpu").encode(json.loads(sys.argv[2]), normalize_embeddings=True)
print(json.dumps({"score": float(one @ other)}))
"""


def first_reply(folder: Path, rounds: int) -> dict[str, Any]:
    """Both score one pair in a fresh process, alternating. Seconds are medians; the function is called at once."""
    weights = find_weights("all-mpnet-base-v2").folder
    event = document("direct_pair")
    frame = event["sessions"][0]["conversation"][0]
    texts = json.dumps([frame["assistant"], frame["ground_truth_assistant"]])
    ours, theirs = [], []
    for n in range(rounds):
        ours.append(_function(event, folder / f"out-{n}"))
        peer = run([sys.executable, "-c", ENCODE, weights, texts], available_threads())
        theirs.append({"seconds": peer.seconds, "peak_mb": peer.peak_mb, "score": peer.printed["score"]})
        assert abs(ours[-1]["score"] - theirs[-1]["score"]) <= 1e-5
    figures: dict[str, Any] = {"kind": "lambda", "name": "start to first reply, one pair", "rounds": rounds}
    for name, runs in (("product", ours), ("original", theirs)):
        seconds, peak = [run["seconds"] for run in runs], max(run["peak_mb"] for run in runs)
        figures[name] = {"process_seconds": statistics.median(seconds), "peak_mb": peak, "all_seconds": seconds}
    figures["ratio_process_seconds"] = figures["original"]["process_seconds"] / figures["product"]["process_seconds"]
    return figures


def _function(event: dict[str, Any], output: Path) -> dict[str, float]:
    """Start the emulator, which starts the function at the first call; memory is that of the function's process."""
    environment = {"SCENESCORE_MODEL": str(Settings.from_environment().model), "SCENESCORE_OUTPUT": str(output)}
    started = time.perf_counter()
    with Emulator(environment) as function:
        reply = function.invoke(event)
        seconds = time.perf_counter() - started
        peak = _peak_mb(function.runtime_pid())
    score = reply["samples"][0]["metrics"]["vision.similarity"]["score"]
    return {"seconds": seconds, "peak_mb": peak, "score": score}


def _peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def lines(result: dict[str, Any]) -> list[str]:
    """A row for a person."""
    ours, theirs = result["product"], result["original"]
    return [
        f"{result['name']}: {ours['process_seconds']:.2f} s under the Lambda emulator against "
        f"{theirs['process_seconds']:.2f} s for importing sentence-transformers and encoding it "
        f"({result['ratio_process_seconds']:.1f}x); peak {ours['peak_mb']:.0f} MB against {theirs['peak_mb']:.0f} MB"
    ]

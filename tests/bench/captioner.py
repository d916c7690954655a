"""`python -m tests.bench.captioner FOLDER`: the dense captioner on one thread, beside what is known of the original.

FOLDER is the full-size network with the filler's weights of seed A, so that the recorded picture gives the recorded 12
boxes and the words are checked before any time is believed. The original cannot run here. Its recorded seconds are of
another machine, so the same work is timed in torch on this one: the backbone and the head as the original runs them, and
one step of its text decoder, which has no cache and goes over all 196 visual tokens again.

Seconds are of the processor: on one thread those of the clock on an idle machine, whatever else runs on a busy one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.grit_fixtures import GRIT

THREADS = 1
SIZES = ((375, 500), (480, 832), (720, 1280), (800, 1067))
# Seconds per frame on one thread of an AMD EPYC (Zen 4), as recorded: backbone and pyramid, then head and proposals.
RECORDED = {(375, 500): (2.1, 0.22), (480, 832): (5.5, 0.41), (720, 1280): (17.5, 0.92), (800, 1067): (14.5, 0.86)}
RECORDED_FRAME = 65.0  # seconds, of the frame of 375x500 with 12 boxes, both tasks
RECORDED_STEP = 0.23  # seconds, of the text decoder, a box
N_STEPS = 22  # of the recorded frame: 11 a task


def main() -> None:
    """Measure in child processes, print a table, write a JSON document."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.captioner")
    parser.add_argument("folder", type=Path, help="exported GRiT with the filler's weights of seed A")
    parser.add_argument(
        "--rounds", type=int, default=3, help="repetitions of each measurement, of which the median counts"
    )
    parser.add_argument("--output", type=Path, default=Path("build/bench-captioner.json"))
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(PARTS[options.part](options.folder, options.rounds)))
        return
    result = {part: _child(part, options) for part in PARTS}
    print("\n".join(_lines(result)))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")


def whole_frame(folder: Path, rounds: int) -> dict[str, Any]:
    """Seconds of the recorded frame, whole and by graph, and the peak memory of its process in MB."""
    from handler.models.dense import DenseCaptioner
    from handler.models.dense._graphs import Graph

    spent: dict[str, float] = defaultdict(float)
    names: dict[int, str] = {}
    load, call = Graph.__init__, Graph.__call__

    def named(self: Graph, path: Path, **options: Any) -> None:
        load(self, path, **options)
        names[id(self)] = path.stem.rsplit("_", 1)[0]

    def timed(self: Graph, *arguments: Any, **options: Any) -> Any:
        started = time.process_time()
        try:
            return call(self, *arguments, **options)
        finally:
            spent[names[id(self)]] += time.process_time() - started

    Graph.__init__, Graph.__call__ = named, timed  # type: ignore[method-assign]
    frame = np.load(GRIT / "golden" / "inputs.npz")["img1_rgb"]
    captioner = DenseCaptioner(folder, provider="cpu", threads=THREADS)
    started = time.process_time()
    _check(captioner.caption([frame])[0])
    first = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spent.clear()
    seconds = [_seconds(lambda: captioner.caption([frame])) for _ in range(rounds)]
    parts = {name: value / rounds for name, value in spent.items()}
    parts["between the graphs"] = sum(seconds) / rounds - sum(parts.values())
    several = _seconds(lambda: captioner.caption([frame] * 4)) / 4
    return {
        "seconds": statistics.median(seconds),
        "parts": parts,
        "first_seconds": first,
        "peak_mb": peak,
        "several_seconds": several,
    }


def backbones(folder: Path, rounds: int) -> dict[str, Any]:
    """Seconds of the first graph (backbone, pyramid and head) by frame size, and the peak memory in MB after each."""
    from handler.models.dense._network import Network
    from handler.models.dense._preprocess import network_input

    network = Network(folder, provider="cpu", threads=THREADS)
    return {
        _name(size): _best(lambda image: network.maps(image), network_input(_noise(size)), rounds) for size in SIZES
    }


def torch_backbones(folder: Path, rounds: int) -> dict[str, Any]:
    """The same in torch, with random weights: time does not depend on them."""
    import torch

    from handler.models.dense._preprocess import network_input

    network = _torch_network()

    def run(image: Any) -> None:
        with torch.inference_mode():
            network.proposal_generator(network.backbone(torch.from_numpy(image)))

    return {_name(size): _best(run, network_input(_noise(size)), rounds) for size in SIZES}


def torch_steps(folder: Path, rounds: int) -> dict[str, Any]:
    """Seconds of one step of a decoder without a cache, 12 boxes, in the middle of a sentence."""
    import torch

    from model_export.grit.reference import text_logits

    network = _torch_network()
    regions, tokens = torch.randn(12, 256, 14, 14), torch.full((12, 6), 2158)

    def run(_: None) -> None:
        with torch.inference_mode():
            text_logits(network, regions, tokens)

    return _best(run, None, rounds)


PARTS: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "frame": whole_frame,
    "backbone": backbones,
    "torch_backbone": torch_backbones,
    "torch_step": torch_steps,
}


def _child(part: str, options: argparse.Namespace) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "tests.bench.captioner",
        options.folder,
        "--rounds",
        options.rounds,
        "--part",
        part,
    ]
    environment = os.environ | {name: str(THREADS) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, env=environment, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _torch_network() -> Any:
    import torch

    from model_export.grit.network import Grit
    from model_export.grit.sizes import GRIT_B

    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    network = Grit(GRIT_B).eval()
    for weight in network.parameters():  # what is not initialised may hold numbers that are slow to reckon with
        torch.nn.init.normal_(weight, std=0.02)
    return network


def _check(detections: Any) -> None:
    """A comparison of speed means nothing if the words differ."""
    recorded = np.load(GRIT / "golden" / "seedA_vbench_img1.npz")
    assert [one.caption for one in detections] == recorded["ret.captions"].tolist()
    assert [one.object for one in detections] == recorded["ret.object_types"].tolist()


def _noise(size: tuple[int, int]) -> Any:
    return np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)


def _best(run: Callable[[Any], object], value: Any, rounds: int) -> dict[str, float]:
    seconds = [_seconds(lambda: run(value)) for _ in range(rounds)]
    return {"seconds": statistics.median(seconds), "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _seconds(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


def _name(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _lines(result: dict[str, Any]) -> list[str]:
    """A table for a person."""
    frame = result["frame"]
    here = result["torch_backbone"]["375x500"]["seconds"] + N_STEPS * result["torch_step"]["seconds"]
    lines = [
        f"frame of 375x500, 12 boxes, both tasks: {frame['seconds']:.2f} s; recorded {RECORDED_FRAME:.0f} s "
        f"({RECORDED_FRAME / frame['seconds']:.0f}x); in torch here {here:.1f} s for the backbone and {N_STEPS} steps "
        f"without a cache ({here / frame['seconds']:.0f}x)",
        f"  first call, loading included: {frame['first_seconds']:.2f} s; four frames together: "
        f"{frame['several_seconds']:.2f} s a frame; peak {frame['peak_mb']:,.0f} MB",
    ]
    for name, seconds in sorted(frame["parts"].items(), key=lambda item: -item[1]):
        lines.append(f"  {name:<20} {seconds:6.3f} s  {seconds / sum(frame['parts'].values()):4.0%}")
    lines.append("backbone, pyramid and head     ours   torch here   original recorded   peak")
    for size in SIZES:
        ours, torch_ = result["backbone"][_name(size)], result["torch_backbone"][_name(size)]
        lines.append(
            f"  {_name(size):<24} {ours['seconds']:7.2f} s {torch_['seconds']:10.2f} s {sum(RECORDED[size]):17.2f} s "
            f"{ours['peak_mb']:8,.0f} MB"
        )
    step = result["torch_step"]["seconds"] / 12
    lines.append(f"text, a box and step without a cache in torch: {step:.3f} s here, {RECORDED_STEP} s recorded")
    return lines


if __name__ == "__main__":
    main()

"""Who is compared: this product in both precisions, fair-forge, sentence-transformers on torch and on ONNX Runtime."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.processes import Failed, Run, run

__all__ = [
    "COMPACT",
    "FAIR_FORGE",
    "FP32",
    "TORCH",
    "Contender",
    "Job",
    "contenders",
    "encoder_folders",
    "evaluate_command",
]

FAIR_FORGE = "fair-forge"
TORCH = "sentence-transformers"
ONNX = "sentence-transformers, ONNX backend"
FP32 = "scenescore"
COMPACT = "scenescore --precision int8"
PEERS = Path("build/bench-peers")
SCRIPTS = Path(__file__).with_name("peers")


class Job(NamedTuple):
    """What is scored: a file, where results go (a folder), with how many threads."""

    source: Path
    output: Path
    threads: int


class Contender(NamedTuple):
    """command: of a job. figures: from what it printed, scoring_seconds and first_score_seconds where it says them.
    scores: from the job's output, in file order. skipped: why it cannot run here."""

    name: str
    command: Callable[[Job], list[Any]]
    figures: Callable[[dict[str, Any]], dict[str, float]]
    scores: Callable[[Job], list[float]]
    skipped: str | None = None

    def run(self, job: Job) -> Run:
        """One process. Raises Failed."""
        return run(self.command(job), job.threads)


def contenders(folder: Path) -> list[Contender]:
    """All of them, tried once each on one pair. folder: for what that writes."""
    from tests.bench.pairs import write_pairs

    weights = _weights()
    scripted = [
        (FAIR_FORGE, "with_fair_forge.py", weights, []),
        (TORCH, "with_sentence_transformers.py", weights, ["torch"]),
        (ONNX, "with_sentence_transformers.py", PEERS / "onnx", ["onnx"]),
    ]
    found = [_peer(name, script, where, more) for name, script, where, more in scripted]
    found += [_product(FP32, ()), _product(COMPACT, ("--precision", "int8"))]
    job = Job(folder / "tried.json", folder / "tried", 1)
    write_pairs(job.source, 1)
    return [_tried(one, job) for one in found]


def encoder_folders() -> dict[str, Path]:
    """The product's encoders that are here, by precision."""
    from handler.settings import Settings, compact_folder

    model = Settings.from_environment().model
    folders = {"fp32": model, "int8": compact_folder(model)}
    return {precision: folder for precision, folder in folders.items() if (folder / "card.json").is_file()}


def evaluate_command(job: Job, *more: object, program: tuple[object, ...] = ("-m", "handler.cli")) -> list[Any]:
    """The product's command. program: what Python is to run."""
    command = [sys.executable, *program, "evaluate", job.source, "--output", job.output, "--threads", job.threads]
    return [*command, "--force", "--json", *more]


def _product(name: str, more: tuple[str, ...]) -> Contender:
    return Contender(name, lambda job: evaluate_command(job, *more), _timing, _rows)


def _timing(report: dict[str, Any]) -> dict[str, float]:
    timing = report["timing"]
    return {"scoring_seconds": timing["seconds"] - timing["model_load_seconds"]}


def _rows(job: Job) -> list[float]:
    newest = max(job.output.rglob("samples.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    rows = map(json.loads, newest.read_text().splitlines())
    return [row["metrics"]["vision.similarity"]["score"] for row in rows]


def _peer(name: str, script: str, weights: Path, more: list[str]) -> Contender:
    python = PEERS / "bin/python"
    return Contender(
        name,
        lambda job: [python, SCRIPTS / script, job.source, _scores_of(job, script), weights, job.threads, *more],
        lambda printed: printed,
        lambda job: json.loads(_scores_of(job, script).read_text()),
        None if python.exists() else f"{PEERS} is not there: make bench-peers",
    )


def _scores_of(job: Job, script: str) -> Path:
    job.output.mkdir(parents=True, exist_ok=True)
    return job.output / f"{script}.json"


def _tried(one: Contender, job: Job) -> Contender:
    """The contender, skipped with its own words where it cannot score a pair. It also warms the machine's file cache."""
    if one.skipped:
        return one
    try:
        if one.name == ONNX and not (PEERS / "onnx/onnx/model.onnx").exists():
            run([PEERS / "bin/python", SCRIPTS / "export_onnx.py", _weights(), PEERS / "onnx"], job.threads)
        one.run(job)
    except Failed as failed:
        return one._replace(skipped=str(failed))
    return one


@functools.cache
def _weights() -> Path:
    from model_export.weights import find_weights

    return find_weights("all-mpnet-base-v2").folder

"""The inputs of the campaign: the awkward files of the shard tests, and what an undisturbed evaluation of each leaves."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from handler.evaluation import EvaluationRequest, Machine, run
from tests.evaluation.shard_files import FORMS, TASKS
from tests.faults.oracle import Expected, expected_of
from tests.faults.world import World

__all__ = ["ROLES", "files_of", "one_of", "request_of", "undisturbed"]

ROLES = ("input", "questions", "references")


def one_of(chance: random.Random, *, single: bool = False) -> str:
    """The name of an input; single: one file of descriptions, as an upload without a sidecar is."""
    plain = ("jsonl", "csv", "json_list", "jsonl_gzip", "csv_excel")
    return chance.choice(plain if single else [*FORMS, *TASKS])


@cache
def files_of(name: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The request of an input and its files by name."""
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        asked = {**FORMS, **TASKS}[name](at)
        files = {str(path.relative_to(at)): path.read_bytes() for path in at.rglob("*") if path.is_file()}
    return asked, files


def request_of(name: str, base: str, output: str) -> EvaluationRequest:
    """The request of an input whose files lie under `base`, a folder or s3:// prefix."""
    asked = dict(files_of(name)[0])
    for role in ROLES:
        if role in asked:
            asked[role] = f"{base}/{asked[role]}"
    return EvaluationRequest(**asked, output=output)


@cache
def undisturbed(name: str, base: str, model: Path) -> Expected:
    """What an evaluation leaves that nothing disturbs: in a world of its own for s3://, or in a folder that is there."""
    if not base.startswith("s3://"):
        with tempfile.TemporaryDirectory() as output:
            return expected_of(run(request_of(name, base, output), Machine(model=model)).location or "")
    calm = World(0, model)
    calm.install()
    for file, data in files_of(name)[1].items():
        calm.put(f"{base.removeprefix('s3://b/')}/{file}", data)
    return expected_of(run(request_of(name, base, "s3://b/calm"), Machine(model=model)).location or "")

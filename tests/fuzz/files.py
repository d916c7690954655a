"""Damaged files of every format, read and evaluated as a whole: metrics and report included, with the stub encoder."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import orjson

from handler.errors import ScenescoreError
from handler.evaluation import EvaluationRequest, Machine, run
from handler.formats import FORMATS
from handler.samples import Unreadable
from tests.fuzz.damage import damage, packed
from tests.fuzz.seeds import Seed, seeds
from tests.fuzz.watch import UnhandledError, check_refusal

__all__ = ["Case", "evaluate_case", "make_case"]

ROLES = ("input", "questions", "references")
SUFFIXES = ("", "", "", "", ".json", ".jsonl", ".csv", ".tsv", ".txt")
FORMATS_ASKED = ("auto",) * 60 + (*FORMATS, "no such")
MODES = ("strict",) * 40 + ("compat", "compat:fair-forge", "compat:pope", "compat:vqa", "compat:trec_eval")

Case = tuple[dict[str, Any], dict[str, bytes]]


def make_case(chance: random.Random) -> Case:
    """A request, and its files by name, some of them damaged."""
    whole = seeds()
    seed: Seed = chance.choice(whole)
    asked, files = dict(seed.request), dict(seed.files)
    others = [data for one in whole for data in one.files.values()]
    victim = chance.choice(list(files))
    files[victim] = damage(chance, files[victim], others)
    if chance.random() < 0.1:
        files[victim] = damage(chance, files[victim], others)
    if chance.random() < 0.03:
        files[victim] = packed(chance, files[victim])
    role = chance.choice([role for role in ROLES if role in asked])
    renamed = asked[role] + chance.choice(SUFFIXES)
    files[renamed], asked[role] = files[asked[role]], renamed
    asked |= {
        "max_error_rate": chance.choice((0.0, 1.0, 1.0)),
        "on_missing": chance.choice(("error", "skip")),
        "format": chance.choice(FORMATS_ASKED),
        "mode": chance.choice(MODES),
    }
    if chance.random() < 0.05:
        asked["encoding"] = chance.choice(("latin-1", "utf-16", "cp1252", "utf-8", "no such"))
    if chance.random() < 0.1:
        asked["group_by"] = [chance.choice(("odd", "camera", "session_id", "\0", "language"))]
    return asked, files


def evaluate_case(case: Case, folder: Path, model: Path) -> str:
    """ "scored" or "refused". Raises UnhandledError, or whatever else the product let through."""
    asked, files = dict(case[0]), case[1]
    for name, data in files.items():
        (folder / name).write_bytes(data)
    try:
        for role in ROLES:
            if role in asked:
                asked[role] = str(folder / asked[role])
        report = run(EvaluationRequest.parse(asked), Machine(model=model, threads=1))
    except ScenescoreError as error:
        check_refusal(error)
        return "refused"
    finally:
        for name in files:
            (folder / name).unlink()
    _check_report(report, report.samples, report.errors)
    return "scored"


def _check_report(report: Any, rows: Any, errors: list[Any]) -> None:
    """Plain JSON without NaN that counts what it should."""
    json.dumps([dict(report), list(rows)], allow_nan=False)
    orjson.dumps(dict(report), default=_no)
    counts = report["counts"]
    if counts["n_samples"] != len(rows) or counts["n_unreadable"] != len(errors):
        raise UnhandledError(f"{counts} for {len(rows)} rows and {len(errors)} errors")
    for name, metric in report["metrics"].items():
        found = metric["overall"]
        if found["n_samples"] != found["n_scored"] + found["n_skipped"] + found["n_error"]:
            raise UnhandledError(f"{name}: {found}")
    for error in errors:
        reason = error.reason if isinstance(error, Unreadable) else error["reason"]
        if not reason.isprintable():
            raise UnhandledError(f"errors.jsonl holds {reason!r}")


def _no(value: Any) -> Any:
    raise UnhandledError(f"a report holds {type(value).__name__}")

"""What a task is told: by the environment in AWS Batch, by arguments elsewhere."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

from handler.detection import BUDGET
from handler.errors import RequestError
from handler.evaluation import EvaluationRequest, Machine
from handler.jobs import Job, detections_of, job_of_batch
from handler.models.dense import PROVIDERS
from handler.settings import Settings

__all__ = ["Task", "parse_arguments"]

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Task:
    """job: the evaluation that a Lambda function submitted, None where a person started the task.

    index, size: the share. budget: bytes of decoded frames that may wait. is_last_attempt: of those that Batch makes.
    """

    verb: Literal["detect", "reduce"]
    request: EvaluationRequest
    machine: Machine
    settings: Settings
    index: int
    size: int
    budget: int = BUDGET
    job: Job | None = None
    is_last_attempt: bool = False


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RequestError(message, hint=f"See `{self.prog} --help`")


def parse_arguments(argv: Sequence[str]) -> Task:
    """The task. Raises RequestError, SettingsError, and StorageError where the job cannot be fetched."""
    verb: Literal["detect", "reduce"] = "reduce" if argv and argv[0] == "reduce" else "detect"
    options = _parser().parse_args(argv[1:] if argv and argv[0] == verb else argv)
    settings = Settings.from_environment()
    index = _number("AWS_BATCH_JOB_ARRAY_INDEX", options.index, 0)
    size = _number("SCENESCORE_ARRAY_SIZE", options.size, _number("AWS_BATCH_JOB_ARRAY_SIZE", None, 1))
    parked = os.environ.get("SCENESCORE_JOB")
    job = job_of_batch(parked, settings) if parked else None
    request = job.request if job else _request(options, settings)
    if request.detections is None:
        place = options.detections or detections_of(request.output or settings.output)
        request = request.model_copy(update={"detections": place})
    machine = Machine(
        detector=options.detector,
        provider=options.provider,
        threads=options.threads,
        force=options.force,
        sequencer=job.sequencer if job else None,
    )
    attempt, most = _number("AWS_BATCH_JOB_ATTEMPT", None, 1), _number("SCENESCORE_MAX_ATTEMPTS", None, 1)
    return Task(
        verb,
        request,
        machine,
        settings,
        index,
        size,
        options.budget * MEBIBYTE,
        job,
        is_last_attempt=attempt >= most,
    )


def _request(options: argparse.Namespace, settings: Settings) -> EvaluationRequest:
    manifest = options.manifest or os.environ.get("SCENESCORE_MANIFEST")
    if not manifest:
        raise RequestError("there is no manifest", field="manifest", hint="Name one, or set SCENESCORE_MANIFEST")
    return EvaluationRequest.parse(
        {
            "input": manifest,
            "questions": options.questions,
            "output": options.output or settings.output,
            "metrics": options.metrics.split(",") if options.metrics else None,
            "mode": options.mode,
            "group_by": options.group_by,
        }
    )


def _number(variable: str, given: int | None, default: int) -> int:
    text = os.environ.get(variable)
    if given is not None or not text:
        return default if given is None else given
    if not text.isascii() or not text.isdigit():
        raise RequestError(f"{variable} is {text!r}, not a whole number", field=variable)
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m handler.batch_task",
        usage="%(prog)s [detect|reduce] [MANIFEST] [options]",
        description="Look at a share of the videos of a manifest, or write the report when all shares are done.",
    )
    add = parser.add_argument
    add("manifest", nargs="?", metavar="MANIFEST", help="manifest, folder or prefix of videos (SCENESCORE_MANIFEST)")
    add("--questions", metavar="F", help="VBench's full-info file, for a folder of videos")
    add("--output", metavar="DIR", help="where result folders go (SCENESCORE_OUTPUT)")
    add("--detections", metavar="DIR", help="where detections files are and go (OUTPUT/_detections)")
    add("--detector", type=Path, metavar="DIR", help="folder of an exported GRiT (SCENESCORE_DETECTOR)")
    add("--index", type=int, metavar="N", help="this share, from 0 (AWS_BATCH_JOB_ARRAY_INDEX)")
    add("--size", type=int, metavar="N", help="how many shares there are (SCENESCORE_ARRAY_SIZE, else 1)")
    add("--metrics", metavar="a,b", help="metric names or groups (vbench)")
    add("--mode", default="strict", help="strict, or compat:TOOL (strict)")
    add("--group-by", action="append", default=[], metavar="TAG", help="also summarise by a tag or column; repeatable")
    add("--provider", choices=PROVIDERS, default="auto", help="cpu, cuda, or what is there (auto)")
    add("--threads", type=int, metavar="N", help="cores to use (all this process may use)")
    add("--budget", type=int, metavar="MB", default=BUDGET // MEBIBYTE, help="of decoded frames that may wait (512)")
    add("--force", action="store_true", help="do it though the report stands")
    return parser

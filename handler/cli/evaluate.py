"""`scenescore evaluate`: score a file and say what is wrong with it."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from handler.cli._ci import add_files, add_gates, check, gates_of
from handler.cli._model import model_folder
from handler.cli._options import (
    add_reading,
    assignment,
    check_threads,
    content_of,
    local_input,
    mapping,
    print_json,
    reading_words,
)
from handler.errors import RequestError, one_line
from handler.evaluation import EvaluationRequest, Machine, needs_text_encoder, reads_videos
from handler.evaluation import run as evaluate
from handler.models.dense import PROVIDERS
from handler.reports import Report, ResultFolder, dump_json, render
from handler.settings import DEFAULT_DETECTIONS, DEFAULT_MAX_ERROR_RATE, DEFAULT_THRESHOLD, PRECISIONS, Settings

__all__ = ["add_arguments", "run"]

CLAIMS = "vision.claims"
TEXTS = ("judge.agreement.rubric", "agreement.rubric")
"""Options that are texts, for which a file may be named."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add(
        "input",
        metavar="INPUT",
        help="JSON, JSON Lines, CSV or TSV, plain or gzip: a path, a folder, an s3:// uri or prefix, or - for stdin",
    )
    add("--output", metavar="DIR", help="where result folders go, a path or s3:// prefix (./scenescore-results)")
    add(
        "--metrics",
        action="append",
        metavar="a,b",
        help="metric names or groups, e.g. vision.similarity or vision (fitting the file); repeatable",
    )
    add(
        "--threshold",
        type=float,
        metavar="X",
        default=DEFAULT_THRESHOLD,
        help="similarity below which a frame counts (0.75)",
    )
    add(
        "--mode",
        default="strict",
        help="strict, or compat:TOOL to reproduce an original, e.g. compat:fair-forge (strict)",
    )
    add("--option", action="append", default=[], metavar="METRIC.KEY=VALUE", help="an option of one metric; repeatable")
    add_reading(parser)
    add("--on-missing", choices=["error", "skip"], default="error", help="a missing answer or reference (error)")
    add(
        "--max-error-rate",
        type=float,
        metavar="X",
        default=DEFAULT_MAX_ERROR_RATE,
        help="unreadable share to go on with, 0..1 (0.01)",
    )
    add(
        "--group-by",
        action="append",
        default=[],
        metavar="TAG",
        help="also summarise by a tag, column or field; repeatable",
    )
    add("--calibration", metavar="F", help="calibration.json whose threshold to use, see `scenescore calibrate`")
    add("--limit", type=int, metavar="N", help="score only the first N frames")
    add("--model", type=Path, metavar="DIR", help="folder of an exported text encoder (SCENESCORE_MODEL)")
    add("--clip", type=Path, metavar="DIR", help="folder of an exported CLIP, for captions.clipscore (SCENESCORE_CLIP)")
    add("--detector", type=Path, metavar="DIR", help="folder of an exported GRiT, for videos (SCENESCORE_DETECTOR)")
    add("--detections", metavar="DIR", help=f"where detections of videos are and go ({DEFAULT_DETECTIONS})")
    add("--provider", choices=PROVIDERS, default="auto", help="what the detector runs on: cpu, cuda, or what is there")
    add("--precision", choices=PRECISIONS, help="int8: 2.5 times as fast, scores within 0.015 (fp32)")
    add("--threads", type=int, metavar="N", help="cores to use (all this process may use)")
    add("--shards", type=int, metavar="N", help="score in N parts, side by side in processes (one, in this process)")
    add("--resume", action="store_true", help="go on from what a run that was killed left; without it, start over")
    add(
        "--cache",
        metavar="DIR",
        help="keep vectors of texts in a folder or s3:// prefix between runs (SCENESCORE_CACHE)",
    )
    add("--force", action="store_true", help="score again though a finished result exists")
    add("--dry-run", action="store_true", help="say what a run would take in time and money, and score nothing")
    add_gates(parser)
    add_files(parser)
    add("--json", action="store_true", help="print report.json on stdout and nothing else")


def run(options: argparse.Namespace) -> int:
    """Evaluate and print."""
    with local_input(options.input) as source:
        return _evaluate(options, source)


def _request(options: argparse.Namespace, source: str) -> EvaluationRequest:
    return EvaluationRequest.parse(
        {
            "input": source,
            "questions": options.questions,
            "references": options.references,
            "detections": options.detections,
            "output": options.output or Settings.from_environment().output,
            "metrics": ",".join(options.metrics).split(",") if options.metrics else None,
            "threshold": options.threshold,
            "mode": options.mode,
            "options": _metric_options(options.option),
            "format": options.format,
            "map": mapping(options.map),
            "encoding": options.encoding,
            "on_missing": options.on_missing,
            "max_error_rate": options.max_error_rate,
            "group_by": [by for one in options.group_by for by in one.split(",")],
            "limit": options.limit,
            "calibration": options.calibration,
            **({"precision": options.precision} if options.precision else {}),
        }
    )


def _evaluate(options: argparse.Namespace, source: str) -> int:
    request = _request(options, source)
    check_threads(options)
    gates = gates_of(options, request.group_by)
    folder = model_folder(options.model, request.precision) if needs_text_encoder(request) else options.model
    request = _with_detections(request, options)
    if options.dry_run:
        machine = Machine(model=folder, clip=options.clip, threads=options.threads)
        return _dry_run(request, machine, as_json=options.json)
    with _progress() as on_progress:
        machine = Machine(
            model=folder,
            clip=options.clip,
            detector=options.detector,
            provider=options.provider,
            threads=options.threads,
            force=options.force,
            on_progress=on_progress,
            resume=options.resume,
            shards=options.shards,
            cache=options.cache,
        )
        report = _scored(request, machine)
    if options.json:
        print_json(dump_json(dict(report)))
        return check(options, gates, report)
    print(render(report))
    done = " (already done; --force scores again)" if report.already_done else ""
    location = one_line(report.location or "")
    print(f"\nResults: {location}{done}\nPage:    {location}/report.html")
    if any(metric["overall"]["n_scored"] for metric in report["metrics"].values()):
        if why := _why(report, options):
            print(f"Why:     {why}")
        print(f"Next:    {_next_step(report, options)}")
    return check(options, gates, report)


def _why(report: Report, options: argparse.Namespace) -> str | None:
    """How to see which words are wrong, where descriptions were compared as wholes."""
    if "vision.similarity" not in report["metrics"] or CLAIMS in report["metrics"] or options.mode != "strict":
        return None
    words = ["scenescore", "evaluate", options.input, *reading_words(options), "--metrics", CLAIMS]
    return f"{shlex.join(words)}   (which words contradict what people saw)"


def _next_step(report: Report, options: argparse.Namespace) -> str:
    location = report.location or ""
    sessions = [one for metric in report["metrics"].values() for one in metric["sessions"]]
    if len({one["assistant_id"] for one in sessions}) > 1:
        words = ["scenescore", "compare", location, "--by", "assistant_id"]
        words += ["--on", "prompt"] if all(name.startswith("vbench.") for name in report["metrics"]) else []
        return f"{shlex.join(words)}   (which of the assistants is better)"
    if not {"vision.hallucination", CLAIMS} & set(report["metrics"]) or "calibration" in report:
        return f"{shlex.join(['scenescore', 'compare', location, 'OTHER_RESULT'])}   (other results of the same input)"
    words = ["scenescore", "calibrate", options.input, *reading_words(options)]
    if CLAIMS in report["metrics"]:
        words += ["--metrics", ",".join(name for name in report["metrics"] if name != "vision.hallucination")]
    if options.input == "-":
        words[2:] = [location]
    if "human_verdict" in next(iter(ResultFolder(location).samples()), {}).get("columns", {}):
        return f"{shlex.join(words)}   (the threshold that its verdicts support)"
    return f"{shlex.join([*words, '--suggest', '200'])}   (which frames a person should judge, for a threshold of your own)"


def _scored(request: EvaluationRequest, machine: Machine) -> Report:
    if machine.shards is None and not machine.resume:
        return evaluate(request, machine)
    from handler.evaluation import run_shards

    return run_shards(request, machine)


def _with_detections(request: EvaluationRequest, options: argparse.Namespace) -> EvaluationRequest:
    """Detections of videos go into a folder of their own unless they are said to lie elsewhere."""
    if request.detections is not None or not reads_videos(request):
        return request
    if options.detector is None and not Path(DEFAULT_DETECTIONS).is_dir():
        return request
    return request.model_copy(update={"detections": DEFAULT_DETECTIONS})


def _dry_run(request: EvaluationRequest, machine: Machine, *, as_json: bool) -> int:
    from handler.evaluation import estimate

    found = estimate(request, machine)
    if as_json:
        print_json(dump_json(asdict(found)))
    else:
        print("\n".join(found.lines()))
    return 0


def _metric_options(given: list[str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for one in given:
        name, value = assignment(one, "--option")
        metric, dot, key = name.rpartition(".")
        if not dot:
            raise RequestError(f"--option {one!r} names no metric", field="option", hint="Write METRIC.KEY=VALUE")
        found.setdefault(metric, {})[key] = content_of(value) if name in TEXTS else _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


@contextmanager
def _progress() -> Iterator[Callable[[int], object] | None]:
    """A bar on a terminal; nothing in a pipe or a log."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(unit=" frames", leave=False, desc="scoring") as bar:
        yield bar.update

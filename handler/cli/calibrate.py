"""`scenescore calibrate`: the threshold that people's verdicts support, and which frames they should look at next."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from handler.cli._model import model_folder
from handler.cli._options import add_reading, assignment, check_threads, local_input, mapping, print_json
from handler.counting import many
from handler.decisions import AIMS, Probability, render_calibration
from handler.evaluation import (
    DEFAULT_METRICS,
    CalibrationRequest,
    Machine,
    is_finished,
    needs_text_encoder,
    run_calibration,
    run_suggestion,
)
from handler.reports import dump_json
from handler.samples import Sample
from handler.settings import DEFAULT_MAX_ERROR_RATE, DEFAULT_THRESHOLD, PRECISIONS

__all__ = ["add_arguments", "run"]

LABELLING = (
    '<View>{asked}<Text name="answer" value="$answer"/><Text name="reference" value="$reference"/>'
    '<Choices name="human_verdict" toName="answer"><Choice value="same"/><Choice value="different"/></Choices></View>'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add(
        "input",
        metavar="INPUT",
        help="frames with a verdict by a person (column human_verdict), or a result (the folder above it: the newest)",
    )
    add("--verdict", metavar="COLUMN", help="the column with verdicts (human_verdict)")
    add("--word", action="append", default=[], metavar="WORD=same|different", help="what a word means; repeatable")
    add("--same-from", type=float, metavar="X", help="verdicts are grades: X or more means same")
    add("--aim", default="balanced_accuracy", metavar="AIM", help=f"{', '.join(AIMS)}; e.g. cost:5, recall:0.95")
    add("--held-out", type=float, default=0.5, metavar="SHARE", help="share of frames that tests the threshold (0.5)")
    add("--split-by", default="session_id", metavar="FIELD", help="what must stay on one side (session_id)")
    add("--seed", type=int, default=0, metavar="N", help="of the split (0)")
    add("--probability", choices=get_args(Probability), default="auto", help="curve to a probability (auto)")
    add("--group-by", action="append", default=[], metavar="TAG", help="also give figures by this; repeatable")
    add("--suggest", type=int, metavar="N", help="instead, name N frames to label next")
    add("--calibration", metavar="F", help="with --suggest: where the threshold is known already")
    add("--output", metavar="FILE", help="calibration.json; with --suggest to-label.csv, or .json for Label Studio")
    add("--metrics", metavar="a,b", help="metric names or groups (fitting the file)")
    add("--mode", default="strict", help="strict, or compat:TOOL (strict)")
    add_reading(parser)
    add("--on-missing", choices=["error", "skip"], default="error", help="a missing answer or reference (error)")
    add(
        "--max-error-rate",
        type=float,
        metavar="X",
        default=DEFAULT_MAX_ERROR_RATE,
        help="unreadable share to go on with (0.01)",
    )
    add(
        "--threshold",
        type=float,
        metavar="X",
        default=DEFAULT_THRESHOLD,
        help="with --suggest and no verdicts: near what (0.75)",
    )
    add("--model", type=Path, metavar="DIR", help="folder of an exported text encoder (SCENESCORE_MODEL)")
    add("--precision", choices=PRECISIONS, help="of the text encoder; scores of int8 are within 0.015 (fp32)")
    add("--threads", type=int, metavar="N", help="cores to use (all this process may use)")
    add("--json", action="store_true", help="print calibration.json on stdout and nothing else")


def run(options: argparse.Namespace) -> int:
    """Calibrate, or suggest."""
    check_threads(options)
    with local_input(options.input) as source:
        request = CalibrationRequest.parse(_request(options, source))
        machine = Machine(model=_model(options, request), threads=options.threads)
        return (
            _suggest(request, machine, options)
            if options.suggest is not None
            else _calibrate(request, machine, options)
        )


def _request(options: argparse.Namespace, source: str) -> dict[str, Any]:
    names = ("verdict", "same_from", "aim", "held_out", "split_by", "seed", "probability", "suggest", "calibration")
    reading = ("questions", "references", "format", "encoding", "on_missing", "max_error_rate", "mode", "threshold")
    default = "calibration.json" if options.suggest is None else "to-label.csv"
    return {
        **{name: getattr(options, name) for name in (*names, *reading)},
        "input": source,
        "words": dict(assignment(one, "--word") for one in options.word),
        "map": mapping(options.map),
        "metrics": options.metrics.split(",") if options.metrics is not None else None,
        "group_by": [by for one in options.group_by for by in one.split(",")],
        "output": options.output or (None if options.json else default),
        **({"precision": options.precision} if options.precision else {}),
    }


def _model(options: argparse.Namespace, request: CalibrationRequest) -> Path | None:
    """The model's folder where frames have to be scored; a finished result needs none."""
    if is_finished(request.input):
        return None
    return model_folder(options.model, request.precision) if needs_text_encoder(request) else options.model


def _calibrate(request: CalibrationRequest, machine: Machine, options: argparse.Namespace) -> int:
    document = run_calibration(request, machine)
    if options.json:
        print_json(dump_json(document))
        return 0
    print(render_calibration(document))
    print(f"\nWritten: {request.output}")
    found = {name: entry for name, entry in document["metrics"].items() if entry["threshold"] is not None}
    if not found:
        print("Next: label more frames; there is no threshold to evaluate with")
        return 0
    taken = {*found, *(name for entry in found.values() for name in entry["sets"])}
    named = "" if taken == set(DEFAULT_METRICS[Sample]) else f" --metrics {','.join(sorted(taken))}"
    if not document["calibrated"]:
        own = f" --metrics {options.metrics}" if options.metrics else ""
        print(f"Next: scenescore calibrate INPUT{own} --suggest 100   (frames worth a verdict, until it is calibrated)")
    print(f"Next: scenescore evaluate INPUT{named} --calibration {request.output}")
    return 0


def _suggest(request: CalibrationRequest, machine: Machine, options: argparse.Namespace) -> int:
    entries = run_suggestion(request, machine)
    if options.json:
        print_json(dump_json({"frames": entries}))
        return 0
    print(f"{request.output}: {many(len(entries), 'frame')} to label")
    for why in dict.fromkeys(entry["why"] for entry in entries):
        print(f"  {sum(entry['why'] == why for entry in entries):5d}  {why}")
    if not any("answer" in entry for entry in entries):
        print("Results keep no texts, so the file has ids only: name the input itself to have what a person must read")
        return 0
    print("Scores and reasons stay out of the file, so that the verdicts are independent of them; --json prints them")
    if str(request.output).endswith(".json"):
        asked = '<Text name="question" value="$question"/>' if all("question" in entry for entry in entries) else ""
        print(f"In Label Studio import it with the labelling interface\n  {LABELLING.format(asked=asked)}")
    else:
        named = f" --metrics {options.metrics}" if options.metrics else ""
        print(
            f"Fill in the column human_verdict (same or different), then: scenescore calibrate {request.output}{named}"
        )
        print("What was labelled before counts again when it lies in one folder with this: scenescore calibrate FOLDER")
    return 0

"""What continuous integration asks of a verb: limits, and files that it reads."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from handler import storage
from handler.decisions.gates import Gate, GateOn, GateResult, check_gates, parse_gate, render_gates
from handler.errors import RequestError

if TYPE_CHECKING:
    from handler.decisions.checks import Check

__all__ = ["add_files", "add_gates", "check", "gates_of", "write_junit", "write_markdown"]


def add_gates(parser: argparse.ArgumentParser) -> None:
    """--fail-if and how it counts."""
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="EXPR",
        help="exit 1 when this holds, e.g. 'vision.hallucination.hallucination_rate>0.10' or '…[camera=7]>10%%'; repeatable",
    )
    parser.add_argument(
        "--gate-on",
        choices=get_args(GateOn),
        default="sure",
        help="fail when the whole interval lies beyond the limit, when the figure does, or when any of the interval does "
        "(sure)",
    )


def add_files(parser: argparse.ArgumentParser) -> None:
    """--junit and --markdown."""
    parser.add_argument(
        "--junit", metavar="FILE", help="also write JUnit XML, a test case per check: a path or s3:// uri"
    )
    parser.add_argument("--markdown", metavar="FILE", help="also write Markdown; $GITHUB_STEP_SUMMARY is appended to")


def gates_of(options: argparse.Namespace, group_by: Sequence[str]) -> list[Gate]:
    """The gates, read before anything is scored. Raises RequestError, also for a tag that the report will not have."""
    gates = [parse_gate(one) for one in options.fail_if]
    for gate in gates:
        if gate.by is not None and gate.by not in (*group_by, "session_id"):
            raise RequestError(
                f"the gate {gate} needs summaries by {gate.by!r}", field="fail_if", hint=f"Add --group-by {gate.by}"
            )
    if options.junit and not gates:
        raise RequestError("--junit has no checks to write", field="junit", hint="Add --fail-if EXPR")
    return gates


def check(options: argparse.Namespace, gates: Sequence[Gate], report: Mapping[str, Any]) -> int:
    """Hold the gates, print what became of them, write the files. Returns the exit code. Raises RequestError."""
    results: list[GateResult] = check_gates(report, gates, gate_on=options.gate_on)
    checks = [one.check() for one in results]
    if gates:
        text = render_gates(results, options.gate_on)
        print(text if options.json else f"\n{text}", file=sys.stderr if options.json else sys.stdout)
    if options.junit:
        write_junit(options.junit, "scenescore gates", checks)
    if options.markdown:
        from handler.decisions.checks import checks_markdown
        from handler.reports.page import markdown

        table = checks_markdown("scenescore gates", checks) + "\n" if gates else ""
        write_markdown(options.markdown, table + markdown(report))
    return 1 if any(one.outcome == "failed" for one in results) else 0


def write_junit(location: str, suite: str, checks: Sequence[Check]) -> None:
    """Write the file."""
    from handler.decisions.checks import junit

    storage.write_bytes(location, junit(suite, checks))


def write_markdown(location: str, text: str) -> None:
    """Write the file, or go on with it where it is the job summary that other steps' commands share."""
    data = text.encode(errors="backslashreplace")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and os.path.abspath(location) == os.path.abspath(summary):
        with Path(location).open("ab") as stream:
            stream.write(data)
    else:
        storage.write_bytes(location, data)

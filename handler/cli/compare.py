"""`scenescore compare`: two or more results on the same samples, without scoring anything again."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from handler import storage
from handler.cli._ci import add_files, write_junit, write_markdown
from handler.cli._options import print_json
from handler.decisions.comparison import (
    COMPARISON,
    Comparison,
    checks_of,
    compare,
    comparison_markdown,
    render_comparison,
)
from handler.errors import one_line
from handler.reports import dump_json
from handler.settings import Settings

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add(
        "runs",
        nargs="+",
        metavar="RESULT",
        help="result folders, the first the baseline: a path or s3:// uri; the folder above stands for its newest result",
    )
    add("--by", metavar="FIELD", help="part one result by this field, e.g. assistant_id, and compare its parts")
    add("--baseline", metavar="VALUE", help="with --by: the value to compare with (the first in the file)")
    add("--on", metavar="a,b", help="what the same samples have in common "
        "(session_id,sample_id; sample_id where sessions are named after the input files)")  # fmt: skip
    add(
        "--metrics", metavar="a,b", help="metrics or groups, or a figure of rankings: retrieval.ranking.recall@10 (all)"
    )
    add(
        "--group-by",
        action="append",
        default=[],
        metavar="TAG",
        help="tags or columns to look for differences in; repeatable "
        "(tags, the groups of the baseline, assistants with 2 to 50 values)",
    )
    add("--cluster-by", default="session_id", metavar="FIELD", help="what is independent of each other (session_id)")
    add("--tolerance", type=float, default=0.0, metavar="X", help="a drop up to this size is no regression (0)")
    add("--output", metavar="DIR", help="where comparisons/<hash>/comparison.json goes (./scenescore-results)")
    add("--fail-on-regression", action="store_true", help="exit 1 when a figure got worse, overall or in a slice")
    add_files(parser)
    add("--json", action="store_true", help="print comparison.json on stdout and nothing else")


def run(options: argparse.Namespace) -> int:
    """Compare and print."""
    found = compare(
        *options.runs,
        by=options.by,
        baseline=options.baseline,
        on=_words([options.on]) if options.on else None,
        cluster_by=options.cluster_by,
        group_by=_words(options.group_by),
        metrics=_words([options.metrics]) if options.metrics else None,
        tolerance=options.tolerance,
        output=options.output or Settings.from_environment().output,
    )
    if options.json:
        print_json(dump_json(dict(found)))
    else:
        print(render_comparison(found))
        place = one_line(storage.join(found.location or "", COMPARISON))
        print(f"\nComparison: {place}\nAs a page: scenescore report {place}")
    _write(options, found)
    return 1 if options.fail_on_regression and found.regressed else 0


def _write(options: argparse.Namespace, found: Comparison) -> None:
    if options.junit:
        write_junit(options.junit, "scenescore compare", checks_of(found))
    if options.markdown:
        write_markdown(options.markdown, comparison_markdown(found))


def _words(given: Sequence[str]) -> list[str]:
    return [word.strip() for one in given for word in one.split(",") if word.strip()]

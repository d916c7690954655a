"""`scenescore metrics`: what can be measured, and what each metric needs."""

from __future__ import annotations

import argparse

from handler.cli._options import print_json
from handler.metrics import describe, list_metrics, metric_class
from handler.reports import dump_json

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("--json", action="store_true", help="print a JSON document")


def run(options: argparse.Namespace) -> int:
    """List the metrics."""
    found = [describe(metric_class(name)) for name in list_metrics()]
    if options.json:
        print_json(dump_json({"metrics": found}))
        return 0
    for one in found:
        low, high = ("…" if bound is None else f"{bound:g}" for bound in one["range"])
        direction = "higher is better" if one["higher_is_better"] else "lower is better"
        print(f"{one['name']}  (version {one['version']})\n    {one['title']}\n    {low} to {high}, {direction}")
        needs = [*(["a reference"] if one["requires_reference"] else []), *one["models"], *one["dependencies"]]
        needs += ["detections of the videos (--detector or --detections)"] if one["needs_gpu"] else []
        print(f"    needs: {', '.join(needs) or 'nothing else'}")
        if one["ancestors"]:
            print(f"    modes: strict, {', '.join(f'compat:{tool}' for tool in one['ancestors'])}")
        for key, text in one["options"].items():
            print(f"    option {key}: {text}")
    print("\nA mode is asked for with --mode MODE, an option with --option METRIC.KEY=VALUE")
    return 0

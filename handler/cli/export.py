"""`scenescore export`: hand over to the build-time package in a process of its own."""

from __future__ import annotations

import argparse

from handler.cli._model import export

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Everything after the verb belongs to `python -m model_export`."""
    parser.add_argument(
        "arguments",
        nargs=argparse.REMAINDER,
        metavar="MODEL ...",
        help="mpnet, text-encoder, clip or grit, and its options: `scenescore export MODEL --help`",
    )


def run(options: argparse.Namespace) -> int:
    """Run the export and pass its exit code on."""
    return export(options.arguments or ["--help"])

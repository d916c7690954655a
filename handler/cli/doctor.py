"""`scenescore doctor`: what a metric can and cannot see in your own references."""

from __future__ import annotations

import argparse
from pathlib import Path

from handler import storage
from handler.cli._model import model_folder
from handler.cli._options import add_reading, check_threads, local_input, mapping, print_json
from handler.counting import many
from handler.doctor import DEFAULT_LIMIT, DEFAULT_METRICS, check_output, examine_file, render_examination, write_pairs
from handler.formats import ReadOptions
from handler.metrics import metric_class, select_metrics
from handler.reports import dump_json

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The verb's options."""
    add = parser.add_argument
    add("input", metavar="FILE", help="a file or folder with references, or .txt with one a line")
    add("--metrics", metavar="a,b", help=f"metric names or groups ({','.join(DEFAULT_METRICS)})")
    add("--limit", type=int, default=DEFAULT_LIMIT, metavar="N", help=f"references to draw ({DEFAULT_LIMIT})")
    add("--seed", type=int, default=0, metavar="N", help="of the draw and of the pairs (0)")
    add("--output", metavar="FILE", help="write the made pairs to check: .csv or .jsonl, a path or s3://")
    add_reading(parser)
    add("--model", type=Path, metavar="DIR", help="folder of an exported text encoder (SCENESCORE_MODEL)")
    add("--threads", type=int, metavar="N", help="cores to use (all this process may use)")
    add("--json", action="store_true", help="print a JSON document on stdout and nothing else")


def run(options: argparse.Namespace) -> int:
    """Examine the metrics, print what they see."""
    check_threads(options)
    output = check_output(options.output) if options.output else None
    names = select_metrics(options.metrics.split(",") if options.metrics is not None else DEFAULT_METRICS)
    needs_encoder = any("text_encoder" in metric_class(name).models for name in names)
    with local_input(options.input) as source:
        found = examine_file(
            source,
            options=ReadOptions(
                format=options.format,
                mapping=mapping(options.map),
                encoding=options.encoding,
                on_missing="skip",
                questions=options.questions,
                references=options.references,
            ),
            metrics=names,
            limit=options.limit,
            seed=options.seed,
            model=model_folder(options.model) if needs_encoder else None,
            threads=options.threads,
        )
    made = _new_folder(output) if output else ""
    if output:
        write_pairs(output, found.pairs)
    if options.json:
        print_json(dump_json(found.document))
        return 0
    print(render_examination(found.document))
    if output:
        print(f"\nWritten: {output} ({many(len(found.pairs), 'pair')} to check{made})")
    return 0


def _new_folder(output: str) -> str:
    """What to say of a local folder that is about to be made."""
    folder = Path(output).parent
    return "" if storage.is_remote(output) or folder.is_dir() else f"; the folder {folder} is new"

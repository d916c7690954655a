"""`python -m tests.bench --output build/bench.json`: this product beside fair-forge, sentence-transformers, pycocoevalcap.

All read the same files with the same number of threads, held to as many cores; contenders take turns, so a slow minute
of the machine hits all of them. Peers that are not installed are skipped and said so. `python -m tests.bench.table`
prints the document as Markdown.
"""

from __future__ import annotations

import argparse
import compileall
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from handler.settings import available_threads
from tests.bench import captions, claims, cold_start, comparison, encoding, frames, start
from tests.bench.contenders import COMPACT, FP32, Job, contenders, encoder_folders
from tests.bench.machine import machine
from tests.bench.pairs import write_pairs, write_texts

PARTS = ("pairs", "repeated", "start", "claims", "encoder", "tiers", "growth", "frames", "lambda", "captions")
REPEATED = 10  # times that each pair of the repeated file comes: 90 % of its texts are known


def main() -> None:
    """Measure, print a table, write a JSON document."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--output", type=Path, default=Path("build/bench.json"))
    parser.add_argument("--rounds", type=int, default=3, help="alternations of each comparison (3)")
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="one round of small files: whether it runs, not how fast")
    options = parser.parse_args()
    began, at_start, results = time.time(), machine(), []
    compileall.compile_dir("handler", quiet=2)  # as an installed package is: the peers are
    with tempfile.TemporaryDirectory() as folder:
        for result, lines in _results(Path(folder), options):
            results.append(result)
            print("\n".join(lines), flush=True)
            print(f"  [{time.time() - began:.0f} s]", file=sys.stderr, flush=True)
    document = {"machine": at_start, "argv": sys.argv[1:], "seconds": time.time() - began, "results": results}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(document, indent=2) + "\n")


def _results(folder: Path, options: argparse.Namespace) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Each result with its lines for a person, as they come."""
    only, rounds = options.only.split(","), 1 if options.quick else options.rounds
    n_pairs, n_frames = (10, 20) if options.quick else (200, 1500)
    threads, all_threads = sorted({1, available_threads()}), available_threads()
    who = contenders(folder) if set(only) & {"pairs", "repeated", "start", "tiers", "growth"} else []
    if "pairs" in only:
        source = folder / "pairs.json"
        write_pairs(source, n_pairs)
        for n in threads:
            name = f"{n_pairs} distinct pairs, both metrics"
            job = Job(source, folder / "pairs", n)
            result = comparison.compare(name, who, job, rounds, pairs=n_pairs)
            yield result, comparison.lines(result)
    if "repeated" in only:
        source = folder / "repeated.json"
        write_pairs(source, n_frames // REPEATED, repeated=REPEATED)
        job = Job(source, folder / "repeated", all_threads)
        result = comparison.compare(f"{n_frames} pairs, 90 % repeated, both metrics", who, job, 1, repeated=n_frames)
        yield result, comparison.lines(result)
    if "start" in only:
        result = start.start(who, folder, all_threads, 1 if options.quick else max(rounds, 5))
        yield result, start.lines(result)
    if "claims" in only:
        for n in threads:
            result = claims.beside_similarity(folder, 2 * n_pairs, n, rounds)
            yield result, claims.lines(result)
    if "encoder" in only:
        for n in threads:
            result = encoding.fractions(encoder_folders(), n, rounds)
            yield result, encoding.lines(result)
    if "tiers" in only:
        source = folder / "tiers.json"
        write_texts(source, 2 * 5 * n_pairs)  # long enough for starting to weigh little
        both = [one for one in who if one.name in (FP32, COMPACT)]
        for n in threads:
            name = f"{5 * n_pairs:,} distinct pairs, int8 against fp32"
            job = Job(source, folder / "tiers", n)
            result = {**comparison.compare(name, both, job, rounds, against=FP32), "kind": "tiers"}
            yield result, comparison.lines(result)
    if "growth" in only and not options.quick:
        result = encoding.growth(who, folder, all_threads, 1)
        yield result, encoding.growth_lines(result)
    if "frames" in only:
        result = frames.many_frames(folder, (20_000,) if options.quick else (100_000, 300_000), rounds)
        yield result, frames.lines(result)
    if "lambda" in only:
        result = cold_start.first_reply(folder, rounds)
        yield result, cold_start.lines(result)
    if "captions" in only:
        result = captions.against_java(folder, rounds)
        yield result, captions.lines(result)


if __name__ == "__main__":
    main()

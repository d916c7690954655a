"""`python -m tests.bench --output build/bench.json`: this product beside sentence-transformers and pycocoevalcap.

Both read the same file of distinct caption pairs, score every pair with both vision metrics and write what they found.
The original encodes pair by pair, once per metric. Rounds alternate, so a slow minute of the machine hits both sides.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from handler.settings import available_threads
from tests.bench import captions, cold_start, measures
from tests.bench.pairs import write_pairs

N_PAIRS = 240


def main() -> None:
    """Measure, print a table, write a JSON document."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--output", type=Path, default=Path("build/bench.json"))
    parser.add_argument("--rounds", type=int, default=3, help="alternations of each comparison (3)")
    options = parser.parse_args()
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        pairs, one = Path(folder, "pairs.json"), Path(folder, "one.json")
        write_pairs(pairs, N_PAIRS)
        write_pairs(one, 1)
        for threads in sorted({1, available_threads()}):
            results.append(measures.against_original(pairs, N_PAIRS, threads, options.rounds))
            print(measures.line(results[-1]), flush=True)
        results.append(measures.against_original(one, 1, available_threads(), options.rounds))
        print(measures.line(results[-1]), flush=True)
        results.append(cold_start.first_reply(Path(folder), options.rounds))
        print(cold_start.line(results[-1]), flush=True)
        results.append(captions.against_java(Path(folder), options.rounds))
        print(captions.line(results[-1]), flush=True)
        results.append(measures.many_frames(Path(folder)))
        print(measures.line(results[-1]), flush=True)
    document = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "argv": sys.argv[1:],
        "results": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(document, indent=2) + "\n")


main()

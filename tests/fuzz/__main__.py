"""`python -m tests.fuzz --lines 1000000 --events 100000 --seed 1`: damaged files and events, until so many were met.

0 unhandled exceptions and 0 hangs are exit code 0. A failure is printed with its number, and `--only NUMBER` meets it alone.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from handler.video import VideoReader
from tests.faults.local import fast_folder
from tests.faults.stub import stub_folder, use_stub
from tests.fuzz import media
from tests.fuzz.calls import Site
from tests.fuzz.files import evaluate_case, make_case
from tests.fuzz.watch import HangError, at_most

MOST_SHOWN = 10

Meet = Callable[[int, random.Random], tuple[str, int]]


def main() -> int:
    """Meet them all."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--lines", type=int, default=0, help="lines of damaged annotation files")
    parser.add_argument("--events", type=int, default=0, help="damaged events, requests and steps")
    parser.add_argument("--detections", type=int, default=0, help="damaged detections files")
    parser.add_argument(
        "--videos", type=int, default=0, help="damaged video files; a decoder may take 5 s until it is ended"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="only the file or event of this number")
    options = parser.parse_args()
    use_stub()
    failed = 0
    with tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
        model = stub_folder(Path(folder, "model"))

        def read(_: int, chance: random.Random) -> tuple[str, int]:
            case = make_case(chance)
            n = sum(data.count(b"\n") + 1 for data in case[1].values())
            return evaluate_case(case, Path(folder), model), n

        if options.lines:
            failed += _meet_all("lines", options.lines, options.seed, options.only, read)
        if options.events:
            site = Site(model)
            failed += _meet_all(
                "events", options.events, options.seed, options.only, lambda n, it: (site.meet(n, it), 1)
            )
        if options.detections:
            kept = media.keep(Path(folder))
            failed += _meet_all(
                "detections",
                options.detections,
                options.seed,
                options.only,
                lambda _, it: (media.meet_detections(it, kept), 1),
            )
        if options.videos:
            whole = media.video_seeds(Path(folder))
            with VideoReader(stall_limit=media.STALL_S) as reader:
                failed += _meet_all(
                    "videos",
                    options.videos,
                    options.seed,
                    options.only,
                    lambda _, it: (media.meet_video(it, reader, whole, Path(folder)), 1),
                )
    return int(bool(failed))


def _meet_all(what: str, wanted: int, seed: int, only: int | None, meet: Meet) -> int:
    outcomes: Counter[str] = Counter()
    n, number, slowest, started = 0, only or 0, 0.0, time.monotonic()
    while n < wanted:
        begun = time.process_time()
        try:
            with at_most():
                outcome, count = meet(number, random.Random(f"{what} {seed} {number}"))
        except (Exception, HangError) as error:
            outcome, count = "HANG" if isinstance(error, HangError) else "UNHANDLED", 1
            if outcomes["HANG"] + outcomes["UNHANDLED"] < MOST_SHOWN:
                print(f"{what} {number} of seed {seed}:\n{traceback.format_exc()[-3000:]}", flush=True)
        outcomes[outcome] += 1
        slowest = max(slowest, time.process_time() - begun)
        n, number = n + count, number + 1
        if only is not None:
            break
    bad = outcomes["HANG"] + outcomes["UNHANDLED"]
    seconds = time.monotonic() - started
    print(
        f"{n:,} {what} (seed {seed}) in {seconds:.0f} s: {outcomes['UNHANDLED']} unhandled exceptions, {outcomes['HANG']} "
        f"hangs, the slowest {slowest:.2f} s; {dict(outcomes.most_common())}",
        flush=True,
    )
    return bad


if __name__ == "__main__":
    sys.exit(main())

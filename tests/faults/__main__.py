"""`python -m tests.faults --n 10000 --seed 1`: the campaign; `--family F --only SEED` runs one run again by itself.

Each family runs in a process of its own, with the stub encoder (see `stub`). A run's seed is the campaign's first seed plus
its number. Exit code 1 when any run lost, doubled or changed anything.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.faults.catalogue import FAMILIES
from tests.faults.stub import stub_folder

MOST_SHOWN = 5  # failures of a family printed in full


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--n", type=int, default=1000, help="runs of the whole campaign (1000)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--family", choices=[*FAMILIES], help="only this one, in this process")
    parser.add_argument("--only", type=int, help="only the run with this seed")
    options = parser.parse_args()
    if options.family is None:
        return _campaign(options.n, options.seed)
    seeds = [options.only] if options.only is not None else range(options.seed, options.seed + options.n)
    return _family(options.family, seeds)


def _campaign(n: int, seed: int) -> int:
    started, codes = time.monotonic(), []
    for place, name in enumerate(FAMILIES):
        each = n // len(FAMILIES) + (place < n % len(FAMILIES))
        command = [sys.executable, "-m", "tests.faults", "--family", name, "--n", str(each), "--seed", str(seed)]
        codes.append(subprocess.run(command, check=False).returncode)
    verdict = "0 lost, 0 doubled, 0 wrong" if not any(codes) else "FAILED"
    print(f"{n} runs from seed {seed} in {time.monotonic() - started:.0f} s: {verdict}", flush=True)
    return int(any(codes))


def _family(name: str, seeds: range | list[int]) -> int:
    failed, started = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        model = stub_folder(Path(folder, "model"))
        for seed in seeds:
            try:
                FAMILIES[name](seed, model)
            except Exception:
                failed.append(seed)
                if len(failed) <= MOST_SHOWN:
                    print(f"{name}, seed {seed}:\n{traceback.format_exc()}", flush=True)
    print(f"{name}: {len(seeds)} runs in {time.monotonic() - started:.1f} s, {len(failed)} failed", flush=True)
    if failed:
        print(f"again: python -m tests.faults --family {name} --only {failed[0]}   (all: {failed[:50]})", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.mutation metrics --n 300 --seed 1`: which small slips in a room would no test notice?

Takes a seeded sample of the room's mutants (see _mutants.py), runs each against the tests that run its line, quickest
first, until one fails, and prints the mutants that survive with file, line and difference, then the share noticed.
A line that no test runs is printed as well, and so is a mutant whose tests hang (by processor time, see _running.py) or
are killed: neither counts as noticed.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.mutation._coverage import Covered, measure
from tests.mutation._mutants import Mutant, mutants
from tests.mutation._running import changed, make_copy, outcome_of, preload

ROOT = Path(__file__).parents[2]
CASES = [
    f"tests/cases/test_{name}.py" for name in ("captions", "fair_forge", "judge", "pope", "retrieval", "vqa", "wer")
]
TESTS = {
    "metrics": ["tests/metrics", "tests/vision", *CASES, "tests/cases/test_vbench.py", "tests/cases/test_vlm2bench.py"],
    "formats": ["tests/formats", *CASES, "tests/cases/test_awkward_files.py", "tests/cases/test_vbench_manifests.py"],
    "statistics": ["tests/statistics", "tests/decisions"],
}
MOST_S = 60.0  # of usual test time per mutant: the quickest tests of its line first, the others are left out


def main() -> int:
    """Meet the sample; 0 whatever survives: a person judges what the difference means."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("room", choices=TESTS)
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", help="only the mutants of this file, such as handler/metrics/_base.py")
    options = parser.parse_args()
    os.environ.setdefault("SCENESCORE_CASES", str(ROOT.parent / "shared" / "cases"))
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    covered = measure(ROOT, options.room, TESTS[options.room], ROOT / "build" / "mutation" / options.room)
    sample = _sample(options.room, options.n, options.seed, options.file)
    preload()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = make_copy(ROOT, Path(folder, "copy"))
        counts = {"noticed": 0, "hung": 0, "survived": 0, "never run": 0}
        _check(copy, covered)
        for number, (file, mutant) in enumerate(sample, 1):
            outcome = _meet(copy, file, mutant, covered)
            counts[outcome] += 1
            if outcome != "noticed":
                print(_described(number, file, mutant, outcome), flush=True)
            print(f"{number}/{len(sample)}", end="\r", file=sys.stderr, flush=True)
    share = counts["noticed"] / max(len(sample), 1)
    print(f"{options.room}: {len(sample)} mutants, {counts}, {share:.1%} noticed")
    return 0


def _sample(room: str, n: int, seed: int, file: str | None) -> list[tuple[str, Mutant]]:
    files = sorted((ROOT / "handler" / room).rglob("*.py"))
    names = [str(path.relative_to(ROOT)) for path in files]
    every = [(name, one) for name in names if file in (None, name) for one in mutants((ROOT / name).read_text())]
    return sorted(random.Random(seed).sample(every, min(n, len(every))))


def _meet(copy: Path, file: str, mutant: Mutant, covered: Covered) -> str:
    tests: list[str] = []
    usual_s = 0.0
    for test in covered.tests(file, mutant.line):
        usual_s += covered.seconds.get(test, 0.0)
        if tests and usual_s > MOST_S:
            break
        tests.append(test)
    if not tests:
        return "never run"
    with changed(copy / file, mutant.applied((copy / file).read_text(encoding="utf-8"))):
        return outcome_of(copy, tests, usual_s=usual_s, log=copy / "log")


def _check(copy: Path, covered: Covered) -> None:
    """The copy as it is must pass, or every mutant would seem noticed."""
    log = copy / "log"
    if (
        outcome_of(copy, sorted(covered.seconds, key=lambda one: covered.seconds[one])[:200], usual_s=60, log=log)
        != "survived"
    ):
        raise SystemExit(f"the tests fail in the copy before anything was changed:\n{log.read_text()[-4000:]}")


def _described(number: int, file: str, mutant: Mutant, outcome: str) -> str:
    before = (ROOT / file).read_text(encoding="utf-8")
    after = mutant.applied(before)
    difference = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[3:]
    return f"{time.strftime('%H:%M:%S')} {number} {file}:{mutant.line} {mutant.kind}, {outcome}\n" + "\n".join(
        difference
    )


if __name__ == "__main__":
    raise SystemExit(main())

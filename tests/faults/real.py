"""`python -m tests.faults.real --n 200 --seed 1`: the real model, killed for real.

Most runs are processes forked from one that holds the model; every 25th is the command with two worker processes.
SIGKILL comes from outside after a random time, up to three times; then the run is left alone and compared with an
undisturbed one. Moments cannot be repeated exactly; the seed repeats inputs and intended times.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from handler.evaluation import EvaluationRequest, Machine, _run, run
from handler.models import shared_text_encoder
from handler.reports import _parts
from handler.settings import Settings
from tests.faults.local import fast_folder
from tests.faults.oracle import Expected, WrongError, expected_of, verify

N_FRAMES = 24
COMMAND_EVERY = 25
MOST_KILLS = 3
COMMAND_S = 4.0  # what the command and its workers take to start
ROOT = Path(__file__).parent.parent.parent


def main() -> int:
    """Run them all; exit code 1 when any result differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.real")
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    model = Settings.from_environment().model
    shared_text_encoder(model, 1).encode(["load the model"])  # one thread: a session without threads survives a fork
    _run.CHUNK, _parts.SAVE_EVERY_S = 4, 0.05
    kills, failed, started = 0, [], time.monotonic()
    for seed in range(options.seed, options.seed + options.n):
        with tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
            try:
                kills += _one(seed, model, Path(folder))
            except WrongError as error:
                failed.append(seed)
                print(f"seed {seed}: {error}", flush=True)
    verdict = f"FAILED: seeds {failed}" if failed else "0 lost, 0 doubled, 0 wrong"
    seconds = time.monotonic() - started
    print(
        f"real model: {options.n} runs from seed {options.seed}, {kills} kills, {seconds:.0f} s: {verdict}", flush=True
    )
    return int(bool(failed))


def _one(seed: int, model: Path, at: Path) -> int:
    """Returns how many kills hit a process that was still at work."""
    chance = random.Random(seed)
    source = at / "frames.jsonl"
    source.write_text("".join(json.dumps(frame) + "\n" for frame in _frames(chance)))
    started = time.monotonic()
    _await(_forked(partial(_evaluate, source, at / "whole", model)))
    whole, seconds = _result(at / "whole"), time.monotonic() - started
    work, kills, as_command = (source, at / "out", model), 0, seed % COMMAND_EVERY == 0
    start = partial(_command, *work) if as_command else partial(_forked, partial(_evaluate, *work))
    for _ in range(chance.randrange(1, MOST_KILLS + 1)):
        process = start()
        time.sleep(chance.uniform(0, 1.1) * (seconds + (COMMAND_S if as_command else 0)))
        kills += _kill(process)
    code = _await(start())
    if code:
        raise WrongError(f"the last process ended with {code}")
    verify(str(_folder(at / "out")), whole)
    return kills


def _frames(chance: random.Random) -> list[dict[str, object]]:
    """Distinct short texts, some blank, some in sessions that come back."""
    frames: list[dict[str, object]] = []
    for i in range(N_FRAMES):
        badge = chance.randrange(10_000)
        said = f"A guard with badge {badge} walks past." if chance.random() < 0.9 else " "
        seen = f"Somebody with badge {badge + chance.randrange(2)} enters."
        frames.append({"session_id": f"cam-{i % 3}", "answer": said, "reference": seen, "tags": {"odd": i % 2}})
    return frames


def _evaluate(source: Path, output: Path, model: Path) -> None:
    request = EvaluationRequest(input=str(source), output=str(output), group_by=["odd"])
    run(request, Machine(model=model, threads=1, resume=True))


def _forked(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        work()
        code = 0
    finally:
        os._exit(code)


def _command(source: Path, output: Path, model: Path) -> int:
    """The terminal's own process, with worker processes, in a session of its own."""
    command = [sys.executable, "-m", "handler.cli", "evaluate", str(source), "--output", str(output), "--resume"]
    command += ["--shards", "3", "--threads", "2", "--group-by", "odd", "--model", str(model), "--json"]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL)
    process.returncode = 0  # it is waited for by its id
    return process.pid


def _kill(process: int) -> int:
    """End the process and all it started. Returns 1 when it was still at work."""
    ended, _ = os.waitpid(process, os.WNOHANG)
    if ended:
        return 0
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:  # it has not made its session yet
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return 1


def _await(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _folder(output: Path) -> Path:
    found = [path.parent for path in output.rglob("report.json")]
    if len(found) != 1:
        raise WrongError(f"lost: {len(found)} reports")
    return found[0]


def _result(output: Path) -> Expected:
    return expected_of(str(_folder(output)))


if __name__ == "__main__":
    sys.exit(main())

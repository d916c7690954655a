"""`python -m tests.bench.capacity`: how long large inputs take on Lambda, what they cost, and what the limit is. On paper.

A seeded simulation of the state machine: plan, then shards on as many function instances as concurrency and Lambda's own
growth allow, with cold starts, shards of unequal speed, failures and retries, then reduce. Times come from capacity.json, or
from what `make bench` wrote (--bench); nothing here has run on AWS.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handler.evaluation._estimate import GB_PER_VCPU, USD_PER_GB_SECOND
from handler.settings import DEFAULT_SHARD_CONCURRENCY, DEFAULT_SHARD_SAMPLES

__all__ = ["Figures", "Outcome", "figures", "run_of", "waits"]

TIME_LIMIT_S = 900.0  # of one invocation
GROWTH_PER_10_S = 1000  # instances that Lambda adds to one function (AWS, Lambda function scaling)
BACKOFF_S, BACKOFF_MOST_S = 5.0, 300.0  # of the state machine's retries, doubled each time, full jitter
USD_PER_REQUEST = 0.20e-6  # Lambda
USD_PER_TRANSITION = 25e-6  # Step Functions, standard; four a shard
TRANSITIONS_PER_SHARD = 4
USD_PER_PUT, PUTS_PER_SHARD = 5e-6, 6  # S3
DEFAULT = Path(__file__).with_name("capacity.json")


@dataclass(frozen=True, slots=True)
class Figures:
    """What the model is made of. Seconds of one vCPU; failure_rate: share of invocations that are lost halfway; spread:
    coefficient of variation of an instance's speed."""

    frame_seconds: float
    plan_seconds_per_frame: float
    reduce_seconds_per_shard: float
    bytes_per_frame: float
    cold_start_seconds: float
    read_bytes_per_second: float
    reduce_requests_seconds_per_shard: float
    failure_rate: float
    spread: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Seconds of each phase and of all (total); dollars; bound: the phase that takes longest; fits: whether plan and
    reduce stay under an invocation's time limit."""

    plan: float
    map: float
    reduce: float
    usd: float
    invocations: int
    cold_starts: int

    @property
    def total(self) -> float:
        return self.plan + self.map + self.reduce

    @property
    def bound(self) -> str:
        return max(("plan", self.plan), ("map", self.map), ("reduce", self.reduce), key=lambda one: one[1])[0]

    @property
    def fits(self) -> bool:
        return self.plan <= TIME_LIMIT_S and self.reduce <= TIME_LIMIT_S


def figures(bench: Path | None = None) -> Figures:
    """The checked-in figures, with the seconds of a frame from a bench document where one is given."""
    document = json.loads(DEFAULT.read_text())
    known = {key: one for part in document.values() for key, one in part.items() if key != "what"}
    if bench is not None:
        known["frame_seconds"] = _frame_seconds(json.loads(bench.read_text()))
    return Figures(**known)


def _frame_seconds(document: dict[str, Any]) -> float:
    """Of the comparison on one thread with the most pairs."""
    found = [one for one in document["results"] if one.get("threads") == 1 and "pairs" in one]
    largest = max(found, key=lambda one: int(one["pairs"]))
    return float(largest["contenders"]["scenescore"]["scoring_seconds"]) / int(largest["pairs"])


def waits(arrivals: Iterable[float], service: Sequence[float], servers: int) -> list[float]:
    """How long each job waits in a queue that is served in order of arrival."""
    free = [0.0] * servers
    found = []
    for at, seconds in zip(arrivals, service, strict=True):
        start = max(at, heapq.heappop(free))
        heapq.heappush(free, start + seconds)
        found.append(start - at)
    return found


def run_of(frames: int, what: Figures, *, shard_samples: int, concurrency: int, seed: int = 1) -> Outcome:
    """One evaluation of so many frames."""
    n_shards = max(1, math.ceil(frames / shard_samples))
    plan = what.cold_start_seconds + frames * (
        what.plan_seconds_per_frame + what.bytes_per_frame / what.read_bytes_per_second
    )
    reduce = n_shards * (what.reduce_seconds_per_shard + what.reduce_requests_seconds_per_shard)
    chance = random.Random(seed)
    sizes = [min(shard_samples, frames - at * shard_samples) for at in range(n_shards)]
    ready = [(0.0, place, 0, size * what.frame_seconds) for place, size in enumerate(sizes)]
    instances = [(math.floor(n / GROWTH_PER_10_S) * 10.0, n, True) for n in range(min(concurrency, n_shards))]
    heapq.heapify(ready)
    heapq.heapify(instances)
    end = busy = 0.0
    invocations = cold_starts = 0
    while ready:
        at, place, attempt, work = heapq.heappop(ready)
        free, number, is_cold = heapq.heappop(instances)
        start = max(at, free)
        seconds = work * max(0.1, chance.gauss(1, what.spread)) + is_cold * what.cold_start_seconds
        invocations, cold_starts = invocations + 1, cold_starts + is_cold
        failed = chance.random() < what.failure_rate
        taken = min(TIME_LIMIT_S, seconds * chance.random() if failed else seconds)
        busy, stop = busy + taken, start + taken
        heapq.heappush(instances, (stop, number, failed))
        if failed:
            pause = chance.uniform(0, min(BACKOFF_MOST_S, BACKOFF_S * 2**attempt))
            heapq.heappush(ready, (stop + pause, place, attempt + 1, work))
        elif seconds > TIME_LIMIT_S:  # what is scored is kept, the rest goes on at once
            heapq.heappush(ready, (stop, place, 0, work * (1 - TIME_LIMIT_S / seconds)))
        end = max(end, stop)
    usd = (busy + plan + reduce) * GB_PER_VCPU * USD_PER_GB_SECOND + (invocations + 2) * USD_PER_REQUEST
    usd += n_shards * (TRANSITIONS_PER_SHARD * USD_PER_TRANSITION + PUTS_PER_SHARD * USD_PER_PUT)
    return Outcome(plan, end, reduce, usd, invocations + 2, cold_starts)


def most_frames(what: Figures, shard_samples: int) -> int:
    """The largest input whose plan and reduce fit into one invocation each."""
    per_frame = what.plan_seconds_per_frame + what.bytes_per_frame / what.read_bytes_per_second
    per_shard = what.reduce_seconds_per_shard + what.reduce_requests_seconds_per_shard
    planned = (TIME_LIMIT_S - what.cold_start_seconds) / per_frame
    return int(min(planned, TIME_LIMIT_S / per_shard * shard_samples))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.capacity")
    parser.add_argument("--bench", type=Path, help="a document of `make bench` (the checked-in figures)")
    parser.add_argument("--shard-samples", type=int, default=DEFAULT_SHARD_SAMPLES)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    what, size = figures(options.bench), options.shard_samples
    print(
        f"{what.frame_seconds * 1000:.1f} ms a frame on one vCPU, shards of {size:,} frames, seed {options.seed}; a model\n"
    )
    print("| frames | shards at a time | time | frames/s | cost | most of the time |\n|---|---|---|---|---|---|")
    for frames in (10_000, 100_000, 1_000_000, 10_000_000):
        for concurrency in (10, DEFAULT_SHARD_CONCURRENCY, 1000, 3000):
            if concurrency / 10 > frames / size:
                continue
            one = run_of(frames, what, shard_samples=size, concurrency=concurrency, seed=options.seed)
            bound = one.bound if one.fits else f"{one.bound}, over the time limit"
            cells = (f"{one.total / 60:,.1f} min", f"{frames / one.total:,.0f}", f"${one.usd:,.2f}", bound)
            print(f"| {frames:,} | {concurrency:,} | {' | '.join(cells)} |")
    print(f"\nOne plan and one reduce fit into {TIME_LIMIT_S:.0f} s each up to {most_frames(what, size):,} frames.")


if __name__ == "__main__":
    main()

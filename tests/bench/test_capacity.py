"""The capacity model in limiting cases that can be worked out by hand."""

from __future__ import annotations

import itertools
import json
import math
import random
from dataclasses import replace

import pytest

from tests.bench.capacity import Figures, figures, most_frames, run_of, waits

# Nothing but scoring takes time, and nothing fails.
PLAIN = Figures(
    frame_seconds=0.02,
    plan_seconds_per_frame=0.0,
    reduce_seconds_per_shard=0.0,
    bytes_per_frame=0.0,
    cold_start_seconds=0.0,
    read_bytes_per_second=1.0,
    reduce_requests_seconds_per_shard=0.0,
    failure_rate=0.0,
    spread=0.0,
)


def poisson(rate, n, seed=1):
    chance = random.Random(seed)
    return list(itertools.accumulate(chance.expovariate(rate) for _ in range(n)))


@pytest.mark.parametrize("load", [0.3, 0.7])
def test_one_server_with_fixed_service_waits_as_pollaczek_and_khinchine_say(load):
    """M/D/1: the mean wait is load / (2 (1 - load)) services."""
    found = waits(poisson(load, 200_000), [1.0] * 200_000, 1)
    assert sum(found) / len(found) == pytest.approx(load / (2 * (1 - load)), rel=0.05)


def test_many_servers_at_low_load_do_not_wait():
    found = waits(poisson(1.0, 20_000), [1.0] * 20_000, 20)
    assert sum(found) / len(found) < 1e-6


def test_a_queue_beyond_its_capacity_grows_without_end():
    """Two a second come, one goes: job n waits about n / 2."""
    found = waits([n / 2 for n in range(1000)], [1.0] * 1000, 1)
    assert found[-1] == pytest.approx(999 / 2)


@pytest.mark.parametrize(("n_shards", "concurrency"), [(1, 1), (7, 3), (100, 100), (101, 100), (64, 1000)])
def test_equal_shards_take_whole_rounds(n_shards, concurrency):
    one = run_of(n_shards * 1000, PLAIN, shard_samples=1000, concurrency=concurrency)
    assert one.map == pytest.approx(math.ceil(n_shards / concurrency) * 20)
    assert (one.plan, one.reduce, one.invocations) == (0, 0, n_shards + 2)
    assert one.cold_starts == min(n_shards, concurrency)


def test_cost_by_hand():
    """1,000,000 frames of 20 ms: 20,000 s at 1.769 GB and $0.0000166667, 1,002 requests, 4,000 transitions, 6,000 PUTs."""
    one = run_of(1_000_000, PLAIN, shard_samples=1000, concurrency=100)
    assert one.usd == pytest.approx(20_000 * 1.769 * 0.0000166667 + 1002 * 0.2e-6 + 4000 * 25e-6 + 6000 * 5e-6)


def test_lambda_grows_by_a_thousand_in_ten_seconds():
    """3,000 shards of 5 s at once: the third thousand begins after 20 s, when the first has long been free again."""
    one = run_of(3000, replace(PLAIN, frame_seconds=5.0), shard_samples=1, concurrency=3000)
    assert one.map == pytest.approx(15.0)
    long = run_of(3000, replace(PLAIN, frame_seconds=100.0), shard_samples=1, concurrency=3000)
    assert long.map == pytest.approx(120.0)


def test_cold_starts_are_paid_once_an_instance():
    one = run_of(20_000, replace(PLAIN, cold_start_seconds=5.0), shard_samples=1000, concurrency=10)
    assert (one.map, one.plan, one.cold_starts) == (pytest.approx(5 + 2 * 20), 5.0, 10)


def test_failures_are_tried_again():
    """Each shard is begun 1 / (1 - p) times on average; nothing is lost."""
    one = run_of(2_000_000, replace(PLAIN, failure_rate=0.2), shard_samples=100, concurrency=100)
    assert one.invocations - 2 == pytest.approx(20_000 / 0.8, rel=0.02)
    assert run_of(2_000_000, replace(PLAIN, failure_rate=0.2), shard_samples=100, concurrency=100) == one
    assert run_of(2_000_000, replace(PLAIN, failure_rate=0.2), shard_samples=100, concurrency=100, seed=2) != one


def test_a_shard_longer_than_an_invocation_goes_on_in_the_next():
    """100,000 frames of 20 ms are 2,000 s: 900, 900 and 200."""
    one = run_of(100_000, PLAIN, shard_samples=100_000, concurrency=1)
    assert (one.map, one.invocations) == (pytest.approx(2000), 3 + 2)


def test_reduce_bounds_what_more_instances_cannot():
    slow = replace(PLAIN, reduce_requests_seconds_per_shard=1.0)
    one = run_of(100_000, slow, shard_samples=100, concurrency=1000)
    assert (one.reduce, one.bound, one.fits) == (pytest.approx(1000), "reduce", False)
    assert most_frames(replace(slow, plan_seconds_per_frame=1e-9), 100) == 90_000


def test_the_figures_of_a_bench_document(tmp_path):
    results = [
        {"name": "x", "pairs": 1, "threads": 1, "contenders": {"scenescore": {"scoring_seconds": 0.5}}},
        {"name": "y", "pairs": 240, "threads": 1, "contenders": {"scenescore": {"scoring_seconds": 6.0}}},
        {"name": "z", "pairs": 240, "threads": 2, "contenders": {"scenescore": {"scoring_seconds": 3.0}}},
        {"name": "start to first reply"},
    ]
    (tmp_path / "bench.json").write_text(json.dumps({"results": results}))
    assert figures(tmp_path / "bench.json") == replace(figures(), frame_seconds=0.025)

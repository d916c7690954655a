"""What is made of timings: ratios of the same round, what is left out and why, scores that must agree, tables."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.bench.comparison import compare, lines
from tests.bench.contenders import COMPACT, FAIR_FORGE, FP32, ONNX, TORCH, Contender, Job
from tests.bench.pairs import write_many_as, write_pairs, write_texts
from tests.bench.processes import Failed, run
from tests.bench.table import table

MACHINE = {
    "processor": "P", "instructions": ["avx2"], "cores": 2, "memory_gb": 8, "system": "S", "python": "3",
    "versions": {"scenescore": "1"}, "peer_versions": {},
}  # fmt: skip


def contender(name, seconds, scores=(0.5,), skipped=None):
    """A process that says it took so many seconds, another number each round."""
    given = iter(seconds)
    program = "import sys; print('{\"scoring_seconds\": ' + sys.argv[1] + '}')"
    return Contender(
        name, lambda job: [sys.executable, "-c", program, next(given)], dict, lambda job: list(scores), skipped
    )


def test_ratios_are_of_the_same_round(tmp_path):
    """Round by round 10/5, 40/4 and 90/30: the median is 3, while the medians' ratio would be 40/5."""
    who = [contender(FAIR_FORGE, [10, 40, 90]), contender(FP32, [5, 4, 30])]
    found = compare("x", who, Job(tmp_path, tmp_path, 1), 3)["contenders"]
    assert found[FP32]["scoring_seconds"] == 5
    assert found[FP32]["ratio_scoring_seconds"] == 3
    assert found[FAIR_FORGE]["ratio_scoring_seconds"] == 1
    assert found[FP32]["peak_mb"] > 1


def test_who_cannot_run_is_left_out_with_the_reason(tmp_path):
    broken = Contender(ONNX, lambda job: [sys.executable, "-c", "raise SystemExit('no such model')"], dict, list)
    result = compare(
        "x", [contender(FP32, [1]), broken, contender(TORCH, [], skipped="not here")], Job(tmp_path, tmp_path, 1), 1
    )
    assert result["contenders"][ONNX] == {"skipped": "no such model"}
    assert result["contenders"][TORCH] == {"skipped": "not here"}
    assert "ratio_scoring_seconds" not in result["contenders"][FP32]
    assert [line for line in lines(result) if "not here" in line]
    made = table({"results": [result], "machine": MACHINE})
    assert "| x, 1 thread |" in made.splitlines()[0]
    assert "skipped: not here" in made
    assert "none installed" in made


def test_scores_that_differ_end_it(tmp_path):
    def both(difference, name):
        who = [contender(TORCH, [1], [0.5, 0.25]), contender(name, [1], [0.5, 0.25 + difference])]
        return compare("x", who, Job(tmp_path, tmp_path, 1), 1)["contenders"]

    assert both(0.5e-5, FP32)[FP32]["difference"] == pytest.approx(0.5e-5)
    assert both(0.01, COMPACT)[COMPACT]["mean_difference"] == pytest.approx(0.005)
    with pytest.raises(SystemExit, match="scenescore scores a pair"):
        both(2e-5, FP32)


def test_a_process_is_held_to_its_cores_and_fails_with_its_last_words():
    cores = run([sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"], 1).printed
    assert cores == 1
    started = run([sys.executable, "-c", "import os; print(os.environ['BENCH_STARTED'])"], 1).printed
    assert started > os.stat("/proc/self").st_ctime - 60
    with pytest.raises(Failed, match=r"^the last$"):
        run([sys.executable, "-c", "raise SystemExit('the first\\nthe last')"], 1)


def test_texts_of_a_comparison_are_distinct(tmp_path):
    def texts(path):
        frames = [frame for session in json.loads(path.read_text()) for frame in session["conversation"]]
        return [text for frame in frames for text in (frame["assistant"], frame["ground_truth_assistant"])]

    write_pairs(tmp_path / "pairs.json", 400)
    assert len(set(texts(tmp_path / "pairs.json"))) == 800
    write_pairs(tmp_path / "repeated.json", 40, repeated=10)
    repeated = texts(tmp_path / "repeated.json")
    assert (len(repeated), len(set(repeated))) == (800, 80)
    write_texts(tmp_path / "texts.json", 20_000)
    assert len(set(texts(tmp_path / "texts.json"))) == 20_000
    for suffix in (".jsonl", ".csv", ".json"):
        write_many_as(tmp_path / f"many{suffix}", 300)
    assert len(texts(tmp_path / "many.json")) == 600
    assert len((tmp_path / "many.csv").read_text().splitlines()) == 301

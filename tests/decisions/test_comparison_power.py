"""How often a drop in one camera is found, and how often one is named that is not there: simulations, seeded.

The short ones run always; `full` runs them 1,000 times each. A count is held to where 99.9 % of seeds would put it.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from tests.decisions.compared import Simulation, flagged

SHORT, FULL = 40, 1000
runs = pytest.mark.parametrize("n", [SHORT, pytest.param(FULL, marks=pytest.mark.full)])


def most(n, rate):
    return scipy.stats.binom.ppf(0.999, n, rate)


def least(n, rate):
    return scipy.stats.binom.ppf(0.001, n, rate)


@runs
@pytest.mark.parametrize("arranged", ["sessions of cameras", "random split", "few sessions", "one session a camera"])
def test_nothing_is_flagged_more_than_one_time_in_twenty_where_nothing_differs(tmp_path, n, arranged):
    kinds = {
        "sessions of cameras": ({}, {"of_sessions": 0.03}),
        "random split": ({"split": np.random.default_rng(3)}, {"of_sessions": 0.03}),
        "few sessions": ({"sessions": 4}, {"of_sessions": 0.03}),
        "one session a camera": ({"sessions": 1}, {}),
    }
    made, noise = kinds[arranged]
    simulation, rng = Simulation(tmp_path / "r", **made), np.random.default_rng(1)
    overall = slices = 0
    for _ in range(n):
        found = simulation.compare(*simulation.scores(rng, **noise))
        overall += found["comparisons"][0]["verdict"] != "open"
        slices += bool(flagged(found, "worse") or flagged(found, "better"))
    assert overall <= most(n, 0.05)
    assert slices <= most(n, 0.05)


@runs
@pytest.mark.parametrize(("spread", "power"), [(0.10, 0.99), (0.17, 0.78)])
def test_a_drop_in_one_camera_is_found_and_named(tmp_path, n, spread, power):
    """0.03 in camera 7 of ten, 500 frames in 25 sessions. A frame's difference spreads by 0.10 (two models that describe
    alike), or by 0.17, at which the comparison itself states that a difference of 0.03 is found 8 times in 10."""
    simulation, rng = Simulation(tmp_path / "r"), np.random.default_rng(2)
    named = wrong = 0
    detectable = []
    for _ in range(n):
        found = simulation.compare(*simulation.scores(rng, drop=0.03, spread=spread))
        cameras = flagged(found)
        named += "7" in cameras
        wrong += bool(set(cameras) - {"7"} or flagged(found, "better"))
        detectable.append(
            next(one for one in found["comparisons"][0]["slices"] if one["value"] == "7")["detectable_difference"]
        )
    assert named >= least(n, power)
    assert wrong <= most(n, 0.05)
    level = 1 - 0.05 / 10 / 2  # for the first of ten cameras, by Holm
    needed = scipy.stats.t.ppf(level, 24) + scipy.stats.t.ppf(0.8, 24)
    assert np.mean(detectable) == pytest.approx(needed * spread / np.sqrt(500), rel=0.03)


def test_the_summary_names_the_camera(tmp_path):
    simulation, rng = Simulation(tmp_path / "r"), np.random.default_rng(4)
    found = simulation.compare(*simulation.scores(rng, drop=0.03, spread=0.05))
    assert found["verdict"] == "regressed"
    assert "camera 7 (by 0.0" in found["summary"]


@pytest.mark.parametrize("n", [200, pytest.param(FULL, marks=pytest.mark.full)])
@pytest.mark.parametrize("sessions", [4, 1])
def test_what_happened_in_a_session_is_no_regression_unasked(tmp_path, n, sessions):
    """Equal models in 24 sessions, each of which moves all of its frames: one session is no evidence, whatever its size."""
    simulation = Simulation(tmp_path / "r", n_cameras=24 // sessions, frames=40 * sessions, sessions=sessions)
    rng = np.random.default_rng(6)
    regressed = 0
    for _ in range(n):
        found = simulation.compare(*simulation.scores(rng, spread=0.05, of_sessions=0.05), group_by=())
        regressed += found["verdict"] == "regressed"
        assert {one["by"] for one in found["comparisons"][0]["slices"]} == ({"camera"} if sessions > 1 else set())
    assert regressed <= most(n, 0.05)


def test_a_camera_of_four_sessions_is_named_unasked(tmp_path):
    simulation, rng = Simulation(tmp_path / "r", n_cameras=6, frames=160, sessions=4), np.random.default_rng(7)
    named = 0
    for _ in range(SHORT):
        scores = simulation.scores(rng, drop=0.1, spread=0.05, of_sessions=0.01, camera=2)
        named += flagged(simulation.compare(*scores, group_by=())) == ["2"]
    assert named >= 0.9 * SHORT

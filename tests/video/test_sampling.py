"""Which frames a rule picks, by hand."""

from __future__ import annotations

import pytest

from handler.errors import RequestError
from handler.video import frame_indices, middle_indices, time_indices


@pytest.mark.parametrize(
    ("n", "n_frames", "expected"),
    [
        (16, 1, (0,) * 16),
        (4, 2, (0, 1, 1, 1)),
        (4, 4, (0, 1, 2, 3)),
        (4, 10, (0, 3, 5, 8)),  # bounds 0, 2, 5, 7, 10
        (3, 7, (0, 2, 5)),  # bounds 0, 2, 4, 7
        (1, 9, (4,)),
    ],
)
def test_the_middle_of_equal_intervals_of_frames(n, n_frames, expected):
    assert middle_indices(n, n_frames) == expected


def test_the_frame_on_display_in_the_middle_of_equal_intervals_of_time():
    # Ten quick frames, then one that stands for 0.9 s: the middles of 0.25 s intervals are 0.125, 0.375, 0.625, 0.875.
    times = [place / 100 for place in range(10)] + [0.1]
    assert time_indices(4, times, 1.0) == (10, 10, 10, 10)
    assert time_indices(20, times, 1.0)[:3] == (2, 7, 10)  # 0.025, 0.075, 0.125
    assert time_indices(2, [5.0, 5.1, 5.2, 5.9], 6.0) == (2, 2)  # 5.25, 5.75: a start that is not 0
    assert time_indices(2, [0.0], 0.0) == (0, 0)


def test_frames_without_times_cannot_be_picked_by_time():
    assert frame_indices("time", 4, [0.0, None], 1.0) is None
    assert frame_indices("middle", 2, [None, None], None) == (0, 1)
    assert frame_indices("time", 3, [None], None) == (0, 0, 0)


@pytest.mark.parametrize(("rule", "n"), [("rand", 16), ("middle", 0), ("image", 16)])
def test_unknown_samplings_are_refused(rule, n):
    with pytest.raises(RequestError, match="no sampling"):
        frame_indices(rule, n, [0.0], 1.0)

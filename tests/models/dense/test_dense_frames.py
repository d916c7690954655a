"""From a picture to the network's input: sizes, values, padding, and what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from handler.errors import InputError, ModelError
from handler.models.dense import check_frame
from handler.models.dense._preprocess import network_input, resized


def plain(height, width, colour=(0, 0, 0)):
    return np.full((height, width, 3), colour, np.uint8)


def test_values_are_normalised_in_rgb_order_and_padding_is_the_mean_colour():
    image = network_input(plain(33, 64, (255, 0, 128)))
    assert image.shape == (1, 3, 64, 64)
    expected = [(255 - 123.675) / 58.395, -116.28 / 57.12, (128 - 103.53) / 57.375]
    for channel, value in enumerate(expected):
        assert image[0, channel, :33] == pytest.approx(value, rel=1e-6)
    assert not image[0, :, 33:].any()


@pytest.mark.parametrize(
    ("size", "padded"), [((64, 64), (64, 64)), ((1, 1), (32, 32)), ((375, 500), (384, 512)), ((800, 1333), (800, 1344))]
)
def test_sides_are_padded_to_multiples_of_32(size, padded):
    assert network_input(plain(*size)).shape[2:] == padded


def test_floats_are_taken_as_they_are():
    frame = np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    assert np.array_equal(network_input(frame), network_input(frame.astype(np.float32)))
    assert resized(frame.astype(np.float64) / 2, "vbench").max() < 128


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((375, 500), (800, 1067)),  # the recorded demo image
        ((500, 375), (1067, 800)),
        ((64, 64), (800, 800)),
        ((1080, 1920), (750, 1333)),  # 800 would make 1422
        ((3000, 1000), (1333, 444)),
        ((800, 1333), (800, 1333)),
    ],
)
def test_the_demo_scales_the_short_side_to_800_and_the_long_one_to_1333_at_most(size, expected):
    pytest.importorskip("PIL", reason="the demo's rule needs the images extra")
    assert resized(plain(*size), "demo").shape == (*expected, 3)


def test_a_frame_of_the_right_size_is_not_touched():
    frame = plain(800, 1067)
    assert resized(frame, "demo") is frame
    assert resized(frame[:100], "vbench").base is frame


def test_without_pillow_the_demo_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModelError, match=r"needs Pillow.*scenescore\[images\]"):
        resized(plain(375, 500), "demo")


@pytest.mark.parametrize(
    ("frame", "rule", "match"),
    [
        (np.zeros((4, 4), np.uint8), "vbench", r"\(height, width, 3\), this one is \(4, 4\)"),
        (np.zeros((4, 4, 4), np.uint8), "vbench", r"this one is \(4, 4, 4\)"),
        (np.zeros((0, 4, 3), np.uint8), "vbench", r"this one is \(0, 4, 3\)"),
        (np.zeros((4, 4, 3), np.int64), "vbench", "holds uint8, float32 or float64, not int64"),
        (np.zeros((4, 4, 3), np.float32), "demo", "holds uint8, not float32"),
        (np.full((4, 4, 3), np.nan), "vbench", "from nan to nan"),
        (np.full((4, 4, 3), 256.0), "vbench", "from 256 to 256"),
        (np.full((4, 4, 3), -0.5), "vbench", "from -0.5 to -0.5"),
        (np.zeros((1089, 1920, 3), np.uint8), "vbench", "1920x1089 px are more than .*Shrink the picture"),
    ],
)
def test_what_is_no_frame_is_refused(frame, rule, match):
    with pytest.raises(InputError, match=match):
        check_frame(frame, rule)


def test_large_pictures_are_for_the_demo():
    check_frame(plain(3000, 4000), "demo")
    check_frame(plain(1088, 1920), "vbench")

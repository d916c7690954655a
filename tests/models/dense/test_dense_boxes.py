"""Arithmetic on boxes, proposals and the cascade, against numbers worked out by hand."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from handler.models.dense._boxes import clipped, moved, suppress
from handler.models.dense._cascade import best, refine
from handler.models.dense._pooling import box_levels
from handler.models.dense._proposals import level_candidates, propose

COLD = -20.0  # a logit whose heat, 2e-9, is below the threshold
SIDES = (32, 16, 8, 4, 2)  # cells, of the maps of a 256 px image


def rows(*several):
    return np.array(several, np.float32)


def maps(heat=(), reach=0.0):
    """Heat maps and regressions of a 256 px image. heat: {(level, y, x): logit}; reach: strides in all directions."""
    heatmaps = [np.full((1, 1, side, side), COLD, np.float32) for side in SIDES]
    for (level, y, x), logit in dict(heat).items():
        heatmaps[level - 3][0, 0, y, x] = logit
    return heatmaps, [np.full((1, 4, side, side), reach, np.float32) for side in SIDES]


def test_boxes_move_by_shares_of_their_sides_and_grow_by_exponentials():
    box = rows([10, 20, 50, 40])  # 40 by 20 px around (30, 30)
    assert moved(box, rows([1, 0, 0, 0]), (10, 10, 5, 5)) == pytest.approx(rows([14, 20, 54, 40]))
    assert moved(box, rows([0, -2, 0, 0]), (20, 20, 10, 10)) == pytest.approx(rows([10, 18, 50, 38]))
    assert moved(box, rows([0, 0, 5 * math.log(2), 0]), (10, 10, 5, 5)) == pytest.approx(rows([-10, 20, 70, 40]))
    assert moved(box, rows([0, 0, 0, -30 * math.log(4)]), (30, 30, 30, 30)) == pytest.approx(rows([10, 27.5, 50, 32.5]))


def test_growth_is_bounded_above_and_not_below():
    box = rows([0, 0, 16, 16])
    assert moved(box, rows([0, 0, 1e6, 0]), (1, 1, 1, 1)) == pytest.approx(rows([-492, 0, 508, 16]))
    assert moved(box, rows([0, 0, -1e6, 0]), (1, 1, 1, 1)) == pytest.approx(rows([8, 0, 8, 16]))


def test_boxes_are_cut_at_the_borders():
    assert clipped(rows([-5, 3, 700, 500], [700, 3, 800, 9]), 375, 640).tolist() == [[0, 3, 640, 375], [640, 3, 640, 9]]


def test_a_box_falls_only_above_the_overlap_and_only_to_a_survivor():
    boxes = rows([0, 0, 10, 10], [0, 0, 10, 5], [0, 0, 10, 6])  # IoU with the first: 1, 0.5, 0.6
    assert suppress(boxes, rows(0.9, 0.8, 0.7), overlap=0.5, enough=9).tolist() == [0, 1]
    chain = rows(
        [0, 0, 10, 10], [4, 0, 14, 10], [8, 0, 18, 10]
    )  # each overlaps the next by 0.43, the last the first by 0.11
    assert suppress(chain, rows(0.9, 0.8, 0.7), overlap=0.4, enough=9).tolist() == [0, 2]
    assert suppress(chain, rows(0.8, 0.9, 0.7), overlap=0.4, enough=9).tolist() == [1]


def test_equal_scores_keep_their_order_and_share_the_last_place():
    boxes = rows(*([20 * n, 0, 20 * n + 9, 9] for n in range(6)))
    scores = rows(0.5, 0.9, 0.5, 0.5, 0.4, 0.9)
    assert suppress(boxes, scores, overlap=0.5, enough=9).tolist() == [1, 5, 0, 2, 3, 4]
    assert suppress(boxes, scores, overlap=0.5, enough=3).tolist() == [1, 5, 0, 2, 3]
    assert suppress(boxes, scores, overlap=0.5, enough=2).tolist() == [1, 5]


def test_boxes_without_area_and_no_boxes_at_all():
    assert suppress(rows([5, 5, 5, 5], [5, 5, 5, 5]), rows(0.9, 0.8), overlap=0.5, enough=9).tolist() == [0, 1]
    assert suppress(np.empty((0, 4), np.float32), np.empty(0, np.float32), overlap=0.5, enough=9).tolist() == []


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("overlap", [0.5, 0.9])
def test_suppression_agrees_with_exact_fractions(seed, overlap):
    dice = random.Random(seed)
    boxes = []
    for _ in range(200):
        x, y = dice.randrange(40), dice.randrange(40)
        boxes.append((x, y, x + dice.randrange(1, 30), y + dice.randrange(1, 30)))
    scores = [Fraction(dice.randrange(64), 64) for _ in boxes]
    kept = []
    for one in sorted(range(len(boxes)), key=lambda n: -scores[n]):
        if all(_iou(boxes[one], boxes[other]) <= Fraction(overlap).limit_denominator(10) for other in kept):
            kept.append(one)
    found = suppress(rows(*boxes), np.array(scores, np.float32), overlap=overlap, enough=len(boxes))
    assert found.tolist() == kept


def _iou(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    both = max(0, width) * max(0, height)
    return Fraction(both, (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def test_a_hot_cell_becomes_a_box_around_its_point():
    heatmaps, regressions = maps({(4, 1, 2): 0.0})
    regressions[1][0, :, 1, 2] = (1, 0.5, 2, 1)  # left, top, right, bottom in strides of 16 px
    boxes, scores = propose(heatmaps, regressions)
    assert boxes.tolist() == [[24, 16, 72, 40]]  # around (2 * 16 + 8, 1 * 16 + 8)
    assert scores == pytest.approx(rows(math.sqrt(0.5)))


def test_levels_have_their_own_strides_and_the_hottest_comes_first():
    heatmaps, regressions = maps({(3, 0, 0): -1.0, (5, 0, 0): 3.0, (6, 0, 0): 1.0, (7, 1, 1): 2.0}, reach=0.25)
    boxes, scores = propose(heatmaps, regressions)
    assert boxes.tolist() == [[8, 8, 24, 24], [160, 160, 224, 224], [16, 16, 48, 48], [2, 2, 6, 6]]
    heat = [1 / (1 + math.exp(-logit)) for logit in (3, 2, 1, -1)]
    assert scores == pytest.approx(rows(*map(math.sqrt, heat)), rel=1e-6)


def test_a_box_has_at_least_a_hundredth_of_a_pixel():
    boxes, _ = propose(*maps({(3, 2, 1): 0.0}))
    assert boxes == pytest.approx(rows([12, 20, 12.01, 20.01]))


def test_cold_maps_propose_nothing():
    boxes, scores = propose(*maps({(3, 0, 0): -9.3, (4, 0, 0): -1e6}))  # a heat of 9.1e-5, and of 0
    assert boxes.shape == (0, 4)
    assert scores.shape == (0,)
    assert len(propose(*maps({(3, 0, 0): -9.2}))[0]) == 1  # 1.01e-4


def test_256_proposals_remain_and_those_that_tie_with_the_last():
    logits = np.linspace(0, 1, 32 * 32, dtype=np.float32).reshape(1, 1, 32, 32)
    heatmaps, regressions = maps(reach=0.25)
    heatmaps[0] = logits
    boxes, scores = propose(heatmaps, regressions)
    assert len(boxes) == 256
    assert scores[0] == pytest.approx(math.sqrt(1 / (1 + math.exp(-1))))
    assert boxes[0].tolist() == [250, 250, 254, 254]
    heatmaps[0] = np.zeros((1, 1, 32, 32), np.float32)
    heatmaps[0][0, 0, 20:] = 1  # 384 cells of one heat
    assert len(propose(heatmaps, regressions)[0]) == 384


def test_a_level_gives_its_thousand_hottest_cells():
    heat = np.zeros((1, 1, 40, 40), np.float32)
    heat[0, 0, 39] = 1
    boxes, scores = level_candidates(heat, np.full((1, 4, 40, 40), 0.25, np.float32), 8)
    assert len(boxes) == 1000
    assert boxes[0].tolist() == [2, 314, 6, 318]  # the last row first, then from the top
    assert boxes[40].tolist() == [2, 2, 6, 6]
    assert scores[39] > scores[40] == scores[999]


def test_the_level_of_a_box_follows_its_area():
    sides = rows(0, 1, 112, 223, 224, 447, 448, 2000)
    boxes = np.stack([0 * sides, 0 * sides, sides, sides], axis=1)
    assert box_levels(boxes).tolist() == [3, 3, 3, 3, 4, 4, 5, 5]
    assert box_levels(rows([0, 0, 448, 112], [-100, -100, 348, 348])).tolist() == [4, 5]


def test_the_cascade_averages_probabilities_and_moves_boxes_through_all_stages():
    seen = []

    def stage(number):
        def run(boxes):
            seen.append(boxes.tolist())
            deltas = np.zeros((len(boxes), 4), np.float32)
            deltas[:, 0] = (10, 20, 30)[number]  # by one width, whatever the stage's weights
            probability = (0.5, 0.8, 0.2)[number]
            logits = np.zeros((len(boxes), 2), np.float32)
            logits[:, 0] = math.log(probability / (1 - probability))
            return logits, deltas

        return run

    boxes, scores = refine(
        rows([-30, 10, -10, 30], [80, 10, 90, 30]),
        rows(0.5, 0.9),
        stages=[stage(number) for number in range(3)],
        image_size=(100, 95),
    )
    assert seen[0] == [[-30, 10, -10, 30], [80, 10, 90, 30]]  # proposals are not cut
    assert seen[1] == [[0, 10, 10, 30], [90, 10, 95, 30]]
    assert seen[2] == [[10, 10, 20, 30], [95, 10, 95, 30]]
    assert boxes.tolist() == [[20, 10, 30, 30], [95, 10, 95, 30]]
    assert scores == pytest.approx(rows(math.sqrt(0.5 * 0.5), math.sqrt(0.5 * 0.9)))


def test_no_proposals_ask_no_stage():
    empty = np.empty((0, 4), np.float32), np.empty(0, np.float32)
    boxes, scores = refine(*empty, stages=[None, None, None], image_size=(9, 9))
    assert (len(boxes), len(scores)) == (0, 0)
    assert best(boxes, scores, threshold=0.5, most=9).tolist() == []


def test_detections_are_above_the_threshold_apart_and_limited():
    boxes = rows([0, 0, 10, 10], [0, 0, 10, 6], [30, 0, 40, 10], [60, 0, 70, 10], [90, 0, 99, 9])
    scores = rows(0.6, 0.9, 0.5, 0.7, 0.7)
    assert best(boxes, scores, threshold=0.5, most=9).tolist() == [
        1,
        3,
        4,
    ]  # 0.5 is not above, the first overlaps by 0.6
    assert best(boxes, scores, threshold=0.5, most=2).tolist() == [1, 3]
    assert best(boxes, scores, threshold=0.95, most=9).tolist() == []

"""Three box stages in a row: each looks at what the one before saw, and moves the boxes (Cascade R-CNN)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from handler.models.dense._boxes import clipped, moved, suppress

__all__ = ["Stage", "best", "refine"]

Floats = NDArray[np.float32]
Stage = Callable[[Floats], tuple[Floats, Floats]]
"""A box stage on one image: boxes (n, 4) px -> logits (n, 2), object first, and deltas (n, 4)."""

DELTA_WEIGHTS = ((10.0, 10.0, 5.0, 5.0), (20.0, 20.0, 10.0, 10.0), (30.0, 30.0, 15.0, 15.0))
OVERLAP = 0.5


def refine(
    boxes: Floats, scores: Floats, *, stages: Sequence[Stage], image_size: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Proposals after all stages, in the same order.

    boxes: (n, 4) px; scores: (n,), 0..1; image_size: height and width without padding. Returns boxes clipped to the
    image and scores: the square root of the proposal's score times the mean of the stages' object probabilities.
    Source: Cai and Vasconcelos 2018 (Cascade R-CNN), with the scores of CenterNet2.
    """
    if not len(boxes):
        return boxes, scores
    probability = np.zeros(len(boxes), np.float32)
    for stage, weights in zip(stages, DELTA_WEIGHTS, strict=True):
        logits, deltas = stage(boxes)
        probability += _object_probability(logits)
        boxes = clipped(moved(boxes, deltas, weights), *image_size)
    return boxes, np.sqrt(probability * np.float32(1 / len(stages)) * scores)


def best(boxes: Floats, scores: Floats, *, threshold: float, most: int) -> NDArray[np.int64]:
    """Indices of the detections, best first: score above the threshold, no better one with IoU above 0.5, `most` of them."""
    certain = np.nonzero(scores > np.float32(threshold))[0]
    kept = suppress(boxes[certain], scores[certain], overlap=OVERLAP, enough=most)[:most]
    return certain[kept]


def _object_probability(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    share: Floats = powers[:, 0] / powers.sum(axis=1)
    return share

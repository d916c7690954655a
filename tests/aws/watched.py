"""The function with a line in its log for each model session made and each batch scored, to count work by.

WATCHED_PAUSE_S: seconds it rests before each batch, so that a file is long on a fast machine too.
"""

from __future__ import annotations

import os
import time
from typing import Any

import onnxruntime

from handler.lambda_handler import lambda_handler
from handler.metrics.vision._judging import VisionMetric

__all__ = ["MADE", "SCORED", "lambda_handler"]

MADE, SCORED = "watched: session made", "watched: batch scored"

_make, _score = onnxruntime.InferenceSession, VisionMetric.compute_batch


def _watched_make(*arguments: Any, **options: Any) -> Any:
    print(MADE, flush=True)
    return _make(*arguments, **options)


def _watched_score(self: Any, samples: Any) -> Any:
    print(SCORED, flush=True)
    time.sleep(float(os.environ.get("WATCHED_PAUSE_S", 0)))
    return _score(self, samples)


if "AWS_LAMBDA_RUNTIME_API" in os.environ:  # not where a test imports the words
    onnxruntime.InferenceSession = _watched_make
    VisionMetric.compute_batch = _watched_score

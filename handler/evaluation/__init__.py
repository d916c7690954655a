"""The one path every door takes: request -> samples -> metrics -> report."""

from handler.evaluation._calibrating import CalibrationRequest, calibrate, is_finished, run_calibration, run_suggestion
from handler.evaluation._estimate import Estimate, estimate
from handler.evaluation._evaluator import EvaluatedSamples, Evaluator, create_evaluator
from handler.evaluation._identity import content_of
from handler.evaluation._inputs import find_files, is_annotation
from handler.evaluation._metrics import Machine
from handler.evaluation._needs import count_videos, needs_text_encoder, reads_videos
from handler.evaluation._python import evaluate
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import request_identity, run, write_error
from handler.evaluation._video_shards import (
    UnfinishedError,
    VideoWork,
    look_at_share,
    open_videos,
    reduce_videos,
)

__all__ = [
    "CalibrationRequest",
    "Estimate",
    "EvaluatedSamples",
    "EvaluationRequest",
    "Evaluator",
    "Machine",
    "UnfinishedError",
    "VideoWork",
    "calibrate",
    "content_of",
    "count_videos",
    "create_evaluator",
    "estimate",
    "evaluate",
    "find_files",
    "is_annotation",
    "is_finished",
    "look_at_share",
    "needs_text_encoder",
    "open_videos",
    "reads_videos",
    "reduce_videos",
    "request_identity",
    "run",
    "run_calibration",
    "run_suggestion",
    "write_error",
]

"""The one path every door takes: request -> samples -> metrics -> report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handler.lazily import exported

if TYPE_CHECKING:
    from handler.evaluation._calibrating import (
        CalibrationRequest,
        calibrate,
        is_finished,
        run_calibration,
        run_suggestion,
    )
    from handler.evaluation._estimate import Estimate, estimate
    from handler.evaluation._evaluator import EvaluatedSamples, Evaluator, create_evaluator
    from handler.evaluation._identity import content_of
    from handler.evaluation._inputs import SIDECAR, find_files, input_bytes, is_annotation
    from handler.evaluation._local_shards import run_shards
    from handler.evaluation._metrics import DEFAULT_METRICS, Machine
    from handler.evaluation._needs import count_videos, needs_model, needs_text_encoder, reads_videos
    from handler.evaluation._python import evaluate
    from handler.evaluation._request import EvaluationRequest
    from handler.evaluation._run import request_identity, run, write_error
    from handler.evaluation._shard_plan import ShardPlan
    from handler.evaluation._shards import UnfinishedError, forget_shards, plan_shards, reduce_shards, score_shard
    from handler.evaluation._video_shards import VideoWork, look_at_share, open_videos, reduce_videos

__all__ = [
    "DEFAULT_METRICS",
    "SIDECAR",
    "CalibrationRequest",
    "Estimate",
    "EvaluatedSamples",
    "EvaluationRequest",
    "Evaluator",
    "Machine",
    "ShardPlan",
    "UnfinishedError",
    "VideoWork",
    "calibrate",
    "content_of",
    "count_videos",
    "create_evaluator",
    "estimate",
    "evaluate",
    "find_files",
    "forget_shards",
    "input_bytes",
    "is_annotation",
    "is_finished",
    "look_at_share",
    "needs_model",
    "needs_text_encoder",
    "open_videos",
    "plan_shards",
    "reads_videos",
    "reduce_shards",
    "reduce_videos",
    "request_identity",
    "run",
    "run_calibration",
    "run_shards",
    "run_suggestion",
    "score_shard",
    "write_error",
]

__getattr__ = exported(
    __name__,
    {
        "_calibrating": "CalibrationRequest calibrate is_finished run_calibration run_suggestion",
        "_estimate": "Estimate estimate",
        "_evaluator": "EvaluatedSamples Evaluator create_evaluator",
        "_identity": "content_of",
        "_inputs": "SIDECAR find_files input_bytes is_annotation",
        "_local_shards": "run_shards",
        "_metrics": "DEFAULT_METRICS Machine",
        "_needs": "count_videos needs_model needs_text_encoder reads_videos",
        "_python": "evaluate",
        "_request": "EvaluationRequest",
        "_run": "request_identity run write_error",
        "_shard_plan": "ShardPlan",
        "_shards": "UnfinishedError forget_shards plan_shards reduce_shards score_shard",
        "_video_shards": "VideoWork look_at_share open_videos reduce_videos",
    },
)

"""The one path every door takes: request -> samples -> metrics -> report."""

from handler.evaluation._calibrating import CalibrationRequest, calibrate, is_finished, run_calibration, run_suggestion
from handler.evaluation._estimate import Estimate, estimate
from handler.evaluation._identity import content_of
from handler.evaluation._inputs import find_files, input_bytes, is_annotation
from handler.evaluation._local_shards import run_shards
from handler.evaluation._metrics import Machine
from handler.evaluation._needs import needs_model, needs_text_encoder
from handler.evaluation._python import evaluate
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import request_identity, run, write_error
from handler.evaluation._shard_plan import ShardPlan
from handler.evaluation._shards import UnfinishedError, forget_shards, plan_shards, reduce_shards, score_shard

__all__ = [
    "CalibrationRequest",
    "Estimate",
    "EvaluationRequest",
    "Machine",
    "ShardPlan",
    "UnfinishedError",
    "calibrate",
    "content_of",
    "estimate",
    "evaluate",
    "find_files",
    "forget_shards",
    "input_bytes",
    "is_annotation",
    "is_finished",
    "needs_model",
    "needs_text_encoder",
    "plan_shards",
    "reduce_shards",
    "request_identity",
    "run",
    "run_calibration",
    "run_shards",
    "run_suggestion",
    "score_shard",
    "write_error",
]

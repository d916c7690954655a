"""The one path every door takes: request -> samples -> metrics -> report."""

from handler.evaluation._calibrating import CalibrationRequest, calibrate, is_finished, run_calibration, run_suggestion
from handler.evaluation._estimate import Estimate, estimate
from handler.evaluation._identity import content_of
from handler.evaluation._inputs import find_files, is_annotation
from handler.evaluation._metrics import Machine
from handler.evaluation._needs import needs_text_encoder
from handler.evaluation._python import evaluate
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import request_identity, run, write_error

__all__ = [
    "CalibrationRequest",
    "Estimate",
    "EvaluationRequest",
    "Machine",
    "calibrate",
    "content_of",
    "estimate",
    "evaluate",
    "find_files",
    "is_annotation",
    "is_finished",
    "needs_text_encoder",
    "request_identity",
    "run",
    "run_calibration",
    "run_suggestion",
    "write_error",
]

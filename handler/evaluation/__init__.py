"""The one path every door takes: request -> samples -> metrics -> report."""

from handler.evaluation._estimate import Estimate, estimate
from handler.evaluation._identity import content_of
from handler.evaluation._inputs import find_files, is_annotation
from handler.evaluation._metrics import Machine
from handler.evaluation._needs import needs_text_encoder, reads_videos
from handler.evaluation._python import evaluate
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import request_identity, run, write_error

__all__ = [
    "Estimate",
    "EvaluationRequest",
    "Machine",
    "content_of",
    "estimate",
    "evaluate",
    "find_files",
    "is_annotation",
    "needs_text_encoder",
    "reads_videos",
    "request_identity",
    "run",
    "write_error",
]

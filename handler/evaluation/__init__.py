"""The one path every door takes: request -> samples -> metrics -> report."""

from handler.evaluation._estimate import Estimate, estimate
from handler.evaluation._inputs import find_files, is_annotation
from handler.evaluation._python import evaluate
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import Machine, request_identity, run, write_error

__all__ = [
    "Estimate",
    "EvaluationRequest",
    "Machine",
    "estimate",
    "evaluate",
    "find_files",
    "is_annotation",
    "request_identity",
    "run",
    "write_error",
]

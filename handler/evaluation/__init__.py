"""The one path every door takes: request -> samples -> metrics -> report."""

from handler.evaluation._python import evaluate
from handler.evaluation._request import EvaluationRequest
from handler.evaluation._run import Machine, run

__all__ = ["EvaluationRequest", "Machine", "evaluate", "run"]

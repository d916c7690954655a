"""What a request will need before it can run, known without running it."""

from __future__ import annotations

from handler.errors import ScenescoreError, StorageError
from handler.evaluation._metrics import metric_names
from handler.evaluation._opened import sample_of
from handler.evaluation._request import EvaluationRequest
from handler.metrics import metric_class
from handler.samples import Sample

__all__ = ["needs_model", "needs_text_encoder"]


def needs_text_encoder(request: EvaluationRequest) -> bool:
    """Whether a metric of the request reads the text encoder. An input that cannot be understood needs nothing:
    the run will say what is wrong with it. One that is not there may hold descriptions."""
    sample: type[Sample] = Sample
    if not request.metrics:
        try:
            sample = sample_of(request)
        except StorageError:
            return True
        except ScenescoreError:
            return False
    return any("text_encoder" in metric_class(name).models for name in metric_names(request, sample))


def needs_model(request: EvaluationRequest) -> bool:
    """Whether a metric of the request reads any model. Raises ScenescoreError for an input that cannot be understood."""
    sample = Sample if request.metrics else sample_of(request)
    return any(metric_class(name).models for name in metric_names(request, sample))

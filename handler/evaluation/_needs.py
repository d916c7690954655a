"""What a request will need before it can run, known without running it."""

from __future__ import annotations

import itertools

from handler.errors import ScenescoreError, StorageError
from handler.evaluation._metrics import metric_names
from handler.evaluation._opened import open_input, sample_of
from handler.evaluation._request import EvaluationRequest
from handler.formats import Notices
from handler.metrics import metric_class
from handler.samples import Sample, VideoSample

__all__ = ["count_videos", "needs_model", "needs_text_encoder", "reads_videos"]


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


def reads_videos(request: EvaluationRequest) -> bool:
    """Whether the input holds videos; one that cannot be understood, or is not there, holds none."""
    if request.input is None:
        return False
    try:
        return issubclass(sample_of(request), VideoSample)
    except ScenescoreError:
        return False


def count_videos(request: EvaluationRequest) -> int:
    """How many videos the input names, up to the request's limit. Raises InputError where it cannot be read."""
    records = open_input(request.model_copy(update={"output": None}), None, Notices()).records
    videos = (one for one in records if isinstance(one, VideoSample))
    return sum(1 for _ in itertools.islice(videos, request.limit))

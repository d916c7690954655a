"""`create_evaluator`: the entry of FastVideo's evaluation framework, for the metrics of videos."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, overload

from handler.detection import Look, Watcher, fields_of_array, look_at, resize_rule
from handler.errors import RequestError
from handler.evaluation._metrics import Machine
from handler.evaluation._videos import fields_of, needs_detector, put_fields, watcher_of
from handler.formats import FieldError, asked_by
from handler.metrics import BaseMetric, get_metric, has_mode, select_metrics
from handler.models.dense import Provider
from handler.results import MetricResult
from handler.samples import UNKNOWN_ASSISTANT, VideoSample

__all__ = ["EvaluatedSamples", "Evaluator", "create_evaluator"]

Results = dict[str, MetricResult]


class EvaluatedSamples(list[Results]):
    """A dict of results per sample, in order. corpus: results of set metrics; there are none for videos yet."""

    corpus: Results

    def __init__(self, samples: Iterable[Results]) -> None:
        super().__init__(samples)
        self.corpus = {}


class Evaluator:
    """Scores videos as they come; the detector is loaded once."""

    def __init__(self, metrics: list[BaseMetric], watcher: Watcher | None, detections: str | None) -> None:
        self._metrics = metrics
        self._watcher = watcher
        self._detections = detections

    @property
    def metric_names(self) -> list[str]:
        """Full names."""
        return [metric.name for metric in self._metrics]

    @overload
    def evaluate(self, samples: Iterable[Mapping[str, Any]]) -> EvaluatedSamples: ...

    @overload
    def evaluate(self, samples: None = None, **sample: Any) -> Results: ...

    def evaluate(self, samples: Iterable[Mapping[str, Any]] | None = None, **sample: Any) -> EvaluatedSamples | Results:
        """Score samples, or one sample given by keywords.

        A sample: `video`, a path, an s3:// uri or an array (T, 3, H, W) of uint8 or floats 0..1; `text_prompt`;
        `auxiliary_info`, e.g. `{"color": "red"}`; other keys are passed over. A metric that lacks something gives a result
        without a score, and the reason. Raises InputError for a sample that is none.
        """
        if samples is None:
            return self._results([sample])[0]
        return EvaluatedSamples(self._results(list(samples)))

    def _results(self, given: list[Mapping[str, Any]]) -> list[Results]:
        videos = [_sample(index, one) for index, one in enumerate(given)]
        looks = (Look(one.index, one.video, resize_rule(one)) for one in videos if one.video is not None)
        for one, record in zip(videos, given, strict=True):
            if one.video is None:
                put_fields(one, fields_of_array(record["video"], watcher=self._watcher, rule=resize_rule(one)))
        if any(one.video is not None for one in videos):
            for seen in look_at(looks, watcher=self._watcher, folder=self._detections):
                put_fields(videos[seen.look.at], fields_of(seen))
        return [{metric.name: metric.compute(video) for metric in self._metrics} for video in videos]


def create_evaluator(
    metrics: str | Iterable[str] = "vbench",
    *,
    mode: str = "strict",
    detector: str | os.PathLike[str] | None = None,
    detections: str | os.PathLike[str] | None = None,
    provider: Provider = "auto",
    threads: int | None = None,
) -> Evaluator:
    """An evaluator of videos.

    metrics: names, or groups (`vbench`), of which those are taken that have the mode. mode: `compat:fastvideo` is
    FastVideo's. detector: folder of an exported GRiT, else that of SCENESCORE_DETECTOR; without one, metrics that read
    detections skip with a reason. detections: a folder where detections files are kept and found again. Raises RequestError
    for a metric that does not read videos, ModelError for a damaged detector.
    """
    words = [metrics] if isinstance(metrics, str) else list(metrics)
    names = [name for word in words for name in select_metrics([word]) if name == word or has_mode(name, mode)]
    made = [get_metric(name, mode=mode) for name in dict.fromkeys(names)]
    for metric in made:
        if not issubclass(metric.sample, VideoSample):
            raise RequestError(f"{metric.name} does not read videos", field="metrics", hint="Use handler.evaluate")
    machine = Machine(detector=Path(detector) if detector is not None else None, provider=provider, threads=threads)
    watcher = watcher_of(machine) if needs_detector(made) else None
    return Evaluator(made, watcher, os.fspath(detections) if detections is not None else None)


def _sample(index: int, given: Mapping[str, Any]) -> VideoSample:
    video = given.get("video")
    if video is None:
        raise RequestError(f"sample {index} has no video", field="video", hint="Give a path or an array (T, 3, H, W)")
    location = os.fspath(video) if isinstance(video, str | os.PathLike) else None
    try:
        asked = asked_by(given.get("auxiliary_info"))
    except FieldError as error:
        raise RequestError(f"sample {index}: {error}", field=error.field) from error
    return VideoSample(
        index=index,
        session_id="samples",
        assistant_id=UNKNOWN_ASSISTANT,
        sample_id=str(index),
        answer=None,
        references=(),
        prompt=given.get("text_prompt", given.get("prompt")),
        video=location,
        **asked,
    )

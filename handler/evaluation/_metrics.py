"""Which metrics a request means, made with its mode and options, and whether they fit what the input holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handler.errors import RequestError
from handler.evaluation._calibrated import calibrated_options
from handler.evaluation._pictures import picture_opener
from handler.evaluation._request import EvaluationRequest
from handler.formats import HOLDS
from handler.metrics import BaseMetric, get_metric, has_mode, metric_class, select_metrics
from handler.models import TextEncoder, int8_kernel, shared_image_text_encoder, shared_text_encoder
from handler.models.dense import Provider
from handler.samples import (
    BenchSample,
    CaptionSample,
    JudgedSample,
    RankingSample,
    Sample,
    SequenceSample,
    SpeechSample,
    VideoSample,
    VqaSample,
    YesNoSample,
)
from handler.settings import DEFAULT_THRESHOLD, Settings

__all__ = ["DEFAULT_METRICS", "Machine", "check_fit", "make_metrics", "metric_names", "multiplied", "text_encoder"]

DEFAULT_METRICS: Mapping[type[Sample], tuple[str, ...]] = {
    Sample: ("vision.similarity", "vision.hallucination"),
    YesNoSample: ("pope",),
    VqaSample: ("vqa.accuracy",),
    SequenceSample: ("vlm2bench.hallucination",),
    BenchSample: ("vlm2bench.native",),
    CaptionSample: ("captions.ngram",),
    SpeechSample: ("speech.wer",),
    RankingSample: ("retrieval.ranking",),
    JudgedSample: ("judge.agreement",),
    VideoSample: ("vbench",),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """What the caller's machine offers, none of which changes a score.

    model, clip: folders of the exported text encoder (the fp32 one, beside which the int8 one lies) and CLIP; None means
    those of the settings. threads: None means the cores this process may use. force: score again though a finished result
    exists. on_progress: called with the number of samples just scored. must_stop: asked after each chunk; when it says
    yes, what is scored is saved, OutOfTimeError is raised, and the same call goes on from there. sequencer: S3's order of
    writes to the input's key, for `latest.json`.
    detector: folder of an exported dense captioner, for videos; None means that of the settings, where there is one.
    provider: what it runs on: auto, cpu or cuda. seen: gives the fields of a video's sample where others looked at it.
    resume: carry on what an earlier run of the same request left when it was killed (with must_stop, always); without it
    that is scored again from the start. shards: how many parts of the input are scored side by side, each in a process.
    cache: where vectors of texts are kept between runs, a folder or s3:// prefix; None means that of the settings.
    """

    model: Path | None = None
    threads: int | None = None
    force: bool = False
    on_progress: Callable[[int], object] | None = None
    must_stop: Callable[[], bool] | None = None
    sequencer: str | None = None
    clip: Path | None = None
    detector: Path | None = None
    provider: Provider = "auto"
    seen: Callable[[VideoSample], Mapping[str, Any]] | None = None
    resume: bool = False
    shards: int | None = None
    cache: str | None = None


def metric_names(request: EvaluationRequest, sample: type[Sample] = Sample) -> list[str]:
    """The metrics the request names, else those for what the input holds; of a group, those that have the request's mode
    where any has."""
    names: dict[str, None] = {}
    for word in request.metrics or DEFAULT_METRICS[sample]:
        found = select_metrics([word])
        fitting = [name for name in found if has_mode(name, request.mode)]
        names |= dict.fromkeys(fitting or found)
    return list(names)


def make_metrics(request: EvaluationRequest, machine: Machine, sample: type[Sample] = Sample) -> list[BaseMetric]:
    """The metrics, made with the request's mode, threshold and options."""
    names = metric_names(request, sample)
    calibrated = calibrated_options(request, names, lambda name: _make(name, request, machine, {}))
    return [_make(name, request, machine, calibrated.get(name, {})) for name in names]


def _make(name: str, request: EvaluationRequest, machine: Machine, calibrated: Mapping[str, Any]) -> BaseMetric:
    cls = metric_class(name)
    options: dict[str, Any] = {"mode": request.mode}
    if "threshold" in cls.options and cls.own_threshold is None:
        options["threshold"] = request.threshold
    options |= {**_own_options(cls, request.options.get(name, {})), **calibrated}
    if "text_encoder" in cls.models:
        options["encoder"] = text_encoder(machine, request.precision)
    if "image_text_encoder" in cls.models:
        folder = machine.clip or Settings.from_environment().clip
        options["encoder"] = shared_image_text_encoder(folder, machine.threads)
        options["open_image"] = picture_opener(request)
    return get_metric(name, **options)


def text_encoder(machine: Machine, precision: str) -> TextEncoder:
    """This process's encoder for a request."""
    settings = Settings.from_environment()
    return shared_text_encoder(
        machine.model or settings.model, machine.threads, machine.cache or settings.cache, precision
    )


def multiplied(request: EvaluationRequest, machine: Machine, metrics: Sequence[BaseMetric]) -> dict[str, str | None]:
    """`int8_kernel`, how matrices are multiplied here, where a metric runs in int8; else nothing.

    It changes the time and no bit of a score, so no signature says it: machines of both kinds may share one evaluation.
    """
    if request.precision != "int8" or not any("text_encoder" in metric.models for metric in metrics):
        return {}
    encoder = text_encoder(machine, request.precision)
    return {"int8_kernel": int8_kernel(encoder.folder)} if encoder.precision == "int8" else {}


def check_fit(
    request: EvaluationRequest, metrics: Sequence[BaseMetric], sample: type[Sample], roles: Mapping[str, str]
) -> None:
    """Raises RequestError for a metric that reads something else, and for a file or options that nothing reads."""
    for metric in metrics:
        if not issubclass(sample, metric.sample) or (metric.sample is Sample and not sample.are_texts):
            raise RequestError(
                f"{metric.name} reads {HOLDS[metric.sample]}, and the input holds {HOLDS[sample]}",
                field="metrics",
                hint="`scenescore inspect` says how a file is read; --format says it yourself",
            )
    _refuse_unused(request, [metric.name for metric in metrics], roles)


def _own_options(cls: type[BaseMetric], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options meant for a metric. Raises RequestError for one it does not have."""
    for key in given:
        if key not in cls.options:
            known = ", ".join(cls.options) or "none"
            raise RequestError(
                f"{cls.name} has no option {key!r}", field=f"options.{cls.name}.{key}", hint=f"It has: {known}"
            )
    return dict(given)


def _refuse_unused(request: EvaluationRequest, names: Sequence[str], roles: Mapping[str, str]) -> None:
    """A file that nothing reads, or options for a metric that does not run, are a mistake worth saying."""
    for role in ("references", "questions"):
        location = getattr(request, role)
        if location is not None and location not in roles.values():
            raise RequestError(f"no metric of this request reads a {role} file: {', '.join(names)}", field=role)
    for name in request.options:
        if name not in names:
            raise RequestError(f"options are given for {name!r}, which is not evaluated", field=f"options.{name}")
    apart = [name for name in names if metric_class(name).own_threshold is not None]
    takers = [name for name in names if name not in apart and "threshold" in metric_class(name).options]
    if apart and not takers and request.threshold != DEFAULT_THRESHOLD:
        raise RequestError(
            f"the threshold is a similarity, which {apart[0]} does not compare",
            field="threshold",
            hint=f"Its own is an option: --option {apart[0]}.threshold={request.threshold:g}",
        )

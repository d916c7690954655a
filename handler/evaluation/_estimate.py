"""Time and price before running: read the input, time a few texts on this machine, multiply."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from handler.errors import RequestError
from handler.evaluation._inputs import find_files, read_files
from handler.evaluation._metrics import Machine, make_metrics, text_encoder
from handler.evaluation._needs import needs_text_encoder
from handler.evaluation._opened import read_options, sample_of
from handler.evaluation._request import EvaluationRequest
from handler.formats import Notices, plan_of
from handler.models import TextEncoder
from handler.samples import Sample, Unreadable, VideoSample
from handler.settings import available_threads

__all__ = ["Estimate", "estimate"]

MAX_DISTINCT = 250_000  # texts told apart; from there on the share seen so far is assumed to hold
COUNTED = 20_000  # distinct texts whose tokens are counted; the rest are taken to be as long
TIMED_TOKENS = 2_000  # about a second and a half on one core
SECONDS_PER_FRAME = 1 / 60_000  # reading, comparing and writing one frame once its texts are known (`make bench`)
SECONDS_OF_CLAIMS = 0.003  # of one frame more, on one core, where its claims are looked for (`make bench`)
GB_PER_VCPU = 1.769  # Lambda gives one vCPU at 1,769 MB (AWS Lambda developer guide, "Configure function memory")
USD_PER_GB_SECOND = 0.0000166667  # x86, first tier, us-east-1 (AWS Lambda pricing page, 2025); requests cost far less


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would take.

    tokens: of all distinct texts, cut at the model's limit. tokens_per_second: measured here, with `threads` threads; 0
    when no model is needed.
    seconds_per_frame: on one core, once its texts are known.
    core_seconds: on one core like one of this machine's. lambda_usd: those seconds at Lambda's price for one vCPU.
    """

    frames: int
    unreadable: int
    distinct_texts: int
    tokens: int
    threads: int
    tokens_per_second: float
    seconds_per_frame: float
    seconds: float
    core_seconds: float
    lambda_usd: float

    def lines(self) -> list[str]:
        """The estimate with its arithmetic, for a person."""
        if not self.tokens_per_second:
            return [
                f"answers          {self.frames:,}" + (f" ({self.unreadable:,} unreadable)" if self.unreadable else ""),
                f"expected time    no model is needed: {self.frames:,} / {1 / self.seconds_per_frame:,.0f} "
                f"= {self.seconds:,.1f} s",
            ]
        per_core = self.tokens_per_second / self.threads
        return [
            f"frames           {self.frames:,}" + (f" ({self.unreadable:,} unreadable)" if self.unreadable else ""),
            f"distinct texts   {self.distinct_texts:,}, {self.tokens:,} tokens",
            f"this machine     {self.tokens_per_second:,.0f} tokens/s with {self.threads} threads, measured just now",
            f"expected time    {self.tokens:,} / {self.tokens_per_second:,.0f} + {self.frames:,} / "
            f"{1 / self.seconds_per_frame:,.0f} = {self.seconds:,.1f} s",
            f"price on Lambda  ({self.tokens:,} / {per_core:,.0f} + {self.frames:,} / {1 / self.seconds_per_frame:,.0f}) s "
            f"x {GB_PER_VCPU} GB x ${USD_PER_GB_SECOND:.10f} = ${self.lambda_usd:,.4f}, if its cores are as fast",
        ]


def estimate(request: EvaluationRequest, machine: Machine) -> Estimate:
    """Read the whole input, encode a few of its texts, and say what a run would take. Nothing is written."""
    if request.input is None:
        raise RequestError("an estimate needs an input file", field="input")
    metrics = make_metrics(request, machine, sample_of(request))  # refuses what the run would refuse
    if any("image_text_encoder" in metric.models for metric in metrics):
        raise RequestError(
            "how long pictures take is not estimated", field="metrics", hint="Time a run with --limit 100 instead"
        )
    if any(issubclass(metric.sample, VideoSample) for metric in metrics):
        raise RequestError(
            "how long videos take is not estimated", field="metrics", hint="Time a run with --limit 10 instead"
        )
    if not needs_text_encoder(request):
        return _without_model(request, machine.threads or available_threads())
    encoder = text_encoder(machine, request.precision)
    frames, unreadable, texts, share = _read(request)
    counted = [(text, min(len(encoder.token_ids(text)[0]), encoder.card.max_tokens)) for text in texts[:COUNTED]]
    distinct = len(texts) if frames == 0 or share is None else round(share * frames)
    mean_tokens = sum(n for _, n in counted) / len(counted) if counted else 0.0
    tokens = round(mean_tokens * distinct)
    speed = _tokens_per_second(encoder, counted)
    has_claims = any(metric.name == "vision.claims" for metric in metrics)
    per_frame = SECONDS_PER_FRAME + (SECONDS_OF_CLAIMS if has_claims else 0.0)
    rest = frames * per_frame
    core_seconds = tokens * encoder.threads / speed + rest
    return Estimate(
        frames=frames,
        unreadable=unreadable,
        distinct_texts=distinct,
        tokens=tokens,
        threads=encoder.threads,
        tokens_per_second=speed,
        seconds_per_frame=per_frame,
        seconds=tokens / speed + rest,
        core_seconds=core_seconds,
        lambda_usd=core_seconds * GB_PER_VCPU * USD_PER_GB_SECOND,
    )


def _without_model(request: EvaluationRequest, threads: int) -> Estimate:
    frames, unreadable, texts, _ = _read(request)
    seconds = frames * SECONDS_PER_FRAME
    price = seconds * GB_PER_VCPU * USD_PER_GB_SECOND
    return Estimate(frames, unreadable, len(texts), 0, threads, 0.0, SECONDS_PER_FRAME, seconds, seconds, price)


def _read(request: EvaluationRequest) -> tuple[int, int, list[str], float | None]:
    """Frames, unreadable items, distinct texts in order of appearance, and distinct texts per frame where that is cut."""
    options = replace(read_options(request), on_missing="skip")
    frames = unreadable = 0
    texts: dict[str, None] = {}
    share: float | None = None
    files = tuple(find_files(request.input or ""))
    plan = plan_of([info.location for info in files], options)
    for record in read_files(files, options, Notices(), plan):
        if not isinstance(record, Sample):
            unreadable += isinstance(record, Unreadable)
            continue
        frames += 1
        if share is None:
            texts.update(dict.fromkeys([*record.references, *([] if record.answer is None else [record.answer])]))
            if len(texts) >= MAX_DISTINCT:
                share = len(texts) / frames
        if frames == request.limit:
            break
    return frames, unreadable, list(texts), share


def _tokens_per_second(encoder: TextEncoder, counted: Iterable[tuple[str, int]]) -> float:
    """Speed on the input's own first texts, or on a sentence when there are none."""
    sums = itertools.accumulate(counted, lambda total, one: (one[0], total[1] + one[1]))
    wanted = [text for text, total in itertools.takewhile(lambda one: one[1] <= TIMED_TOKENS, sums)]
    wanted = wanted or ["A person walks past the gate."]
    encoder.encode(["load the model"])
    fresh = TextEncoder(encoder.folder, threads=encoder.threads, remember=0, like=encoder)
    started = time.perf_counter()
    encoded = fresh.encode(wanted)
    seconds = time.perf_counter() - started
    return sum(min(n, encoder.card.max_tokens) for n in encoded.n_tokens) / seconds

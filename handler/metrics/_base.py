"""The metric contract: what every metric declares, computes and keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

from handler.errors import RequestError
from handler.results import MetricResult
from handler.samples import Sample

__all__ = ["BaseMetric", "Calibrated", "Mode", "Tally", "compute_all", "parse_mode", "score_signature"]


class Mode(NamedTuple):
    """`strict`, or `compat` with the tool that is reproduced (None: the metric's own ancestor)."""

    compat: bool
    tool: str | None = None

    def __str__(self) -> str:
        if not self.compat:
            return "strict"
        return f"compat:{self.tool}" if self.tool else "compat"


STRICT = Mode(compat=False)


def parse_mode(text: str) -> Mode:
    """`strict`, `compat` or `compat:TOOL`. Raises RequestError for anything else."""
    if text == "strict":
        return STRICT
    kind, colon, tool = text.partition(":")
    if kind != "compat" or (colon and not tool):
        raise RequestError(f"there is no mode {text!r}", field="mode", hint="Use strict, compat or compat:TOOL")
    return Mode(compat=True, tool=tool or None)


def score_signature(signature: str) -> str:
    """A metric's signature without what its threshold adds: all that decides its score, which a threshold is found on."""
    parts = signature.split("|")
    return "|".join(part for part in parts if part.partition(":")[0] not in ("threshold", "calibration"))


class Calibrated(NamedTuple):
    """Where a threshold comes from. fingerprint: of the calibration. summary: what a report says of it. chance: score ->
    probability that a person would call the answer different from what was seen; None where that could not be fitted."""

    fingerprint: str
    summary: Mapping[str, Any]
    chance: Callable[[float], float] | None


class Tally:
    """The mergeable summary of one metric over a slice: a session, a tag value, everything.

    n_samples = n_scored + n_skipped + n_error, and `skipped` counts the reasons. Subclasses add what their summary needs
    in `_add_score` and name it in `fields`; the state is plain JSON.
    """

    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self.n_scored = 0
        self.n_error = 0
        self.skipped: Counter[str] = Counter()

    def add(self, result: MetricResult) -> None:
        """Count one result."""
        if result.score is not None:
            self.n_scored += 1
            self._add_score(result.score, result.details)
        elif "error" in result.details:
            self.n_error += 1
        else:
            self.skipped[result.details.get("skipped", "unstated")] += 1

    def add_all(self, results: Iterable[MetricResult]) -> None:
        """Count results in their order. It leaves the bits that `add` leaves one by one; subclasses may be quicker."""
        for result in results:
            self.add(result)

    def merge_from(self, other: Self) -> None:
        """Fold in the tally of another shard."""
        self.n_scored += other.n_scored
        self.n_error += other.n_error
        self.skipped.update(other.skipped)
        self._merge_scores(other)

    def state(self) -> dict[str, Any]:
        """Plain JSON from which `restore` makes an equal tally."""
        own = {name: getattr(self, name) for name in self.fields}
        return {"n_scored": self.n_scored, "n_error": self.n_error, "skipped": dict(self.skipped), **own}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a saved state."""
        self.n_scored, self.n_error = state["n_scored"], state["n_error"]
        self.skipped = Counter(state["skipped"])
        for name in self.fields:
            setattr(self, name, state[name])

    def counts(self) -> dict[str, Any]:
        """The counts every summary carries."""
        n_skipped = self.skipped.total()
        return {
            "n_samples": self.n_scored + n_skipped + self.n_error,
            "n_scored": self.n_scored,
            "n_skipped": n_skipped,
            "n_error": self.n_error,
            "skipped": dict(sorted(self.skipped.items())),
        }

    def summary(self) -> dict[str, Any]:
        """The figures of the slice; a figure that nothing supports is None."""
        raise NotImplementedError

    def _add_score(self, score: float, details: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def _merge_scores(self, other: Self) -> None:
        raise NotImplementedError


class BaseMetric:
    """Base of all metrics (names follow FastVideo's evaluation framework).

    Class attributes say what the metric is: `range` (low, high; None = unbounded), `needs_gpu` (of the detector it
    depends on), `dependencies` (optional packages), `models` (exported models it reads), `ancestors` (tools that `compat`
    can reproduce, its own first), `sample` (the record it reads), `title` (one line for `scenescore metrics`),
    `by_name_only` (its group's name does not select it, for it needs a model that few have), `threshold_of` (the metric
    whose score is compared with this one's threshold; that score can be calibrated), `own_threshold` (what stands where
    none is stated, of a metric whose threshold is on its own score and not the request's similarity), `goes_first` (it is
    computed before the other metrics of a run, because its pass over the model serves them too).

    A per-sample metric implements `compute_batch`, whose order is that of the samples, and `tally`. A set metric
    (`is_set_metric`) implements `accumulate`, `finalize`, `reset` and `merge_from`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    version: ClassVar[str] = "1"
    higher_is_better: ClassVar[bool] = True
    range: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    requires_reference: ClassVar[bool] = True
    needs_gpu: ClassVar[bool] = False
    dependencies: ClassVar[tuple[str, ...]] = ()
    is_set_metric: ClassVar[bool] = False
    by_name_only: ClassVar[bool] = False
    sample: ClassVar[type] = Sample
    models: ClassVar[tuple[str, ...]] = ()
    ancestors: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[Mapping[str, str]] = {}
    threshold_of: ClassVar[str | None] = None
    own_threshold: ClassVar[float | None] = None
    goes_first: ClassVar[bool] = False
    calibrated: Calibrated | None = None

    def __init__(self, *, mode: Mode | str = STRICT) -> None:
        self.mode = parse_mode(mode) if isinstance(mode, str) else mode
        tool = self.mode.tool
        if self.mode.compat and (not self.ancestors or tool not in (None, *self.ancestors)):
            known = ", ".join(f"compat:{one}" for one in self.ancestors) or "strict only"
            raise RequestError(f"{self.name} has no mode {self.mode}", field="mode", hint=f"It has: {known}")
        if self.mode.compat and tool is None:
            self.mode = Mode(compat=True, tool=self.ancestors[0])

    def setup(self) -> None:
        """Load what the metric needs now rather than on first use."""

    def flush(self) -> None:
        """Write what the metric's models keep between runs. It may be called at any time."""

    def to(self, device: str) -> Self:
        """Move models to a device. Metrics without a model of their own ignore it."""
        return self

    def signature(self) -> str:
        """How the number came about, in sacrebleu's manner: `name|key:value|…`."""
        parts = {"version": self.version, **self.signature_parts(), "mode": str(self.mode)}
        return "|".join([self.name, *(f"{key}:{value}" for key, value in parts.items())])

    def signature_parts(self) -> dict[str, Any]:
        """What else a signature must say: model, precision, options."""
        return {}

    def compute(self, sample: Sample) -> MetricResult:
        """Score one sample."""
        return self.compute_batch([sample])[0]

    def compute_batch(self, samples: Sequence[Sample]) -> list[MetricResult]:
        """Score samples, in their order."""
        return [self.compute(sample) for sample in samples]

    def tally(self) -> Tally:
        """An empty tally for one slice of samples."""
        raise NotImplementedError(f"{self.name} is a set metric: it has finalize() instead")

    def session_key(self, session_id: str, assistant_id: str) -> tuple[str, str]:
        """Which session summary a sample belongs to."""
        return (session_id, assistant_id)

    def badness(self, result: MetricResult) -> float | None:
        """How much a sample deserves a person's eye; None for not at all. The highest are listed as worst."""
        if result.score is None:
            return None
        return -result.score if self.higher_is_better else result.score

    def accumulate(self, sample: Sample) -> None:
        """Set metrics: take in one sample."""
        raise NotImplementedError(f"{self.name} is scored per sample: use compute()")

    def finalize(self) -> MetricResult:
        """Set metrics: the result over everything taken in."""
        raise NotImplementedError(f"{self.name} is scored per sample: use tally()")

    def reset(self) -> None:
        """Set metrics: forget everything taken in."""

    def merge_from(self, other: Self) -> None:
        """Set metrics: fold in what another worker took in."""
        raise NotImplementedError(f"{self.name} is scored per sample: merge its tallies")

    def _skip(self, sample: Sample, reason: str) -> MetricResult:
        """A result without a score, for a stated reason."""
        return MetricResult(self.name, None, {"skipped": reason})


def compute_all(metrics: Sequence[BaseMetric], samples: Sequence[Any]) -> dict[str, list[MetricResult]]:
    """The results of each metric, in the order of the metrics; those that go first are asked first."""
    ordered = sorted(metrics, key=lambda metric: not metric.goes_first)
    found = {metric.name: metric.compute_batch(samples) for metric in ordered}
    return {metric.name: found[metric.name] for metric in metrics}

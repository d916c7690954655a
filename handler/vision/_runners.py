"""VisionSimilarity, VisionHallucination and VisionClaims over a retriever."""

from __future__ import annotations

import difflib
import inspect
import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from handler.metrics import BaseMetric as Metric
from handler.metrics import Mode, Tally, parse_mode, vision
from handler.results import MetricResult
from handler.samples import Sample
from handler.settings import DEFAULT_THRESHOLD
from handler.vision._data import Batch, Dataset, IterationLevel, Retriever, SessionMetadata, StreamedBatch
from handler.vision._results import (
    BaseMetric,
    VisionClaimsInteraction,
    VisionClaimsMetric,
    VisionHallucinationInteraction,
    VisionHallucinationMetric,
    VisionSimilarityInteraction,
    VisionSimilarityMetric,
)
from handler.vision._scorers import SimilarityScorer, encoder_of, pairs_of

__all__ = ["VisionClaims", "VisionHallucination", "VisionSimilarity"]

CHUNK = 512  # frames scored together, so that streamed frames share encoding batches


class _Session:
    """One session's tally and scored frames."""

    def __init__(self, session_id: str, assistant_id: str, tally: Tally) -> None:
        self.session_id = session_id
        self.assistant_id = assistant_id
        self.tally = tally
        self.scored: list[tuple[str, MetricResult]] = []


class _VisionRunner(ABC):
    """Feeds a retriever's frames to a vision metric.

    retriever: the class; it is made with the keyword arguments that are not named here. scorer: how to compare two
    texts (default: cosine on all-mpnet-base-v2). threshold: what a frame's score is held against; None is the metric's own.
    mode: "strict" or "compat". `metrics` holds the results after `on_process_complete`.
    """

    def __init__(
        self,
        retriever: type[Retriever],
        scorer: SimilarityScorer | None = None,
        threshold: float | None = None,
        verbose: bool = False,
        mode: str = "strict",
        **kwargs: Any,
    ) -> None:
        _check_words(kwargs)
        if not inspect.isclass(retriever):
            raise TypeError(
                f"retriever must be a class, not an instance of {type(retriever).__name__}: pass it uncalled"
            )
        self.retriever = retriever(**kwargs)
        self.verbose = verbose
        self.logger = _logger(verbose)
        self.metrics: list[Any] = []
        loaded: Any = self.retriever.load_dataset()
        if not isinstance(loaded, Iterable):
            kind = type(loaded).__name__
            raise TypeError(f"{retriever.__name__}.load_dataset gives {kind}, not a list or generator of sessions")
        self.dataset: Iterable[Any] = loaded
        self.level = IterationLevel(self.retriever.iteration_level)
        if isinstance(self.dataset, Iterator) and self.level is IterationLevel.FULL_DATASET:
            raise ValueError(
                "load_dataset gives a generator: set the retriever's iteration_level to STREAM_SESSIONS or STREAM_BATCHES"
            )
        self.threshold = self.default_threshold if threshold is None else threshold
        self._metric = self._make_metric(scorer, self.threshold, parse_mode(mode))
        self._sessions: dict[tuple[str, str], _Session] = {}
        self._pending: list[Sample] = []

    default_threshold: ClassVar[float] = DEFAULT_THRESHOLD

    @classmethod
    def run(cls, retriever: type[Retriever], **kwargs: Any) -> list[Any]:
        """Evaluate everything the retriever loads; one result per session."""
        return cls(retriever, **kwargs)._process()

    def batch(
        self, session_id: str, context: str, assistant_id: str, batch: list[Batch], language: str | None = "english"
    ) -> None:
        """Take in frames of a session. They are scored when enough have come together, or at the end."""
        key = self._metric.session_key(session_id, assistant_id)
        if key not in self._sessions:
            self._sessions[key] = _Session(session_id, assistant_id, self._metric.tally())
        for one in batch:
            reference = one.ground_truth_assistant
            self._pending.append(
                Sample(len(self._pending), session_id, assistant_id, one.qa_id, one.assistant, (reference,), language)
            )
        if len(self._pending) >= CHUNK:
            self._score_pending()

    def on_process_complete(self) -> None:
        """Finish: fill `metrics` with one result per session."""
        self._score_pending()
        for session in self._sessions.values():
            summary = session.tally.summary()
            fields = {"session_id": session.session_id, "assistant_id": session.assistant_id, **summary}
            self.metrics.append(self._session_result(fields, session.scored))

    def _process(self) -> list[Any]:
        self.logger.info("evaluating %s with %s", type(self.retriever).__name__, self._metric.signature())
        for element in self.dataset:
            wanted = StreamedBatch if self.level is IterationLevel.STREAM_BATCHES else Dataset
            if not isinstance(element, wanted):
                kind, level = type(element).__name__, self.level.value
                raise TypeError(f"at iteration level {level} load_dataset gives {wanted.__name__} objects, not {kind}")
            about: SessionMetadata
            if isinstance(element, StreamedBatch):
                about, frames = element.metadata, [element.batch]
            else:
                about, frames = element, element.conversation
            self.batch(about.session_id, about.context, about.assistant_id, frames, about.language)
        self.on_process_complete()
        self.logger.info("done: %d sessions", len(self.metrics))
        return self.metrics

    def _score_pending(self) -> None:
        samples, self._pending = self._pending, []
        for sample, result in zip(samples, self._metric.compute_batch(samples), strict=True):
            session = self._sessions[self._metric.session_key(sample.session_id, sample.assistant_id)]
            session.tally.add(result)
            if result.score is not None:
                session.scored.append((sample.sample_id, result))

    @abstractmethod
    def _make_metric(self, scorer: SimilarityScorer | None, threshold: float, mode: Mode) -> Metric:
        """The metric underneath."""

    @abstractmethod
    def _session_result(self, fields: dict[str, Any], scored: list[tuple[str, MetricResult]]) -> BaseMetric:
        """A session's result object."""


class VisionSimilarity(_VisionRunner):
    """How close the model's descriptions are to what people saw; `threshold` is kept and does not change a score."""

    def _make_metric(self, scorer: SimilarityScorer | None, threshold: float, mode: Mode) -> Metric:
        return vision.VisionSimilarity(mode=mode, pairs=pairs_of(scorer))

    def _session_result(self, fields: dict[str, Any], scored: list[tuple[str, MetricResult]]) -> VisionSimilarityMetric:
        interactions = [
            VisionSimilarityInteraction(qa_id=qa_id, similarity_score=result.score or 0.0) for qa_id, result in scored
        ]
        return VisionSimilarityMetric(**fields, interactions=interactions)


class VisionHallucination(_VisionRunner):
    """How often a description falls below the threshold, a similarity."""

    def _make_metric(self, scorer: SimilarityScorer | None, threshold: float, mode: Mode) -> Metric:
        return vision.VisionHallucination(mode=mode, threshold=threshold, pairs=pairs_of(scorer))

    def _session_result(
        self, fields: dict[str, Any], scored: list[tuple[str, MetricResult]]
    ) -> VisionHallucinationMetric:
        interactions = [
            VisionHallucinationInteraction(
                qa_id=qa_id,
                similarity_score=result.details["similarity_score"],
                is_hallucination=result.details["is_hallucination"],
            )
            for qa_id, result in scored
        ]
        return VisionHallucinationMetric(**fields, interactions=interactions)


class VisionClaims(_VisionRunner):
    """How often a description contradicts what people saw, and in which words. threshold: a contradiction, 0..1.

    scorer: only a CosineSimilarity on a SentenceTransformerEmbedder, whose model is read. mode: strict only.
    """

    default_threshold = vision.VisionClaims.own_threshold

    def _make_metric(self, scorer: SimilarityScorer | None, threshold: float, mode: Mode) -> Metric:
        return vision.VisionClaims(mode=mode, threshold=threshold, encoder=encoder_of(scorer))

    def _session_result(self, fields: dict[str, Any], scored: list[tuple[str, MetricResult]]) -> VisionClaimsMetric:
        interactions = [
            VisionClaimsInteraction(
                qa_id=qa_id, **result.details | {"omissions": [one["words"] for one in result.details["omissions"]]}
            )
            for qa_id, result in scored
        ]
        return VisionClaimsMetric(**fields, interactions=interactions)


def _check_words(words: Iterable[str]) -> None:
    """Other keyword arguments are the retriever's; a misspelt one of ours must not vanish among them."""
    for word in words:
        near = difflib.get_close_matches(word, ("scorer", "threshold", "verbose", "mode"), n=1, cutoff=0.75)
        if near:
            raise TypeError(f"there is no argument {word!r}; did you mean {near[0]!r}?")
        if word == "embedder":
            raise TypeError("there is no argument 'embedder': pass scorer=CosineSimilarity(embedder)")


def _logger(verbose: bool) -> logging.Logger:
    logger = logging.getLogger("scenescore.vision")
    if verbose and not logger.handlers:
        logger.addHandler(logging.StreamHandler(sys.stderr))
        logger.setLevel(logging.INFO)
    return logger

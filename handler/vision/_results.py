"""The results of the vision metrics page. Every documented field is there; further figures come as extra fields."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ConfigDict

__all__ = [
    "BaseMetric",
    "VisionClaim",
    "VisionClaimsInteraction",
    "VisionClaimsMetric",
    "VisionHallucinationInteraction",
    "VisionHallucinationMetric",
    "VisionSimilarityInteraction",
    "VisionSimilarityMetric",
]

DISPLAY_WIDTH = 75  # columns; wraps the summary where the page does


class BaseMetric(BaseModel):
    """A session's result. Extra fields: n_samples, n_scored, n_skipped, n_error, skipped, intervals, band."""

    model_config = ConfigDict(extra="allow")

    session_id: str
    assistant_id: str


class VisionSimilarityInteraction(BaseModel):
    """A scored frame. similarity_score: cosine, -1..1."""

    qa_id: str
    similarity_score: float


class VisionSimilarityMetric(BaseMetric):
    """Mean, lowest and highest similarity of a session; None where no frame was scored."""

    mean_similarity: float | None
    min_similarity: float | None
    max_similarity: float | None
    summary: str
    interactions: list[VisionSimilarityInteraction]

    def display(self) -> None:
        """Print the session, the summary and one line per frame."""
        lines = (f"{one.qa_id}  similarity={one.similarity_score:.2f}" for one in self.interactions)
        _display(self, self.summary, lines)


class VisionHallucinationInteraction(BaseModel):
    """A scored frame. is_hallucination: similarity_score < threshold."""

    qa_id: str
    similarity_score: float
    is_hallucination: bool


class VisionHallucinationMetric(BaseMetric):
    """Frames below the threshold; the rate is None where no frame was scored (0.0 in compat)."""

    hallucination_rate: float | None
    n_hallucinations: int
    n_frames: int
    threshold: float
    summary: str
    interactions: list[VisionHallucinationInteraction]

    def display(self) -> None:
        """Print the session, the summary and one line per frame with its verdict."""
        verdict = {True: "HALLUCINATION", False: "ok"}
        lines = (
            f"{one.qa_id}  similarity={one.similarity_score:.2f}  {verdict[one.is_hallucination]}"
            for one in self.interactions
        )
        _display(self, self.summary, lines)


class VisionClaim(BaseModel):
    """Words in which description and reference disagree, "" where a side says nothing of it. kind: see
    `handler.claims.Kind`. confidence: 0..1. answer_spans, reference_spans: (first character, the one after the last)."""

    kind: str
    answer: str
    reference: str
    answer_spans: list[tuple[int, int]]
    reference_spans: list[tuple[int, int]]
    confidence: float


class VisionClaimsInteraction(BaseModel):
    """A scored frame. contradiction: 0..1. verdict: supported, contradicted or undecided. omissions: words of the reference
    that the description leaves out. similarity_score: cosine, -1..1, beside it and no part of it."""

    qa_id: str
    contradiction: float
    verdict: str
    claims: list[VisionClaim]
    omissions: list[str]
    similarity_score: float


class VisionClaimsMetric(BaseMetric):
    """Frames that contradict what people saw; rate: of the frames that can be decided, None where there are none."""

    rate: float | None
    n_contradicted: int
    n_undecided: int
    n_decided: int
    kinds: dict[str, int]
    threshold: float
    summary: str
    interactions: list[VisionClaimsInteraction]

    def display(self) -> None:
        """Print the session, the summary, and one line per frame with its verdict and below it its claims."""
        _display(self, self.summary, self._lines())

    def _lines(self) -> Iterator[str]:
        for one in self.interactions:
            yield f"{one.qa_id}  contradiction={one.contradiction:.2f}  {one.verdict}"
            for claim in one.claims:
                yield f"    {claim.kind}: said {claim.answer!r}, seen {claim.reference!r}"


def _display(result: BaseMetric, summary: str, lines: Iterable[str]) -> None:
    print(f"Session: {result.session_id}  |  Assistant: {result.assistant_id}")
    print(textwrap.fill(summary, DISPLAY_WIDTH))
    print()
    for line in lines:
        print(f"  {line}")
    print()

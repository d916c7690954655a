"""The results of the vision metrics page. Every documented field is there; further figures come as extra fields."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

__all__ = [
    "BaseMetric",
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


def _display(result: BaseMetric, summary: str, lines: Iterable[str]) -> None:
    print(f"Session: {result.session_id}  |  Assistant: {result.assistant_id}")
    print(textwrap.fill(summary, DISPLAY_WIDTH))
    print()
    for line in lines:
        print(f"  {line}")
    print()

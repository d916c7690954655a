"""What a retriever hands over: sessions of frames, whole or streamed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Batch", "Dataset", "IterationLevel", "Retriever", "SessionMetadata", "StreamedBatch"]


class Batch(BaseModel):
    """One frame. The vision metrics read qa_id, assistant and ground_truth_assistant; weight must be >= 0 and is unused."""

    model_config = ConfigDict(allow_inf_nan=False)

    qa_id: str
    query: str
    assistant: str
    ground_truth_assistant: str
    observation: str | None = None
    agentic: dict[str, Any] | None = Field(default_factory=dict)
    ground_truth_agentic: dict[str, Any] | None = Field(default_factory=dict)
    logprobs: dict[str, Any] | None = Field(default_factory=dict)
    weight: float | None = Field(default=None, ge=0)


class SessionMetadata(BaseModel):
    """What is said once per session, beside each streamed frame."""

    session_id: str
    assistant_id: str
    language: str | None = "english"
    context: str


class Dataset(SessionMetadata):
    """One session: a camera, a shift, a recording."""

    conversation: list[Batch]


class StreamedBatch(BaseModel):
    """One frame on its own, with its session's metadata."""

    metadata: SessionMetadata
    batch: Batch


class IterationLevel(StrEnum):
    """What `load_dataset` gives: a list of sessions, a stream of sessions, or a stream of frames."""

    FULL_DATASET = "full_dataset"
    STREAM_SESSIONS = "stream_sessions"
    STREAM_BATCHES = "stream_batches"


class Retriever(ABC):
    """Loads the data. Extra keyword arguments of `run` arrive in `kwargs`."""

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs

    @property
    def iteration_level(self) -> IterationLevel:
        """A list of sessions unless overridden."""
        return IterationLevel.FULL_DATASET

    @abstractmethod
    def load_dataset(self) -> list[Dataset] | Iterator[Dataset] | Iterator[StreamedBatch]:
        """The sessions or frames, as `iteration_level` says."""

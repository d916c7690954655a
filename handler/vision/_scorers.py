"""Embedders and scorers: ours, and the interfaces for a user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.counting import many
from handler.errors import ModelError
from handler.metrics.vision import PairScore, PairScorer, PairSource, cosine, pair_scorer
from handler.models import TextEncoder, load_card, shared_text_encoder
from handler.settings import DEFAULT_MODEL_NAME, Settings, default_model_folder, has_model

__all__ = ["CosineSimilarity", "Embedder", "SentenceTransformerEmbedder", "SimilarityScorer", "encoder_of", "pairs_of"]


class Embedder(ABC):
    """Texts to vectors."""

    @abstractmethod
    def encode(self, sentences: list[str]) -> NDArray[Any]:
        """Vectors of shape (len(sentences), dimension)."""

    def encode_query(self, sentences: list[str]) -> NDArray[Any]:
        """Vectors of queries; the same as `encode` unless the model tells them apart."""
        return self.encode(sentences)


class SentenceTransformerEmbedder(Embedder):
    """A sentence-transformers model, exported to ONNX and run without torch.

    model (or model_name): "all-mpnet-base-v2", the name of another exported model, or a model folder. batch_size is
    accepted for compatibility: batches are formed by token length here. normalize_embeddings: unit length (models
    with a normalising layer always give it).
    """

    def __init__(
        self,
        model: str | None = None,
        batch_size: int = 64,
        normalize_embeddings: bool = True,
        *,
        model_name: str | None = None,
    ) -> None:
        self._encoder = _encoder_of(model or model_name or DEFAULT_MODEL_NAME)
        self._normalize = normalize_embeddings and not self._encoder.card.normalize

    @property
    def encoder(self) -> TextEncoder:
        """The encoder underneath."""
        return self._encoder

    def encode(self, sentences: list[str]) -> NDArray[np.float32]:
        """float32 vectors of shape (len(sentences), dimension)."""
        vectors = self._encoder.encode(sentences).vectors
        if self._normalize:
            vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors


class SimilarityScorer(ABC):
    """A strategy to compare two descriptions."""

    @abstractmethod
    def calculate(self, assistant: str, ground_truth: str) -> float:
        """Similarity of the model's text and the person's; higher is closer."""


class CosineSimilarity(SimilarityScorer):
    """Cosine of the two texts' vectors, -1..1."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder

    def calculate(self, assistant: str, ground_truth: str) -> float:
        """Encode both texts and compare them."""
        one, other = _vectors(self.embedder, [assistant, ground_truth])
        return cosine(one, other)


class _EmbedderPairs:
    """Pairs over a user's embedder: each distinct text of a call is encoded once, in one call."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        vectors = dict(zip(texts, _vectors(self._embedder, texts), strict=True)) if texts else {}
        return [PairScore(cosine(vectors[one], vectors[other])) for one, other in pairs]

    def signature_parts(self) -> dict[str, Any]:
        return {"scorer": f"cosine({type(self._embedder).__name__})"}


class _ScorerPairs:
    """Pairs over a user's scorer, one call each."""

    def __init__(self, scorer: SimilarityScorer) -> None:
        self._scorer = scorer

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        return [PairScore(self._similarity(one, other)) for one, other in pairs]

    def _similarity(self, one: str, other: str) -> float:
        found = self._scorer.calculate(one, other)
        try:
            return float(found)
        except (TypeError, ValueError) as error:
            name = type(self._scorer).__name__
            raise TypeError(f"{name}.calculate gives {found!r}, not a number") from error

    def signature_parts(self) -> dict[str, Any]:
        return {"scorer": type(self._scorer).__name__}


def pairs_of(scorer: SimilarityScorer | None) -> PairSource:
    """Where a runner's similarities come from; None is the default model."""
    scorer = CosineSimilarity(SentenceTransformerEmbedder()) if scorer is None else scorer
    if isinstance(scorer, type) or not callable(getattr(scorer, "calculate", None)):
        raise TypeError(
            "scorer must be an object with calculate(assistant, ground_truth), such as CosineSimilarity(embedder)"
        )
    if type(scorer) is not CosineSimilarity:
        return _ScorerPairs(scorer)
    embedder = scorer.embedder
    if type(embedder) is SentenceTransformerEmbedder:
        pairs: PairScorer = pair_scorer(embedder.encoder)
        return pairs
    return _EmbedderPairs(embedder)


def encoder_of(scorer: SimilarityScorer | None) -> TextEncoder:
    """The model whose layers a metric reads; None is the default model. Raises TypeError for a scorer that has none."""
    embedder = getattr(scorer, "embedder", None) if type(scorer) is CosineSimilarity else None
    if scorer is None:
        embedder = SentenceTransformerEmbedder()
    if type(embedder) is not SentenceTransformerEmbedder:
        raise TypeError(
            "VisionClaims reads a model's inner layers: leave scorer out, or pass "
            "CosineSimilarity(SentenceTransformerEmbedder(model=...))"
        )
    return embedder.encoder


def _vectors(embedder: Embedder, texts: list[str]) -> NDArray[Any]:
    """The embedder's vectors. Raises TypeError when it does not give one per text."""
    vectors = np.asarray(embedder.encode(texts))
    if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.dtype.kind not in "fiu":
        kind = f"an array of shape {vectors.shape} and type {vectors.dtype}"
        raise TypeError(
            f"{type(embedder).__name__}.encode gives {kind} for {many(len(texts), 'text')}, not one vector each"
        )
    return vectors


def _encoder_of(name: str) -> TextEncoder:
    """A folder is used as it is; of a model's name, the precision of the settings."""
    if has_model(Path(name)):
        return shared_text_encoder(Path(name))
    settings = Settings.from_environment()
    return shared_text_encoder(_folder_of(name, settings), precision=settings.precision)


def _folder_of(name: str, settings: Settings) -> Path:
    """Where `scenescore export` puts the model of that name, which leaves its owner's out: the card says whose it is."""
    if name.removeprefix("sentence-transformers/") == DEFAULT_MODEL_NAME:
        return settings.model
    folder = default_model_folder(name.rpartition("/")[2])
    if not has_model(folder) or ("/" in name and _source_of(folder) != name):
        raise ModelError(
            f"there is no exported model {name!r}",
            file=str(folder),
            hint=f"Type: scenescore export text-encoder --model {name}",
        )
    return folder


def _source_of(folder: Path) -> Any:
    """What an exported model was made of."""
    return ((load_card(folder).model_extra or {}).get("source") or {}).get("id")

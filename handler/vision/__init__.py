"""The Python API of the vision metrics page: code written for fair-forge runs after changing the import.

    from handler.vision import VisionSimilarity

    for result in VisionSimilarity.run(MyRetriever, threshold=0.75):
        result.display()

What differs on purpose: the default scorer works, similarities are compared unrounded, a blank reference is skipped
rather than scored, and an empty session gives a result without a mean instead of a division by zero. `mode="compat"`
brings back fair-forge's rounding, merging and scoring of blank text. `VisionClaims` is scenescore's own.
"""

from handler.vision._data import Batch, Dataset, IterationLevel, Retriever, SessionMetadata, StreamedBatch
from handler.vision._results import (
    BaseMetric,
    VisionClaim,
    VisionClaimsInteraction,
    VisionClaimsMetric,
    VisionHallucinationInteraction,
    VisionHallucinationMetric,
    VisionSimilarityInteraction,
    VisionSimilarityMetric,
)
from handler.vision._runners import VisionClaims, VisionHallucination, VisionSimilarity
from handler.vision._scorers import CosineSimilarity, Embedder, SentenceTransformerEmbedder, SimilarityScorer

__all__ = [
    "BaseMetric",
    "Batch",
    "CosineSimilarity",
    "Dataset",
    "Embedder",
    "IterationLevel",
    "Retriever",
    "SentenceTransformerEmbedder",
    "SessionMetadata",
    "SimilarityScorer",
    "StreamedBatch",
    "VisionClaim",
    "VisionClaims",
    "VisionClaimsInteraction",
    "VisionClaimsMetric",
    "VisionHallucination",
    "VisionHallucinationInteraction",
    "VisionHallucinationMetric",
    "VisionSimilarity",
    "VisionSimilarityInteraction",
    "VisionSimilarityMetric",
]

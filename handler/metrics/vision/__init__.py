"""Frame descriptions against what people saw: similarity, the share of frames below a threshold, contradictions."""

from handler.metrics.vision._bands import BANDS_OF_RATE, BANDS_OF_SIMILARITY, Band, band_of
from handler.metrics.vision._claims import VisionClaims
from handler.metrics.vision._hallucination import VisionHallucination
from handler.metrics.vision._judging import PairMetric, VisionMetric
from handler.metrics.vision._pairs import PairScore, PairScorer, PairSource, cosine, pair_scorer
from handler.metrics.vision._readings import ClaimScorer, ClaimSource, PairClaims
from handler.metrics.vision._similarity import VisionSimilarity

__all__ = [
    "BANDS_OF_RATE",
    "BANDS_OF_SIMILARITY",
    "Band",
    "ClaimScorer",
    "ClaimSource",
    "PairClaims",
    "PairMetric",
    "PairScore",
    "PairScorer",
    "PairSource",
    "VisionClaims",
    "VisionHallucination",
    "VisionMetric",
    "VisionSimilarity",
    "band_of",
    "cosine",
    "pair_scorer",
]

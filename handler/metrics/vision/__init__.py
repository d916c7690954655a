"""Frame descriptions against what people saw: similarity, and the share of frames that fall below a threshold."""

from handler.metrics.vision._bands import BANDS_OF_RATE, BANDS_OF_SIMILARITY, Band, band_of
from handler.metrics.vision._hallucination import VisionHallucination
from handler.metrics.vision._judging import VisionMetric
from handler.metrics.vision._pairs import PairScore, PairScorer, PairSource, cosine, pair_scorer
from handler.metrics.vision._similarity import VisionSimilarity

__all__ = [
    "BANDS_OF_RATE",
    "BANDS_OF_SIMILARITY",
    "Band",
    "PairScore",
    "PairScorer",
    "PairSource",
    "VisionHallucination",
    "VisionMetric",
    "VisionSimilarity",
    "band_of",
    "cosine",
    "pair_scorer",
]

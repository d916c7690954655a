"""Metrics over captions of pictures."""

from handler.metrics.captions._bleu import Bleu, BleuCounts, bleu
from handler.metrics.captions._cider import Cider, DocumentFrequencies, cider, document_frequencies
from handler.metrics.captions._clip_tally import ClipTally
from handler.metrics.captions._clipscore import ClipScore
from handler.metrics.captions._ngram import NgramMetric
from handler.metrics.captions._ngram_tally import NgramTally
from handler.metrics.captions._ptb import tokenised
from handler.metrics.captions._rouge import RougeL, rouge_l

__all__ = [
    "Bleu",
    "BleuCounts",
    "Cider",
    "ClipScore",
    "ClipTally",
    "DocumentFrequencies",
    "NgramMetric",
    "NgramTally",
    "RougeL",
    "bleu",
    "cider",
    "document_frequencies",
    "rouge_l",
    "tokenised",
]

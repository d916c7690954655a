"""Metrics over transcripts: does the model write down what was said."""

from handler.metrics.speech._alignment import Counts, Pair
from handler.metrics.speech._errors import WordErrors, cer, wer, word_errors
from handler.metrics.speech._tally import WerTally, rate_interval
from handler.metrics.speech._wer import WordErrorRate
from handler.metrics.speech._words import NORMALISERS

__all__ = [
    "NORMALISERS",
    "Counts",
    "Pair",
    "WerTally",
    "WordErrorRate",
    "WordErrors",
    "cer",
    "rate_interval",
    "wer",
    "word_errors",
]

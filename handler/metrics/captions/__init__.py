"""Metrics over captions of pictures."""

from handler.metrics.captions._clip_tally import ClipTally
from handler.metrics.captions._clipscore import ClipScore

__all__ = ["ClipScore", "ClipTally"]

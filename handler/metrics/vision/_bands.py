"""The interpretation bands of the vision metrics page, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["BANDS_OF_RATE", "BANDS_OF_SIMILARITY", "Band", "band_of"]


class Band(NamedTuple):
    """Scores from `low` (included) up to the next band's low."""

    low: float
    label: str
    meaning: str


BANDS_OF_SIMILARITY = (
    Band(-1.0, "low", "the description diverges from what people saw"),
    Band(0.50, "partial", "key details are missing or altered"),
    Band(0.75, "close", "same meaning, minor differences in wording"),
    Band(0.90, "near-identical", "the description says what people saw"),
)

# The page calls 10 % to 30 % "review needed" and only above 30 % unreliable: 0.30 itself is in the middle band.
BANDS_OF_RATE = (
    Band(0.0, "reliable", "few frames fall below the threshold"),
    Band(0.10, "review needed", "some frames are missed or fabricated"),
    Band(0.30 + 1e-12, "unreliable", "many frames fall below the threshold"),
)


def band_of(value: float, bands: Sequence[Band]) -> Band:
    """The band a value lies in; values below the first low belong to the first band."""
    return next((band for band in reversed(bands) if value >= band.low), bands[0])

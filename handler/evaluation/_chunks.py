"""How many samples are scored at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from handler.samples import CaptionSample, Sample

__all__ = ["chunks"]

# Between two looks at the clock: some 2,500 tokens, under 2 s on two cores. A text counts up to what the model reads, and
# a picture that a metric may look at as the longest text.
TIMED_CHARACTERS = 12_000
READ_CHARACTERS = 2_000


def chunks(samples: Iterator[Sample], most: int, *, timed: bool) -> Iterator[list[Sample]]:
    """Lists of at most `most` samples; timed ones also end with their text, so that a clock is looked at often."""
    while chunk := list(_short(samples, most)) if timed else list(itertools.islice(samples, most)):
        yield chunk


def _short(samples: Iterator[Sample], most: int) -> Iterator[Sample]:
    left = TIMED_CHARACTERS
    for sample in itertools.islice(samples, most):
        yield sample
        left -= sum(min(len(text), READ_CHARACTERS) for text in (sample.answer or "", *sample.references))
        if isinstance(sample, CaptionSample) and sample.image is not None:
            left -= READ_CHARACTERS
        if left <= 0:
            return

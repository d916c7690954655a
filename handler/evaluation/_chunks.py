"""What is scored at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from handler.samples import CaptionSample, Record, Sample

__all__ = ["READ_CHARACTERS", "Chunk", "chunks"]

READ_CHARACTERS = 2_000  # of a text that the model reads; the rest costs nothing
# Between two looks at the clock: some 2,500 tokens, under 2 s on two cores. A text counts up to what the model reads, and
# a picture that a metric may look at as the longest text.
TIMED_CHARACTERS = 12_000
# Frames whose texts came before cost nothing to score, so a chunk takes in more of them: `REPEATS` times as many. What it
# holds in memory stays bounded.
REPEATS = 16
MOST_CHARACTERS = 4_000_000
MOST_KNOWN = 65_536


@dataclass(slots=True)
class Chunk:
    """records: in the input's order, their samples beside them. results: by metric, once they are scored. failure: what
    ended the reading after these records, or their scoring."""

    records: list[Record] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    results: dict[str, list[Any]] = field(default_factory=dict)
    failure: Exception | None = None


def chunks(records: Iterator[Record], most: int, *, timed: bool) -> Iterator[Chunk]:
    """Chunks of at most `most` samples with texts that have not come before; timed ones hold no more samples than that,
    and also end with their text, so that a clock is looked at often.

    What ends the reading comes as a chunk's failure: what was read before it is settled first.
    """
    known: set[int] = set()
    while True:
        chunk = Chunk()
        try:
            (_fill_timed if timed else _fill)(chunk, records, most, known)
        except Exception as error:
            chunk.failure = error
        if chunk.records or chunk.failure:
            yield chunk
        if chunk.failure or not chunk.records:
            return


def _fill(chunk: Chunk, records: Iterator[Record], most: int, known: set[int]) -> None:
    if len(known) > MOST_KNOWN:
        known.clear()
    fresh = characters = 0
    for record in itertools.islice(records, REPEATS * most):
        chunk.records.append(record)
        if type(record) is Sample:
            answer, references = record.answer, record.references
            characters += len(answer or "") + (len(references[0]) if references else 0)
            key = hash((answer, references))
            if key not in known:
                known.add(key)
                fresh += 1
        elif isinstance(record, Sample):
            fresh += 1
        if fresh >= most or characters >= MOST_CHARACTERS:
            break
    chunk.samples = [record for record in chunk.records if isinstance(record, Sample)]


def _fill_timed(chunk: Chunk, records: Iterator[Record], most: int, known: set[int]) -> None:
    left = TIMED_CHARACTERS
    for record in records:
        chunk.records.append(record)
        if not isinstance(record, Sample):
            continue
        chunk.samples.append(record)
        left -= sum(min(len(text), READ_CHARACTERS) for text in (record.answer or "", *record.references))
        if isinstance(record, CaptionSample) and record.image is not None:
            left -= READ_CHARACTERS
        if left <= 0 or len(chunk.samples) >= most:
            return

"""One pass over a file that says what is in it, for the verb `inspect`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from handler import storage
from handler.formats._contract import Detection, Notices, ReadOptions
from handler.formats._limits import MAX_CHECKED_IDS
from handler.formats._reading import detect, open_records
from handler.samples import EmptySession, Record, Sample, Unreadable, is_blank

_KEPT = 5
_LISTED = 20
_COARSE_FROM = 10_000


@dataclass(frozen=True, slots=True)
class TextLengths:
    """Quantiles of text lengths in characters; from 10,000 on in steps of 100. Between two lengths the lower one counts."""

    n: int
    minimum: int
    p25: int
    median: int
    p75: int
    p95: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file holds.

    n_sessions: distinct (session_id, assistant_id). n_samples: samples with or without their texts; `missing` counts,
    per field, those without. n_unreadable: other items that could not be read, the first few in `unreadable`.
    n_distinct_texts, n_sessions: at least this many when `bounded` (a limit of memory was met). languages: {as declared,
    "" for none: samples}. duplicate_sample_ids, repeated_sessions: how often; examples are in `notices`.
    """

    location: str
    file_bytes: int | None
    detection: Detection
    n_sessions: int
    n_samples: int
    n_unreadable: int
    unreadable: tuple[Unreadable, ...]
    n_empty_sessions: int
    empty_sessions: tuple[str, ...]
    duplicate_sample_ids: int
    repeated_sessions: int
    languages: dict[str, int]
    answer_lengths: TextLengths | None
    reference_lengths: TextLengths | None
    n_distinct_texts: int
    bounded: bool
    missing: dict[str, int]
    blank: dict[str, int]
    unknown_fields: tuple[str, ...]
    notices: Notices


def inspect_records(location: str, options: ReadOptions | None = None) -> Inspection:
    """Read the whole file once, in flat memory. Raises as `open_records` does."""
    options = replace(options or ReadOptions(), on_missing="skip")
    notices = Notices()
    detection = detect(location, options)
    info = storage.stat(location)
    tally = _Tally()
    tally.read(open_records(location, options, notices))
    return Inspection(
        location=location,
        file_bytes=info.size if info else None,
        detection=detection,
        n_sessions=len(tally.sessions),
        n_samples=tally.samples,
        n_unreadable=tally.unreadable,
        unreadable=tuple(tally.examples),
        n_empty_sessions=tally.empty,
        empty_sessions=tuple(tally.empty_ids),
        duplicate_sample_ids=notices.counts["duplicate_sample_id"],
        repeated_sessions=notices.counts["repeated_session"],
        languages=dict(tally.languages),
        answer_lengths=_quantiles(tally.answers),
        reference_lengths=_quantiles(tally.references),
        n_distinct_texts=len(tally.texts),
        bounded=max(len(tally.texts), len(tally.sessions)) >= MAX_CHECKED_IDS,
        missing=dict(tally.missing),
        blank=dict(tally.blank),
        unknown_fields=tuple(notices.unknown_fields),
        notices=notices,
    )


class _Tally:
    """Counters of one pass; sets hold 64-bit hashes and stop growing at a limit."""

    def __init__(self) -> None:
        self.samples = self.unreadable = self.empty = 0
        self.examples: list[Unreadable] = []
        self.empty_ids: list[str] = []
        self.sessions: set[int] = set()
        self.texts: set[int] = set()
        self.languages: Counter[str] = Counter()
        self.answers: Counter[int] = Counter()
        self.references: Counter[int] = Counter()
        self.missing: Counter[str] = Counter()
        self.blank: Counter[str] = Counter()

    def read(self, records: Iterator[Record]) -> None:
        """Count all of them."""
        for record in records:
            if isinstance(record, Sample):
                self._sample(record)
            elif isinstance(record, EmptySession):
                self.empty += 1
                self._session(record.session_id, record.assistant_id)
                if len(self.empty_ids) < _LISTED:
                    self.empty_ids.append(record.session_id)
            else:
                self.unreadable += 1
                if len(self.examples) < _KEPT:
                    self.examples.append(record)

    def _sample(self, sample: Sample) -> None:
        self.samples += 1
        self._session(sample.session_id, sample.assistant_id)
        language = sample.language or ""
        if language in self.languages or len(self.languages) < _LISTED:
            self.languages[language] += 1
        if sample.answer is None:
            self.missing["answer"] += 1
        else:
            self._text(sample.answer, "answer", self.answers)
        if not sample.references:
            self.missing["references"] += 1
        for text in sample.references:
            self._text(text, "references", self.references)

    def _session(self, session_id: str, assistant_id: str) -> None:
        if len(self.sessions) < MAX_CHECKED_IDS:
            self.sessions.add(hash((session_id, assistant_id)))

    def _text(self, text: str, field: str, lengths: Counter[int]) -> None:
        length = len(text)
        lengths[length if length < _COARSE_FROM else length // 100 * 100] += 1
        if is_blank(text):
            self.blank[field] += 1
        if len(self.texts) < MAX_CHECKED_IDS:
            self.texts.add(hash(text))


def _quantiles(lengths: Counter[int]) -> TextLengths | None:
    n = lengths.total()
    if not n:
        return None
    ordered = sorted(lengths.items())

    def at(share: float) -> int:
        wanted, seen = share * (n - 1), 0
        for length, times in ordered:
            seen += times
            if seen > wanted:
                return length
        return ordered[-1][0]

    return TextLengths(n, ordered[0][0], at(0.25), at(0.5), at(0.75), at(0.95), ordered[-1][0])

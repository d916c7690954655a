"""Word and character errors of transcripts in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from handler.errors import RequestError
from handler.metrics._base import parse_mode
from handler.metrics.speech._alignment import Counts, Pair, aligned, character_counts, drawn, word_counts
from handler.metrics.speech._words import NORMALISERS, Text, text_as_jiwer, text_of

__all__ = ["JIWER", "WordErrors", "cer", "compared", "reader_of", "wer", "word_errors"]

JIWER = "jiwer"
_FIELD = "options.speech.wer.normaliser"


@dataclass(frozen=True, slots=True)
class WordErrors:
    """What is wrong with transcripts, all utterances together; rates are total edits over totals.

    words, characters: counts. alignments: per utterance, the words in pairs. as_jiwer: the rule for rates without a
    reference. Rates are fractions; wer and cer may exceed 1, and are None where edits have no reference to be measured by.
    """

    words: Counts
    characters: Counts
    alignments: list[list[Pair]]
    as_jiwer: bool = False

    @property
    def wer(self) -> float | None:
        """Word error rate: edits per reference word, 0 or more; lower is better."""
        return self.words.error_rate(as_jiwer=self.as_jiwer)

    @property
    def cer(self) -> float | None:
        """Character error rate: the same over characters, spaces included."""
        return self.characters.error_rate(as_jiwer=self.as_jiwer)

    @property
    def mer(self) -> float:
        """Match error rate, 0..1: the share of edits among aligned words."""
        return self.words.match_error_rate

    @property
    def wil(self) -> float:
        """Word information lost, 0..1."""
        return 1 - self.wip

    @property
    def wip(self) -> float:
        """Word information preserved, 0..1."""
        return self.words.information_preserved

    @property
    def hits(self) -> int:
        """Words that are right."""
        return self.words.hits

    @property
    def substitutions(self) -> int:
        """Words that stand for another."""
        return self.words.substitutions

    @property
    def deletions(self) -> int:
        """Words of the reference that were left out."""
        return self.words.deletions

    @property
    def insertions(self) -> int:
        """Words that nobody said."""
        return self.words.insertions

    def __str__(self) -> str:
        return "\n\n".join("\n".join(drawn(pairs)) for pairs in self.alignments)


def wer(
    reference: str | Sequence[str],
    hypothesis: str | Sequence[str],
    *,
    normaliser: str = "none",
    mode: str = "strict",
    contiguous: bool = False,
) -> float | None:
    """Word error rate, 0 or more: edits per reference word. See `word_errors`.

    >>> round(wer("book a table for two at eight", "book table for two at eight"), 3)
    0.143
    """
    return word_errors(reference, hypothesis, normaliser=normaliser, mode=mode, contiguous=contiguous).wer


def cer(
    reference: str | Sequence[str],
    hypothesis: str | Sequence[str],
    *,
    normaliser: str = "none",
    mode: str = "strict",
    contiguous: bool = False,
) -> float | None:
    """Character error rate, 0 or more: edits per reference character, spaces included. See `word_errors`."""
    return word_errors(reference, hypothesis, normaliser=normaliser, mode=mode, contiguous=contiguous).cer


def word_errors(
    reference: str | Sequence[str],
    hypothesis: str | Sequence[str],
    *,
    normaliser: str = "none",
    mode: str = "strict",
    contiguous: bool = False,
) -> WordErrors:
    """All figures of one utterance or of several, with their alignments.

    normaliser: one of NORMALISERS. mode: strict, or compat:jiwer. contiguous: both lists are one running text each, so
    they may differ in length; a shift between utterances then costs nothing. Time grows with the square of a text's
    length: 120,000 characters take 0.5 s, a million a minute.
    Raises RequestError for lists of different lengths, for anything but text, and for an unknown normaliser or mode.
    """
    read, as_jiwer = reader_of(normaliser, mode)
    references, hypotheses = _listed(reference, "reference"), _listed(hypothesis, "hypothesis")
    if contiguous:
        references, hypotheses = _joined(references), _joined(hypotheses)
    elif len(references) != len(hypotheses):
        raise RequestError(
            f"the references are {len(references):,} and the hypotheses {len(hypotheses):,}",
            field="hypothesis",
            hint="Give one hypothesis per reference, or contiguous=True to compare both as running text",
        )
    words, characters, alignments = Counts(), Counts(), []
    for said, heard in zip(references, hypotheses, strict=True):
        pairs, found, found_characters = compared(read(said), read(heard))
        words, characters = words.plus(found), characters.plus(found_characters)
        alignments.append(pairs)
    return WordErrors(words, characters, alignments, as_jiwer)


def compared(reference: Text, hypothesis: Text) -> tuple[list[Pair], Counts, Counts]:
    """The words in pairs, their counts, and the counts of characters."""
    pairs = aligned(reference.words, hypothesis.words)
    return pairs, word_counts(pairs), character_counts(reference.characters, hypothesis.characters)


def reader_of(normaliser: str, mode: str) -> tuple[Callable[[str], Text], bool]:
    """What makes words of a text, and whether rates without a reference are jiwer's. Raises RequestError."""
    if normaliser not in NORMALISERS:
        raise RequestError(
            f"there is no normaliser {normaliser!r}", field=_FIELD, hint=f"There are: {', '.join(NORMALISERS)}"
        )
    parsed = parse_mode(mode)
    if not parsed.compat:
        return partial(text_of, normaliser=normaliser), False
    if parsed.tool not in (None, JIWER):
        raise RequestError(f"speech.wer has no mode {mode}", field="mode", hint=f"It has: compat:{JIWER}")
    if normaliser != "none":
        raise RequestError(
            "compat:jiwer is jiwer without transforms", field=_FIELD, hint="Leave out the normaliser or the mode"
        )
    return text_as_jiwer, True


def _joined(texts: Sequence[str]) -> list[str]:
    stripped = (text.strip() for text in texts)
    return [" ".join(text for text in stripped if text)]


def _listed(texts: str | Iterable[str], name: str) -> list[str]:
    listed = [texts] if isinstance(texts, str) else list(texts) if isinstance(texts, Iterable) else [texts]
    for place, text in enumerate(listed):
        if not isinstance(text, str):
            raise RequestError(f"{name} {place + 1} is {type(text).__name__}, not text", field=name)
    return listed

"""An answer against a reference: a score, what is wrong, what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handler.claims._compare import compare, score_pairs
from handler.claims._contract import Claim, Judgement, Note
from handler.claims._features import NAMES_ONE, UNSUPPORTED, WEAK, Compared, sentence_cosines
from handler.claims._joining import join
from handler.claims._reading import Reading
from handler.claims._rules import find_substitutions
from handler.claims._slot_types import Analysis
from handler.claims._tables import Tables, load_tables, read_card
from handler.claims._vectors import Sentence

__all__ = ["DEFAULT_THRESHOLD", "judge"]

DEFAULT_THRESHOLD: float = read_card()["threshold"]
"""Contradiction above which the shipped judge is right in most cases: chosen for high precision; it does not travel."""
OF_SOMETHING_ELSE = 0.65  # at most, below the shipped threshold, of a sentence without one supported word: it is a note
MOST_REPLACED = 2  # words in another's place that are named
LIKELY = 0.3  # confidence from which a second one is


@dataclass(frozen=True)
class _Verdict:
    """A sentence of the answer, what it was held against, and how surely the two disagree."""

    compared: Compared
    score: float


def judge(answer: Reading, reference: Reading, *, threshold: float | None = None) -> Judgement:
    """How surely the answer contradicts the reference, and in which words.

    threshold: contradiction above which words that stand for other words are named as claims (by default the shipped
    one); it moves no score. An answer without words contradicts nothing and leaves out everything; sentences that the
    model did not see (beyond its longest input) are not judged. The same bits in any order.
    """
    limit = DEFAULT_THRESHOLD if threshold is None else threshold
    given, expected = answer.sentences, reference.sentences
    if not given or not expected:
        return Judgement(0.0, omissions=_all_of(expected), notes=_all_of(given) if expected else ())
    tables = load_tables()
    cosines = sentence_cosines(list(given), list(expected))
    verdicts = _judge_sentences(given, expected, cosines, tables)
    ranked = sorted(range(len(verdicts)), key=lambda at: -verdicts[at].score)
    worst = verdicts[ranked[0]]
    said = _support_of_reference(verdicts)
    claims: list[Claim] = []
    for at in ranked:
        claims += _claims_of(verdicts[at], limit, said)
    return Judgement(
        contradiction=worst.score,
        claims=tuple(claims),
        omissions=_omissions(said, expected, given, cosines, claims),
        notes=_notes(verdicts, claims),
        worst=worst.compared.answer.analysis.span,
        apart=all(_is_apart(one.compared) for one in verdicts),
    )


def _judge_sentences(
    given: Sequence[Sentence], expected: Sequence[Sentence], cosines: NDArray[np.float32], tables: Tables
) -> list[_Verdict]:
    """Each sentence of the answer against its nearest reference sentence. One that says what two of them say is held
    against the two together as well, and the milder score counts."""
    nearest = cosines.argmax(axis=1).tolist()
    pairs = [compare(one, expected[at]) for one, at in zip(given, nearest, strict=True)]
    owners = list(range(len(given)))
    if len(expected) > 1:
        for at, one in enumerate(given):
            both = _with_second(pairs[at], one, expected, cosines[at])
            if both is not None:
                pairs.append(both)
                owners.append(at)
    verdicts: dict[int, _Verdict] = {}
    for at, pair, score in zip(owners, pairs, score_pairs(pairs, tables).tolist(), strict=True):
        if _is_apart(pair):
            score = min(score, OF_SOMETHING_ELSE)
        if at not in verdicts or score < verdicts[at].score:
            verdicts[at] = _Verdict(pair, score)
    return [verdicts[at] for at in range(len(given))]


def _with_second(
    pair: Compared, one: Sentence, expected: Sequence[Sentence], cosines: NDArray[np.float32]
) -> Compared | None:
    """The sentence against its two nearest reference sentences joined, where the second says a word, or its synonym, that
    the nearest does not support."""
    lacking = {at.word for at in pair.aligned.alignment.forward if at.similarity < UNSUPPORTED}
    if not lacking:
        return None
    first, second = sorted(np.argsort(-cosines, kind="stable")[:2].tolist())
    both = compare(one, join(expected[first], expected[second]))
    named = any(at.relation in NAMES_ONE for at in both.aligned.alignment.forward if at.word in lacking)
    return both if named else None


def _is_apart(pair: Compared) -> bool:
    """Nothing of the answer's sentence is in the reference's, and nothing says that they disagree."""
    return not pair.claims and _n_unsupported(pair) == len(pair.answer.analysis.content)


def _n_unsupported(pair: Compared) -> int:
    """Content words of the answer's sentence without support."""
    return sum(one.similarity < UNSUPPORTED for one in pair.aligned.alignment.forward)


def _claims_of(verdict: _Verdict, limit: float, said: dict[int, float]) -> list[Claim]:
    """What the rules found; where they found nothing and the score says contradiction, the words that most likely stand
    in another's place, unless another sentence of the answer says the other. said: see `_support_of_reference`."""
    pair = verdict.compared
    if pair.claims or verdict.score <= limit:
        return list(pair.claims)
    replaced = find_substitutions(pair.answer.analysis, pair.reference.analysis, pair.aligned.alignment)
    missing = [one for one in replaced if all(said.get(start, 0.0) < WEAK for start, _ in one.reference_spans)]
    likely = missing or list(replaced)
    return [one for at, one in enumerate(likely[:MOST_REPLACED]) if at == 0 or one.confidence >= LIKELY]


def _support_of_reference(verdicts: Iterable[_Verdict]) -> dict[int, float]:
    """Of the reference's content words by their first character, the most that a sentence held against them supports."""
    support: dict[int, float] = {}
    for verdict in verdicts:
        words = verdict.compared.reference.analysis.words
        for one in verdict.compared.aligned.alignment.backward:
            start = words[one.word].span[0]
            support[start] = max(support.get(start, 0.0), one.similarity)
    return support


def _notes(verdicts: Iterable[_Verdict], claims: Sequence[Claim]) -> tuple[Note, ...]:
    """Words of the answer without support, those of a claim left out."""
    taken = {span for claim in claims for span in claim.answer_spans}
    found: list[Note] = []
    for verdict in verdicts:
        pair = verdict.compared
        weak = {one.word for one in pair.aligned.alignment.forward if one.similarity < UNSUPPORTED}
        found += _grouped(pair.answer.analysis, weak, taken)
    return tuple(found)


def _omissions(
    said: dict[int, float],
    expected: Sequence[Sentence],
    given: Sequence[Sentence],
    cosines: NDArray[np.float32],
    claims: Sequence[Claim],
) -> tuple[Note, ...]:
    """Words of the reference that no sentence of the answer held against them supports, those of a claim left out."""
    taken = {span for claim in claims for span in claim.reference_spans}
    support = dict(said)
    found: list[Note] = []
    for at, sentence in enumerate(expected):
        words = sentence.analysis.words
        if any(words[index].span[0] not in support for index in sentence.analysis.content):
            pair = compare(given[int(cosines[:, at].argmax())], sentence)
            for one in pair.aligned.alignment.backward:
                support.setdefault(words[one.word].span[0], one.similarity)
        weak = {index for index in sentence.analysis.content if support.get(words[index].span[0], 0.0) < UNSUPPORTED}
        found += _grouped(sentence.analysis, weak, taken)
    return tuple(found)


def _grouped(analysis: Analysis, indices: set[int], taken: set[tuple[int, int]]) -> list[Note]:
    """Words in order, neighbours together, without those within a span that is taken."""
    runs: list[list[int]] = []
    for index in sorted(indices):
        start, end = analysis.words[index].span
        if any(first <= start and end <= last for first, last in taken):
            continue
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [
        Note(" ".join(analysis.words[index].lower for index in run), tuple(analysis.words[index].span for index in run))
        for run in runs
    ]


def _all_of(sentences: Iterable[Sentence]) -> tuple[Note, ...]:
    return tuple(note for one in sentences for note in _grouped(one.analysis, set(one.analysis.content), set()))

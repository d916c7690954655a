"""What the vision metrics share: which pairs a sample gives, and which sample cannot be scored and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from handler.metrics._base import BaseMetric, Mode
from handler.metrics.vision._language import foreign_language
from handler.metrics.vision._memory import MOST_CHARACTERS, MOST_ENTRIES, Memory
from handler.metrics.vision._pairs import Pair, PairScore, PairSource, default_encoder, pair_scorer
from handler.models import TextEncoder
from handler.results import MetricResult
from handler.samples import Sample, is_blank

__all__ = ["Judged", "Key", "PairMetric", "VisionMetric", "warnings_of"]

Found = TypeVar("Found")
Key = tuple[str | None, tuple[str, ...], str | None]  # answer, references, declared language

FAIR_FORGE_DECIMALS = 4  # fair-forge rounds each similarity before it compares and averages


class Judged(NamedTuple):
    """A sample's similarity (best over its references) and what the row says about it."""

    similarity: float
    details: dict[str, Any]


class PairMetric(BaseMetric, Generic[Found]):
    """A metric on pairs of a description and what a person saw. Found: what the comparison of one pair gives."""

    models = ("text_encoder",)
    most_remembered = MOST_ENTRIES
    most_characters = MOST_CHARACTERS

    def __init__(self, *, mode: Mode | str = "strict") -> None:
        super().__init__(mode=mode)
        self._known: Memory[Key, MetricResult] = Memory(self.most_remembered, self.most_characters)

    def session_key(self, session_id: str, assistant_id: str) -> tuple[str, str]:
        """strict: session and assistant. compat:fair-forge: the session alone, under the first assistant's name."""
        return (session_id, "") if self.mode.compat else (session_id, assistant_id)

    def compute_batch(self, samples: Sequence[Sample]) -> list[MetricResult]:
        """Score samples, in their order, with one encoding pass. Equal texts share one result."""
        keys = [(sample.answer, sample.references, sample.language) for sample in samples]
        known = self._known.find(keys)
        new = [key for key in dict.fromkeys(keys) if key not in known]
        if new:
            characters = sum(len(answer or "") + sum(map(len, references)) for answer, references, _ in new)
            found = dict(zip(new, self._judge(new), strict=True))
            self._known.add(found, characters)
            known |= found
        return [known[key] for key in keys]

    def _judge(self, keys: Sequence[Key]) -> Iterator[MetricResult]:
        asked = [self._askable(answer, references) for answer, references, _ in keys]
        pairs = [(key[0] or "", one) for key, (_, found) in zip(keys, asked, strict=True) for one in found]
        compared = iter(self._compare(pairs))
        for key, (reason, found) in zip(keys, asked, strict=True):
            if reason:
                yield MetricResult(self.name, None, {"skipped": reason})
            else:
                yield self._judged(key, {one: next(compared) for one in found})

    def _askable(self, answer: str | None, references: Sequence[str]) -> tuple[str | None, Iterable[str]]:
        """Why a sample cannot be scored, or the distinct references to compare with."""
        if answer is None:
            return "missing_answer", ()
        if not references:
            return "missing_reference", ()
        distinct = dict.fromkeys(references)
        if self.mode.compat:
            return None, distinct
        filled = [one for one in distinct if not is_blank(one)]
        return (None, filled) if filled else ("empty_reference", ())

    def _compare(self, pairs: Sequence[Pair]) -> Iterable[Found]:
        """What each pair's comparison gives, in order."""
        raise NotImplementedError

    def _judged(self, key: Key, found: Mapping[str, Found]) -> MetricResult:
        """found: by reference."""
        raise NotImplementedError


class VisionMetric(PairMetric[PairScore]):
    """A metric on the similarity of a description and what people saw."""

    ancestors = ("fair-forge",)

    def __init__(
        self, *, mode: Mode | str = "strict", encoder: TextEncoder | None = None, pairs: PairSource | None = None
    ) -> None:
        super().__init__(mode=mode)
        self._encoder = encoder
        self._given_pairs = pairs

    @property
    def pairs(self) -> PairSource:
        """Where similarities come from; the default model is looked up on first use."""
        if self._given_pairs is None:
            self._given_pairs = pair_scorer(self._encoder or default_encoder())
        return self._given_pairs

    def setup(self) -> None:
        """Load the encoder now."""
        self.pairs.score([("", "")])

    def flush(self) -> None:
        """The encoder's new vectors."""
        if self._encoder is not None:
            self._encoder.flush()

    def signature_parts(self) -> dict[str, Any]:
        """The model and the rule for several references."""
        return {**self.pairs.signature_parts(), "references": "best"}

    def _compare(self, pairs: Sequence[Pair]) -> list[PairScore]:
        return self.pairs.score(pairs)

    def _judged(self, key: Key, found: Mapping[str, PairScore]) -> MetricResult:
        finite = {text: one for text, one in found.items() if math.isfinite(one.similarity)}
        if not finite:
            return MetricResult(self.name, None, {"error": "non_finite"})
        matched = max(finite, key=lambda text: finite[text].similarity)
        best = finite[matched]
        similarity = round(best.similarity, FAIR_FORGE_DECIMALS) if self.mode.compat else best.similarity
        details: dict[str, Any] = {}
        if best.n_tokens is not None and best.truncated is not None:
            details["n_tokens"] = list(best.n_tokens)
            details["truncated"] = list(best.truncated)
        if len(found) > 1:
            details["n_references"] = len(found)
            details["best_reference"] = key[1].index(matched)
            details["mean_over_references"] = math.fsum(one.similarity for one in finite.values()) / len(finite)
        if warnings := list(warnings_of(key, best)):
            details["warnings"] = warnings
        return self._result(Judged(similarity, details))

    def _result(self, judged: Judged) -> MetricResult:
        raise NotImplementedError


def warnings_of(key: Key, best: PairScore) -> Iterator[str]:
    """What a row says of its texts. best: of the reference that counts."""
    answer, references, declared = key
    if is_blank(answer or ""):
        yield "empty_answer"
    if best.truncated and any(best.truncated):
        yield "truncated"
    language = foreign_language(declared, answer or "", *references)
    if language:
        yield f"language:{language}"

"""Claims of pairs on the encoder pass that also gives their similarity: one encoding for every vision metric."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Protocol

from handler.claims import LAYERS, Judgement, fingerprint, judge, read_text
from handler.metrics.vision._pairs import Pair, PairScore, PairScorer, pair_scorer
from handler.models import TextEncoder, TextVector, TokenVectors

__all__ = ["ClaimScorer", "ClaimSource", "PairClaims"]

BYTES_PER_TOKEN = 1900  # of a reading, vectors and slots
BLOCK_BYTES = 18_000_000  # of readings made together: 256 captions and their references
KEPT_BYTES = 8_000_000  # of readings held for texts that come again
BYTES_OF_TEXT_PER_TOKEN = 4  # of UTF-8, about


class PairClaims(NamedTuple):
    """score: the pair's similarity, of the same pass. judgement: None when a vector is not finite."""

    score: PairScore
    judgement: Judgement | None


class ClaimSource(Protocol):
    """Whatever compares (answer, reference) pairs claim by claim."""

    def judge(self, pairs: Sequence[Pair]) -> list[PairClaims]:
        """One comparison per pair, in order."""

    def signature_parts(self) -> dict[str, Any]:
        """What a signature says about where the claims come from."""


class _Read(NamedTuple):
    vector: TextVector
    reading: Any


class ClaimScorer:
    """`ClaimSource` over the text encoder.

    The similarities it finds on the way are handed to the encoder's pair scorer, so that the other vision metrics of a run
    cost no pass of their own. Texts are read in blocks, and each pair is judged by the encoder's thread that read the second
    of its texts: a further thread would take Python's lock from those that feed the model. Readings of about 26 MB are held
    at most. threshold: contradiction above which words that stand for others are claims (None: that of `handler.claims`).
    read, compare: `read_text` and `judge` unless given; neither may ask this encoder.
    """

    def __init__(
        self,
        encoder: TextEncoder,
        *,
        threshold: float | None = None,
        layers: Sequence[int] | None = None,
        read: Callable[[str, TokenVectors], Any] | None = None,
        compare: Callable[[Any, Any], Judgement] | None = None,
    ) -> None:
        self._encoder = encoder
        self._layers = LAYERS if layers is None else layers
        encoder.check_layers(self._layers)
        self._read_text = read or read_text
        self._judge_pair = compare or partial(judge, threshold=threshold)
        self._pairs: PairScorer = pair_scorer(encoder)
        self._kept: OrderedDict[str, _Read] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()

    def judge(self, pairs: Sequence[Pair]) -> list[PairClaims]:
        """One comparison per pair, in order."""
        found: dict[Pair, PairClaims] = {}
        for block in self._blocks(dict.fromkeys(pairs)):
            found |= self._judge_block(block)
        return [found[pair] for pair in pairs]

    def signature_parts(self) -> dict[str, Any]:
        """The model, its precision and its limit, and what judges its readings."""
        return {**self._pairs.signature_parts(), "judge": fingerprint()}

    def _blocks(self, pairs: dict[Pair, None]) -> Iterator[list[Pair]]:
        block: list[Pair] = []
        texts: set[str] = set()
        size = 0
        for pair in pairs:
            more = sum(self._bytes(text) for text in {*pair} - texts)
            if block and size + more > BLOCK_BYTES:
                yield block
                block, texts, size = [], set(), 0
                more = sum(map(self._bytes, {*pair}))
            block.append(pair)
            texts.update(pair)
            size += more
        if block:
            yield block

    def _bytes(self, text: str) -> int:
        """About what the reading of a text holds, before it is read."""
        n_tokens = len(text.encode(errors="replace")) // BYTES_OF_TEXT_PER_TOKEN + 8
        return BYTES_PER_TOKEN * min(n_tokens, self._encoder.card.max_tokens)

    def _judge_block(self, block: Sequence[Pair]) -> dict[Pair, PairClaims]:
        """Every text of the block from memory or from the model, and what its pairs come to."""
        texts = dict.fromkeys(text for pair in block for text in pair)
        with self._lock:
            read = {text: self._kept[text] for text in texts if text in self._kept}
        desk = _Desk(block, {text: one.reading for text, one in read.items()}, self._judge_pair)
        wanted = [text for text in texts if text not in read]
        if wanted:

            def reading(text: str, tokens: TokenVectors) -> Any:
                made = self._read_text(text, tokens)
                desk.lay(text, made)
                return made

            read |= {text: _Read(*one) for text, one in self._encoder.read(wanted, self._layers, reading).items()}
        with self._lock:
            for text in texts:
                self._keep(text, read[text])
        scores = self._pairs.learn({text: one.vector for text, one in read.items()}, block)
        finite = {text for text, one in read.items() if one.vector.finite}
        return {
            pair: PairClaims(score, desk.judged[pair] if finite.issuperset(pair) else None)
            for pair, score in zip(block, scores, strict=True)
        }

    def _keep(self, text: str, one: _Read) -> None:
        """The last read texts stay, up to the limit."""
        if text in self._kept:
            self._kept.move_to_end(text)
            return
        self._kept[text] = one
        self._kept_bytes += self._bytes(text)
        while self._kept_bytes > KEPT_BYTES:
            oldest, _ = self._kept.popitem(last=False)
            self._kept_bytes -= self._bytes(oldest)


class _Desk:
    """Pairs, each judged as soon as both of its readings lie here. judged: what they came to."""

    def __init__(
        self, pairs: Iterable[Pair], readings: dict[str, Any], compare: Callable[[Any, Any], Judgement]
    ) -> None:
        self.judged: dict[Pair, Judgement] = {}
        self._readings = readings
        self._compare = compare
        self._lock = Lock()
        self._waiting: dict[str, list[Pair]] = {}
        for pair in pairs:
            lacking = {text for text in pair if text not in readings}
            for text in lacking:
                self._waiting.setdefault(text, []).append(pair)
            if not lacking:
                self._judge(pair)

    def lay(self, text: str, reading: Any) -> None:
        """A reading, and the judgement of every pair that waited for nothing else; from any thread, once per text."""
        with self._lock:
            self._readings[text] = reading
            ready = [pair for pair in self._waiting.pop(text, ()) if all(one in self._readings for one in pair)]
        for pair in ready:
            self._judge(pair)

    def _judge(self, pair: Pair) -> None:
        self.judged[pair] = self._compare(*(self._readings[text] for text in pair))

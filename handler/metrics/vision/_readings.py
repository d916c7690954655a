"""Claims of pairs on the encoder pass that also gives their similarity: one encoding for every vision metric."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Protocol

from handler.claims import LAYERS, Judgement, fingerprint, judge, read_text
from handler.metrics.vision._pairs import Pair, PairScore, PairScorer, pair_scorer
from handler.models import TextEncoder, TextVector, TokenVectors

__all__ = ["ClaimScorer", "ClaimSource", "PairClaims"]

BYTES_PER_TOKEN = 1900  # of a reading, vectors and slots
BLOCK_BYTES = 8_000_000  # of readings made together; two blocks are held at a time
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
    cost no pass of their own. Texts are read in blocks, and one block is judged while the model reads the next; readings
    of about 24 MB are held at most. threshold: contradiction above which words that stand for others are claims (None: that
    of `handler.claims`). read, compare: `read_text` and `judge` unless given.
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
        running: deque[Future[dict[Pair, PairClaims]]] = deque()
        with ThreadPoolExecutor(1) as beside:
            for block in self._blocks(dict.fromkeys(pairs)):
                if len(running) == 2:
                    found |= running.popleft().result()
                read = self._read(block)
                scores = self._pairs.learn({text: one.vector for text, one in read.items()}, block)
                running.append(beside.submit(self._judged, block, scores, read))
            for one in running:
                found |= one.result()
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

    def _read(self, block: Sequence[Pair]) -> dict[str, _Read]:
        """Every text of the block, from memory or from the model."""
        texts = dict.fromkeys(text for pair in block for text in pair)
        with self._lock:
            read = {text: self._kept[text] for text in texts if text in self._kept}
        wanted = [text for text in texts if text not in read]
        if wanted:
            new = self._encoder.read(wanted, self._layers, self._read_text)
            read |= {text: _Read(*one) for text, one in new.items()}
        with self._lock:
            for text in texts:
                self._keep(text, read[text])
        return read

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

    def _judged(
        self, block: Sequence[Pair], scores: Sequence[PairScore], read: dict[str, _Read]
    ) -> dict[Pair, PairClaims]:
        found = {}
        for (answer, reference), score in zip(block, scores, strict=True):
            left, right = read[answer], read[reference]
            finite = left.vector.finite and right.vector.finite
            judgement = self._judge_pair(left.reading, right.reading) if finite else None
            found[answer, reference] = PairClaims(score, judgement)
        return found

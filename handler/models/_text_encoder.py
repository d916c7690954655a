"""all-mpnet-base-v2, or any exported sentence-transformers model, on ONNX Runtime and `tokenizers` alone.

A text has the same bits whatever stands beside it: a batch holds one token length, so nothing is padded; the graph runs
on one thread per batch, and several batches run side by side (faster here than one batch on several threads, and the
bits do not depend on the number of threads); pooling and normalisation happen per text, in float64, because the graph's
own reduction takes another path for a batch of one.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from handler import storage
from handler.errors import ModelError
from handler.models._batches import equal_batches
from handler.models._card import ModelCard, load_card
from handler.models._pooling import is_finite, pooled
from handler.models._precision import Tier, find_tier, graph_name
from handler.models._session import open_session, usable_threads
from handler.models._tokenizer import Tokenizer
from handler.models._vector_cache import VectorCache
from handler.settings import Settings

__all__ = ["Encoded", "TextEncoder", "TextVector", "TokenVectors", "shared_text_encoder"]

LONGEST_REMEMBERED = 4096  # characters: longer texts rarely come again, and holding them costs memory
REMEMBERED_TEXTS = 8192  # vectors kept for reuse: 25 MB at 768 float32


class TextVector(NamedTuple):
    """One encoded text.

    vector: float32, shape (dimension,), unit length when the model normalises. n_tokens: before truncation, with the
    special tokens. truncated: whether the model saw only the first `max_tokens`. finite: no NaN or infinity in vector.
    """

    vector: NDArray[np.float32]
    n_tokens: int
    truncated: bool
    finite: bool


class TokenVectors(NamedTuple):
    """What inner layers say of one text, special tokens included.

    spans: (start, end) characters of each token, both 0 for special tokens; a text over `max_tokens` is cut. layers: by
    number, float32 of shape (tokens, dimension), valid during the call only: copy what is kept.
    """

    spans: list[tuple[int, int]]
    layers: dict[int, NDArray[np.float32]]


Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts in the order given. vectors: float32, shape (n, dimension); the other fields have length n."""

    vectors: NDArray[np.float32]
    n_tokens: list[int]
    truncated: list[bool]
    finite: list[bool]


class TextEncoder:
    """Sentence vectors from an exported model folder.

    folder: holds model.onnx, tokenizer.json and card.json, as `scenescore export` writes them. threads: batches that run
    side by side; None means the cores this process may use. remember: vectors kept for texts that come again. The
    session is made on first use, or shared with the encoder `like` of the same folder. cache: a folder or s3:// prefix
    where vectors are kept between runs; `flush` writes what is new. refused: the precision that was asked for and cannot
    be had on this processor; signatures say so. Calls from several threads wait for each other.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        threads: int | None = None,
        remember: int = REMEMBERED_TEXTS,
        like: TextEncoder | None = None,
        cache: str | None = None,
        refused: str | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.card: ModelCard = load_card(self.folder)
        self.precision = self.card.precision if refused is None else f"{self.card.precision} ({refused} refused)"
        self._like = like
        self.threads = usable_threads(threads)
        self._remember = remember
        self._recent: OrderedDict[str, TextVector] = OrderedDict()
        self._lock = threading.Lock()
        self._cache = _cache_of(self.card, cache) if cache is not None else None
        if hasattr(os, "register_at_fork"):
            _forget_lock_in_child(weakref.ref(self))

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of all texts, in order. Repeated texts are encoded once."""
        known = self.encode_distinct(texts)
        found = [known[text] for text in texts]
        vectors = np.stack([one.vector for one in found]) if found else np.empty((0, self.card.dimension), np.float32)
        return Encoded(
            vectors, [one.n_tokens for one in found], [one.truncated for one in found], [one.finite for one in found]
        )

    def encode_distinct(self, texts: Iterable[str]) -> dict[str, TextVector]:
        """A dictionary of every distinct text."""
        with self._lock:
            known, wanted = self._recall(texts)
            if wanted:
                for text, one in self._obtain(wanted):
                    known[text] = one
                    self._remember_text(text, one)
        return known

    def read(
        self, texts: Iterable[str], layers: Sequence[int], reading: Callable[[str, TokenVectors], Read]
    ) -> dict[str, tuple[TextVector, Read]]:
        """Every distinct text's vector, to the same bits, and what `reading` makes of its token vectors.

        Token vectors are large (110 KB for 12 tokens of three layers), so they are read batch by batch and let go.
        Always asks the model: the caller knows what it has read before. A cached vector is still the one that counts, and
        new ones are cached. Raises ModelError for a layer the graph lacks.
        """
        self.check_layers(layers)
        wanted = list(dict.fromkeys(texts))
        found: dict[str, tuple[TextVector, Read]] = {}
        with self._lock:
            cached = self._cache.find(wanted) if self._cache is not None else {}
            for text, one, read in self._encode_new(wanted, tuple(layers), reading):
                if text in cached:
                    one = one._replace(vector=cached[text].vector, finite=True)
                elif self._cache is not None and one.finite:
                    self._cache.add(text, one.vector, one.n_tokens)
                found[text] = (one, read)
                self._remember_text(text, one)
        return found

    def check_layers(self, layers: Sequence[int]) -> None:
        """Raises ModelError, with what to type, for a layer whose token vectors the graph does not give."""
        lacking = [number for number in layers if number not in self.card.layers]
        if lacking:
            raise ModelError(
                f"the model gives no token vectors of layer {lacking[0]}: it was exported before scenescore read them, or "
                "its layers are not known",
                file=str(self.folder),
                hint=f"Export all-mpnet-base-v2 again: scenescore export mpnet --output {shlex.quote(str(self.folder))}",
            )

    def flush(self) -> None:
        """Write new vectors to the cache, if there is one."""
        with self._lock:
            if self._cache is not None:
                self._cache.flush()

    def token_ids(self, text: str) -> tuple[list[int], int]:
        """The ids the model reads (truncated to `max_tokens`) and the number of tokens before truncation."""
        return self._tokenizer.ids([text])[0]

    def _recall(self, texts: Iterable[str]) -> tuple[dict[str, TextVector], list[str]]:
        """What is remembered of the distinct texts, and those that must be encoded."""
        known: dict[str, TextVector] = {}
        wanted: dict[str, None] = {}
        for text in texts:
            if text in known or text in wanted:
                continue
            recent = self._recent.get(text)
            if recent is None:
                wanted[text] = None
            else:
                known[text] = recent
                self._recent.move_to_end(text)
        return known, list(wanted)

    def _remember_text(self, text: str, one: TextVector) -> None:
        if len(text) <= LONGEST_REMEMBERED:
            self._recent[text] = one
            if len(self._recent) > self._remember:
                self._recent.popitem(last=False)

    def _obtain(self, texts: list[str]) -> Iterator[tuple[str, TextVector]]:
        """From the cache, else from the model."""
        if self._cache is None:
            yield from ((text, one) for text, one, _ in self._encode_new(texts))
            return
        cached = self._cache.find(texts)
        for text, (vector, n_tokens) in cached.items():
            yield text, TextVector(vector, n_tokens, n_tokens > self.card.max_tokens, finite=True)
        wanted = [text for text in texts if text not in cached]
        for text, one, _ in self._encode_new(wanted) if wanted else ():
            if one.finite:
                self._cache.add(text, one.vector, one.n_tokens)
            yield text, one

    def _encode_new(
        self, texts: list[str], layers: tuple[int, ...] = (), reading: Callable[[str, TokenVectors], Any] | None = None
    ) -> Iterator[tuple[str, TextVector, Any]]:
        """Each text with its vector and what was read of its layers, in the order in which they are done."""
        tokenized = self._tokenizer.ids(texts)
        batches = equal_batches([len(ids) for ids, _ in tokenized], self.threads, self.card.batch_tokens)

        def run(batch: list[int]) -> list[tuple[str, TextVector, Any]]:
            vectors, inner = self._run([tokenized[position][0] for position in batch], layers)
            done = []
            for row, position in enumerate(batch):
                text, n_tokens = texts[position], tokenized[position][1]
                one = TextVector(vectors[row], n_tokens, n_tokens > self.card.max_tokens, is_finite(vectors[row]))
                tokens = {number: values[row] for number, values in inner.items()}
                read = reading(text, TokenVectors(self._tokenizer.spans(text), tokens)) if reading else None
                done.append((text, one, read))
            return done

        if self.threads == 1 or len(batches) == 1:
            for batch in batches:
                yield from run(batch)
            return
        _ = self._session  # made once, before the threads ask for it
        with ThreadPoolExecutor(self.threads) as pool:
            for done in pool.map(run, batches):
                yield from done

    def _run(
        self, rows: list[list[int]], layers: tuple[int, ...]
    ) -> tuple[list[NDArray[np.float32]], dict[int, NDArray[np.float32]]]:
        """One batch of texts of one token length: their vectors, and the token vectors of the layers asked for."""
        pooling = self.card.pooling
        ids = np.array(rows, dtype=np.int64)
        if pooling == "graph" and len(rows) == 1:
            ids = np.repeat(ids, 2, axis=0)  # the graph's reductions round differently in a batch of one
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        output = "sentence_embedding" if pooling == "graph" else "token_embeddings"
        names = list(dict.fromkeys([output, *(self.card.layers[number] for number in layers)]))
        given = dict(zip(names, self._session.run(names, {name: feed[name] for name in self.card.inputs}), strict=True))
        found = given[output][: len(rows)]
        if pooling == "graph":
            vectors = [vector.copy() for vector in found]
        else:
            vectors = [pooled(tokens, pooling, self.card.normalize) for tokens in found]
        return vectors, {number: given[self.card.layers[number]] for number in layers}

    @cached_property
    def _session(self) -> Any:
        if self._like is not None:
            return self._like._session
        return open_session(self.folder, self.card, graph_name(self.folder, self.card))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.folder / "tokenizer.json", self.card.max_tokens)


def _forget_lock_in_child(encoder: weakref.ref[TextEncoder]) -> None:
    """A process forked while another thread encodes must not inherit a lock that nobody will open."""

    def renew() -> None:
        found = encoder()
        if found is not None:
            found._lock = threading.Lock()

    os.register_at_fork(after_in_child=renew)


def shared_text_encoder(
    folder: Path, threads: int | None = None, cache: str | None = None, precision: str | None = None
) -> TextEncoder:
    """The encoder of this process for a folder: one session however many evaluations run. cache: see `TextEncoder`.

    precision: "fp32" or "int8", of this folder or the one beside it (see `find_tier`); None: whatever the folder holds.
    """
    tier = find_tier(folder, precision) if precision else Tier(folder)
    return _shared_encoder(tier, threads, cache)


@lru_cache(maxsize=4)
def _shared_encoder(tier: Tier, threads: int | None, cache: str | None) -> TextEncoder:
    return TextEncoder(tier.folder, threads=threads, cache=cache, refused=tier.refused)


def _cache_of(card: ModelCard, location: str) -> VectorCache:
    """The model's own part of the cache: all that changes a vector is in its name."""
    facts = [card.sha256, card.precision, card.pooling, card.normalize, card.max_tokens]
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
    at = storage.join(location, f"{card.name.replace('/', '_')}-{digest}")
    return VectorCache(at, card.dimension, Settings.from_environment().cache_bytes)

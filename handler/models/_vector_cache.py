"""Vectors of texts kept between runs: packed files in a folder or under an s3:// prefix, named by nobody's text.

A text is known by 128 bits of its BLAKE2b hash, under a folder of the model's own; what comes back has the bits that the
model gave. A pack is written once and whole, under a name of its own, so any number of processes may write; packs that are
damaged, or gone since they were listed, count as not there. The oldest packs go when the cache grows too large.

Layout of a pack (little-endian): magic; number of texts, dimension, CRC-32 of the index and of the vectors (uint32 each);
the index, (hash 16 bytes, tokens uint32) per text; the vectors, float32, in its order.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import struct
import time
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handler import storage
from handler.errors import StorageError

__all__ = ["CachedVector", "VectorCache"]

MAGIC = b"scenescore.vectors/1\n"
HEAD = struct.Struct("<IIII")
ENTRY = np.dtype([("high", "<u8"), ("low", "<u8"), ("n_tokens", "<u4")])
SUFFIX = ".vectors"
PACK_BYTES = 16 << 20  # of a full pack: some 5,000 vectors of 768 float32
SMALL_BYTES = PACK_BYTES // 8
MOST_SMALL = 16  # packs that short runs leave before they are joined into one
HELD_PACKS = 8  # in memory, the last used
KEEP = 0.9  # of the bound, after the oldest have gone

_log = logging.getLogger("scenescore")


class CachedVector(NamedTuple):
    """vector: float32, shape (dimension,). n_tokens: of the text, before truncation."""

    vector: NDArray[np.float32]
    n_tokens: int


class VectorCache:
    """The cache of one model. location: its folder. max_bytes: bound on all its packs; nothing is read before the first
    question. Not for several threads at once."""

    def __init__(self, location: str, dimension: int, max_bytes: int) -> None:
        self._location = location
        self._dimension = dimension
        self._max_bytes = max_bytes
        self._packs: list[str] | None = None
        self._index = np.empty(0, ENTRY)
        self._where = np.empty((0, 2), np.int64)  # (pack, row) of each entry of the index, which is sorted by `high`
        self._held: OrderedDict[int, NDArray[np.float32] | None] = OrderedDict()
        self._new: dict[bytes, CachedVector] = {}

    def find(self, texts: Sequence[str]) -> dict[str, CachedVector]:
        """What is known of the texts."""
        try:
            if self._packs is None:
                self._load()
            return self._found(texts) if len(self._index) or self._new else {}
        except StorageError as error:
            self._warn("cannot be read", error)
            self._packs = self._packs or []
            return {}

    def add(self, text: str, vector: NDArray[np.float32], n_tokens: int) -> None:
        """Take in one text's vector; it is written with others, at the latest by `flush`."""
        self._new[_key(text)] = CachedVector(vector, n_tokens)
        if len(self._new) * (ENTRY.itemsize + 4 * self._dimension) >= PACK_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is new. A cache that cannot be written is said so and costs nothing else."""
        if not self._new:
            return
        new, self._new = self._new, {}
        try:
            small = self._small_packs()
            for location in small if len(small) >= MOST_SMALL else ():
                new = {**self._content(location), **new}
            name = f"{time.time_ns():020d}-{secrets.token_hex(6)}{SUFFIX}"
            storage.write_bytes(storage.join(self._location, name), _packed(new, self._dimension))
            for location in small if len(small) >= MOST_SMALL else ():
                storage.delete(location)
            self._shrink()
        except StorageError as error:
            self._warn("cannot be written", error)
        self._packs = None  # listed anew when it is asked next

    def _found(self, texts: Sequence[str]) -> dict[str, CachedVector]:
        keys = [_key(text) for text in texts]
        wanted = np.frombuffer(b"".join(keys), "<u8").reshape(-1, 2)
        places = np.searchsorted(self._index["high"], wanted[:, 0])
        found: dict[str, CachedVector] = {}
        for text, key, (high, low), place in zip(texts, keys, wanted, places, strict=True):
            if key in self._new:
                found[text] = self._new[key]
                continue
            if place == len(self._index) or self._index["high"][place] != high or self._index["low"][place] != low:
                continue
            pack, row = self._where[place]
            vectors = self._vectors(int(pack))
            if vectors is not None:
                found[text] = CachedVector(vectors[row].copy(), int(self._index["n_tokens"][place]))
        return found

    def _load(self) -> None:
        """The index of all packs."""
        self._packs, self._held = [], OrderedDict()
        parts, where = [], []
        for info in self._listed():
            index = self._index_of(info.location)
            if index is not None:
                rows = np.arange(len(index))
                where.append(np.stack([np.full_like(rows, len(self._packs)), rows], axis=1))
                parts.append(index)
                self._packs.append(info.location)
        index = np.concatenate(parts) if parts else np.empty(0, ENTRY)
        order = np.argsort(index["high"], kind="stable")
        self._index = index[order]
        self._where = np.concatenate(where)[order] if where else np.empty((0, 2), np.int64)

    def _index_of(self, location: str) -> NDArray[np.void] | None:
        try:
            with storage.open_read(location, 0, len(MAGIC) + HEAD.size) as stream:
                head = stream.read()
            if len(head) != len(MAGIC) + HEAD.size or not head.startswith(MAGIC):
                self._damaged(location)
                return None
            n, dimension, crc, _ = HEAD.unpack(head[len(MAGIC) :])
            with storage.open_read(location, len(head), len(head) + n * ENTRY.itemsize) as stream:
                data = stream.read()
        except storage.NotFoundError:
            return None
        if dimension != self._dimension or len(data) != n * ENTRY.itemsize or zlib.crc32(data) != crc:
            self._damaged(location)
            return None
        return np.frombuffer(data, ENTRY)

    def _vectors(self, pack: int) -> NDArray[np.float32] | None:
        """All vectors of a pack, checked; None when it is damaged or gone."""
        if pack not in self._held:
            assert self._packs is not None
            self._held[pack] = self._read_vectors(self._packs[pack])
            while len(self._held) > HELD_PACKS:
                self._held.popitem(last=False)
        self._held.move_to_end(pack)
        return self._held[pack]

    def _read_vectors(self, location: str) -> NDArray[np.float32] | None:
        try:
            data = storage.read_bytes(location)
        except storage.NotFoundError:
            return None
        start = len(MAGIC) + HEAD.size
        if len(data) >= start:
            n, dimension, _, crc = HEAD.unpack(data[len(MAGIC) : start])
            vectors = memoryview(data)[start + n * ENTRY.itemsize :]
            if len(vectors) == 4 * n * dimension and dimension == self._dimension and zlib.crc32(vectors) == crc:
                return np.frombuffer(vectors, "<f4").reshape(n, dimension)
        self._damaged(location)
        return None

    def _content(self, location: str) -> dict[bytes, CachedVector]:
        index, vectors = self._index_of(location), self._read_vectors(location)
        if index is None or vectors is None:
            return {}
        keys = [struct.pack("<QQ", int(high), int(low)) for high, low in zip(index["high"], index["low"], strict=True)]
        return {
            key: CachedVector(vector, int(n)) for key, vector, n in zip(keys, vectors, index["n_tokens"], strict=True)
        }

    def _small_packs(self) -> list[str]:
        return [info.location for info in self._listed() if info.size < SMALL_BYTES]

    def _shrink(self) -> None:
        """Forget the oldest packs when there is too much: their names begin with the time."""
        packs = self._listed()
        total = sum(info.size for info in packs)
        if total <= self._max_bytes:
            return
        for info in packs:
            if total <= KEEP * self._max_bytes:
                return
            storage.delete(info.location)
            total -= info.size

    def _listed(self) -> list[storage.ObjectInfo]:
        try:
            return [one for one in storage.list_objects(f"{self._location}/") if one.location.endswith(SUFFIX)]
        except storage.NotFoundError:
            return []

    def _damaged(self, location: str) -> None:
        _log.warning("a file of the cache is damaged and is passed over: %s; it may be deleted", location)

    def _warn(self, what: str, error: StorageError) -> None:
        _log.warning("the cache %s %s and is left alone: %s", self._location, what, error)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _packed(vectors: dict[bytes, CachedVector], dimension: int) -> bytes:
    index = np.empty(len(vectors), ENTRY)
    keys = np.frombuffer(b"".join(vectors), "<u8").reshape(-1, 2)
    index["high"], index["low"] = keys[:, 0], keys[:, 1]
    index["n_tokens"] = [one.n_tokens for one in vectors.values()]
    data = np.stack([one.vector for one in vectors.values()]).astype("<f4", copy=False).tobytes()
    entries = index.tobytes()
    return MAGIC + HEAD.pack(len(vectors), dimension, zlib.crc32(entries), zlib.crc32(data)) + entries + data

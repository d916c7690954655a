"""Location -> clean UTF-8 bytes: gzip undone, byte order mark dropped, other encodings refused or transcoded."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import BinaryIO, Literal

from handler import storage
from handler.errors import InputError, RequestError, StorageError
from handler.formats._contract import ReadOptions, Source
from handler.formats._limits import CHUNK_BYTES, MAX_DECOMPRESSED, MAX_RATIO, RATIO_FREE_BYTES
from handler.formats._places import Place

_GZIP = b"\x1f\x8b"
_GZIP_SLICE = 1 << 14
_WIDE_MARKS = {  # UTF-32 first: its little-endian mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_FOREIGN = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; save the sheet as CSV UTF-8",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV UTF-8",
    b"PAR1": "a Parquet file; write it as JSON Lines or CSV",
    b"ARROW1": "an Arrow file; write it as JSON Lines or CSV",
    b"BZh": "bzip2-compressed; decompress it or use gzip",
    b"\xfd7zXZ": "xz-compressed; decompress it or use gzip",
    b"\x28\xb5\x2f\xfd": "zstandard-compressed; decompress it or use gzip",
    b"%PDF": "a PDF document; export the annotations as JSON Lines or CSV",
    b"SQLite format 3": "an SQLite database; export the table as CSV",
}
_TEXTS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")
_TREC = (".trec", ".run", ".qrels")
SUFFIXES = (*_TEXTS, *_TREC)
"""Of annotation files, each also with .gz."""


@contextmanager
def open_source(
    location: str, options: ReadOptions, if_match: str | None = None, place: Place | None = None
) -> Iterator[Source]:
    """The file behind `location`, its first bytes read. Raises InputError, StorageError or RequestError.

    if_match: the etag an S3 object must still have. place: where the chunks begin, in a plain UTF-8 file.
    """
    if place is None:
        with storage.open_read(location, if_match=if_match) as stream:
            yield source_from(stream, location, options)
        return
    with storage.open_read(location, 0, CHUNK_BYTES, if_match=if_match) as stream:
        source = source_from(stream, location, options)
    with storage.open_read(location, place.offset, if_match=if_match) as stream:
        yield replace(source, chunks=_read_chunks(stream, location), place=place)


def source_from(stream: BinaryIO, name: str, options: ReadOptions) -> Source:
    """`open_source` for a stream that is already open."""
    encoding = _known_encoding(options.encoding)
    head, chunks = _peek(_read_chunks(stream, name))
    compression: Literal["gzip"] | None = None
    if head.startswith(_GZIP):
        compression = "gzip"
        head, chunks = _peek(_gunzip(chunks, name))
        if head.startswith(_GZIP):
            raise InputError("the file is compressed twice", file=name, hint="Decompress it once with gunzip")
    if encoding != "utf-8":
        head, chunks = _peek(_transcode(chunks, encoding, name))
    marked = head.startswith(codecs.BOM_UTF8)
    if marked:
        head, chunks = head[3:], _without_mark(chunks)
    _refuse_foreign(head, name, transcoded=encoding != "utf-8")
    return Source(name, stem_of(storage.name_of(name)), head, chunks, compression, encoding, 3 if marked else 0)


def stem_of(name: str) -> str:
    """The file's name without `.gz` and without the suffix of its format."""
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # a file's name may be no UTF-8
    for suffix in (".gz", *_TREC, *_TEXTS, ".txt"):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            name = name[: -len(suffix)]
    return name


def _known_encoding(name: str | None) -> str:
    if name is None:
        return "utf-8"
    try:
        decoded: object = codecs.getincrementaldecoder(name)().decode(b"", True)  # bytes for "hex" and its kind
        canonical = codecs.lookup(name).name if isinstance(decoded, str) else ""
    except (LookupError, ValueError, TypeError):
        canonical = ""
    if not canonical:
        raise RequestError(f"unknown encoding {name!r}", field="encoding", hint="Try utf-8, utf-16 or latin-1")
    return "utf-8" if canonical == "utf-8-sig" else canonical


def _peek(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, enough to sniff, and all bytes again."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size >= CHUNK_BYTES:
            break
    return b"".join(parts)[:CHUNK_BYTES], chain(parts, chunks)


def _read_chunks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    while True:
        try:
            chunk = stream.read(CHUNK_BYTES)
        except OSError as error:
            raise StorageError(f"reading stopped: {error.strerror or error}", file=name) from error
        if not chunk:
            return
        yield chunk


def _gunzip(chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Decompress one or more gzip members; zero padding after the last one is what tape and block writers leave."""
    member = zlib.decompressobj(wbits=31)
    taken = given = 0
    for data in _sliced(chunks):
        taken += len(data)
        while data:
            if member.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                member = zlib.decompressobj(wbits=31)
            try:
                out = member.decompress(data, CHUNK_BYTES)
            except zlib.error as error:
                raise InputError(
                    f"damaged gzip data: {error}", file=name, hint="Compress or upload it again"
                ) from error
            given += len(out)
            if given > MAX_DECOMPRESSED or (given > RATIO_FREE_BYTES and given > MAX_RATIO * taken):
                raise InputError(
                    f"gzip data grows {given // taken} times to more than {given:,} bytes",
                    file=name,
                    hint="This looks like a decompression bomb; decompress the file yourself if it is meant so",
                )
            if out:
                yield out
            data = member.unconsumed_tail or member.unused_data
    if out := member.flush():
        yield out
    if not member.eof:
        raise InputError("the gzip data ends too early", file=name, hint="Upload the whole file again")


def _sliced(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Small pieces: zlib copies what it leaves over, once per member and once per full output buffer."""
    for chunk in chunks:
        for start in range(0, len(chunk), _GZIP_SLICE):
            yield chunk[start : start + _GZIP_SLICE]


def _transcode(chunks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    seen = 0
    for chunk in chain(chunks, [b""]):
        held = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            place = f"cannot decode the byte at offset {seen - held + error.start}"
            raise _not_encoded(encoding, place, name) from error
        except ValueError as error:
            raise _not_encoded(encoding, str(error), name) from error
        seen += len(chunk)
        if text:
            yield text.encode("utf-8", "replace")


def _not_encoded(encoding: str, what: str, name: str) -> InputError:
    return InputError(
        f"not {encoding}: {what}",
        file=name,
        hint="Leave --encoding out for UTF-8, or name the encoding the file was saved in",
    )


def _without_mark(chunks: Iterator[bytes]) -> Iterator[bytes]:
    start = b""
    for chunk in chunks:
        start += chunk
        if len(start) >= 3:
            yield start[3:]
            break
    yield from chunks


def _refuse_foreign(head: bytes, name: str, *, transcoded: bool) -> None:
    for magic, words in _FOREIGN.items():
        if head.startswith(magic):
            raise InputError(f"this is {words}", file=name)
    wide = next((label for mark, label in _WIDE_MARKS.items() if head.startswith(mark)), None)
    if wide is None and not transcoded and _every_other_is_zero(head[:200]):
        wide = "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
    if wide is not None:
        raise InputError(
            f"the file is {wide[:6].upper()}, not UTF-8",
            file=name,
            hint=f"Save it as UTF-8, or pass --encoding {wide}",
        )


def _every_other_is_zero(head: bytes) -> bool:
    if len(head) < 4:
        return False
    even, odd = head[0::2], head[1::2]
    shares = sorted((even.count(0) / len(even), odd.count(0) / len(odd)))
    return shares[1] > 0.8 and shares[0] < 0.5

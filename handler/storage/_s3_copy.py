"""Joining objects into one: the bytes of large ones are copied inside the store and never pass through this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from handler.errors import StorageError
from handler.storage._contract import ObjectInfo
from handler.storage._s3_errors import naming
from handler.storage._s3_read import ObjectReader, Place

__all__ = ["join_objects"]

SMALLEST_PART = 5 << 20  # bytes; S3 takes no smaller part but the last
LARGEST_COPY = 5 << 30  # bytes of one copied part
MOST_PARTS = 10_000

Piece = tuple[Place, str | None, int, int]
"""Bytes [start, end) of the version of an object that has this etag."""


def join_objects(
    client: Any, sources: Sequence[tuple[Place, ObjectInfo]], target: Place, headers: dict[str, str]
) -> None:
    """Write the target as its sources one after another, by one multipart upload; a small result by one request.

    headers: of every object written. Raises StorageError; then there is no new object, and no upload left behind.
    """
    pieces = [(place, info.etag, 0, info.size) for place, info in sources if info.size]
    if sum(end - start for _, _, start, end in pieces) < SMALLEST_PART:
        with naming(target.location):
            client.put_object(**target.request(), **headers, Body=b"".join(_read(client, one) for one in pieces))
        return
    with naming(target.location):
        upload = client.create_multipart_upload(**target.request(), **headers)["UploadId"]
    try:
        done = []
        for number, part in enumerate(_parts(pieces), 1):
            if number > MOST_PARTS:
                raise StorageError(f"more than {MOST_PARTS:,} parts", file=target.location, hint="Use fewer shards")
            with naming(target.location):
                done.append(_send(client, target, upload, number, part))
        with naming(target.location):
            client.complete_multipart_upload(**target.request(), UploadId=upload, MultipartUpload={"Parts": done})
    except BaseException:
        with suppress(ClientError, BotoCoreError):
            client.abort_multipart_upload(**target.request(), UploadId=upload)
        raise


def _parts(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Parts of at least 5 MB, the last aside: a single piece is copied, several are read and sent as one."""
    held: list[Piece] = []
    size = 0
    for place, etag, start, end in pieces:
        if held:  # filled up with no more of this object than it takes, unless too little to be copied would be left
            cut = start + SMALLEST_PART - size
            cut = end if end - cut < SMALLEST_PART else cut
            held.append((place, etag, start, cut))
            size += cut - start
            start = cut
            if size < SMALLEST_PART:
                continue
            yield held
            held, size = [], 0
        while end - start >= SMALLEST_PART:
            cut = end if end - start <= LARGEST_COPY else start + LARGEST_COPY - SMALLEST_PART
            yield [(place, etag, start, cut)]
            start = cut
        if start < end:
            held, size = [(place, etag, start, end)], end - start
    if held:
        yield held


def _send(client: Any, target: Place, upload: str, number: int, part: Sequence[Piece]) -> dict[str, Any]:
    request = {**target.request(), "UploadId": upload, "PartNumber": number}
    if len(part) > 1 or part[0][3] - part[0][2] < SMALLEST_PART:
        answer = client.upload_part(**request, Body=b"".join(_read(client, one) for one in part))
    else:
        place, etag, start, end = part[0]
        source = {"CopySource": place.request(), "CopySourceRange": f"bytes={start}-{end - 1}"}
        condition = {"CopySourceIfMatch": f'"{etag}"'} if etag else {}
        answer = client.upload_part_copy(**request, **source, **condition)["CopyPartResult"]
    checksums = {key: value for key, value in answer.items() if key.startswith("Checksum") and key != "ChecksumType"}
    return {"PartNumber": number, "ETag": answer["ETag"], **checksums}


def _read(client: Any, piece: Piece) -> bytes:
    place, etag, start, end = piece
    with ObjectReader(client, place, start, end, etag) as reader:
        return reader.readall()

"""Writing an object: one request for a small body, a multipart upload for a large one, nothing visible until the end."""

from __future__ import annotations

import base64
import io
import secrets
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from handler.storage._s3_errors import code_of, is_conflict, naming
from handler.storage._s3_read import Place, pause

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Upload", "part_bytes"]

_FIRST_PART_BYTES = 8 * 1024 * 1024
_PARTS_PER_SIZE = 1000
_CONFLICT_ATTEMPTS = 6
_MARK = "scenescore-write"
_OPENED_BY_BROWSERS = {".html": "text/html; charset=utf-8", ".json": "application/json"}  # {suffix: media type}


def part_bytes(number: int) -> int:
    """The size of part `number`, from 1: 8 MiB, doubled after every thousand parts.

    The first 8 GiB take 8 MiB of memory, 100 GiB take 64 MiB; S3's 10,000 parts hold 7.99 TiB, the last ones 4 GiB each.
    Few sizes, since some other stores want all parts of an upload alike.
    """
    return _FIRST_PART_BYTES << ((number - 1) // _PARTS_PER_SIZE)


class Upload(io.RawIOBase):
    """Collects bytes, a part at a time, and sends them; `finish` makes them the object, `abort` forgets them."""

    def __init__(self, client: Any, place: Place, headers: dict[str, str]) -> None:
        super().__init__()
        self._client, self._place, self._headers = client, place, headers
        self._buffer = bytearray()
        self._upload_id: str | None = None
        self._parts: list[dict[str, Any]] = []
        self._crc = 0
        # "when_required" is how users tell botocore of stores that know no such checksums.
        self._checksums = client.meta.config.request_checksum_calculation != "when_required"
        # Lets us recognise our own object when the answer to the last request was lost and its repetition refused.
        self._mark = secrets.token_hex(8)

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        view = memoryview(data).cast("B")
        rest = view
        while rest:
            room = part_bytes(len(self._parts) + 1) - len(self._buffer)
            if not room:
                self._send_part()
                continue
            self._buffer += rest[:room]
            rest = rest[room:]
        return len(view)

    def finish(self, **condition: str) -> None:
        """Make the object, under `IfNoneMatch="*"` or `IfMatch=etag` when given."""
        if self._upload_id is None:
            self._commit(self._client.put_object, Body=self._buffer, **self._object(), **condition)
            return
        self._send_part()
        whole = {"ChecksumType": "FULL_OBJECT", "ChecksumCRC32": _base64(self._crc)} if self._checksums else {}
        self._commit(
            self._client.complete_multipart_upload,
            UploadId=self._upload_id,
            MultipartUpload={"Parts": self._parts},
            **whole,
            **condition,
        )
        self._upload_id = None

    def abort(self) -> None:
        """Leave nothing behind, best effort: whatever brought us here matters more than a failure to clean up."""
        self._buffer = bytearray()
        self.close()
        if self._upload_id is not None:
            with suppress(ClientError, BotoCoreError):
                self._client.abort_multipart_upload(**self._place.request(), UploadId=self._upload_id)

    def _object(self) -> dict[str, Any]:
        known = [kind for suffix, kind in _OPENED_BY_BROWSERS.items() if self._place.key.endswith(suffix)]
        media_type = {"ContentType": known[0]} if known else {}
        return {**self._headers, **media_type, "Metadata": {_MARK: self._mark}}

    def _send_part(self) -> None:
        with naming(self._place.location):
            if self._upload_id is None:
                whole = {"ChecksumAlgorithm": "CRC32", "ChecksumType": "FULL_OBJECT"} if self._checksums else {}
                response = self._client.create_multipart_upload(**self._place.request(), **self._object(), **whole)
                self._upload_id = str(response["UploadId"])
            number = len(self._parts) + 1
            response = self._client.upload_part(
                **self._place.request(), UploadId=self._upload_id, PartNumber=number, Body=self._buffer
            )
        part = {"PartNumber": number, "ETag": response["ETag"]}
        if self._checksums:
            part["ChecksumCRC32"] = _base64(zlib.crc32(self._buffer))
            self._crc = zlib.crc32(self._buffer, self._crc)
        self._parts.append(part)
        self._buffer = bytearray()

    def _commit(self, call: Callable[..., Any], **request: Any) -> None:
        with naming(self._place.location):
            for attempt in range(1, _CONFLICT_ATTEMPTS + 1):
                try:
                    call(**self._place.request(), **request)
                    return
                except ClientError as error:
                    if self._was_written(error):
                        return
                    if not is_conflict(error) or attempt == _CONFLICT_ATTEMPTS:
                        raise
                pause(attempt)

    def _was_written(self, error: ClientError) -> bool:
        """Whether a refused repetition of our request is refused because the first one had worked."""
        repeated = error.response.get("ResponseMetadata", {}).get("RetryAttempts", 0) > 0
        if not repeated or code_of(error) not in ("PreconditionFailed", "NoSuchUpload", "NoSuchKey"):
            return False
        try:
            response = self._client.head_object(**self._place.request())
        except (ClientError, BotoCoreError):
            return False
        return bool(response.get("Metadata", {}).get(_MARK) == self._mark)


def _base64(crc: int) -> str:
    return base64.b64encode(crc.to_bytes(4, "big")).decode("ascii")

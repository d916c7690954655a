"""Reading an object as one stream, over as many connections as it takes."""

from __future__ import annotations

import io
import random
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError, IncompleteReadError
from urllib3.exceptions import HTTPError

from handler.errors import StorageError
from handler.storage._errors import ChangedError, TransientStorageError
from handler.storage._s3_errors import code_of, naming

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["ObjectReader", "Place", "pause"]

_CHUNK_BYTES = 1024 * 1024
# Broken connections in a row without one new byte; any progress starts the count again.
_FRUITLESS_ATTEMPTS = 5
# urllib3's, as botocore lets through what TLS makes of a connection that just ends.
_BROKEN = (ConnectionError, HTTPClientError, HTTPError, IncompleteReadError, OSError)


class Place(NamedTuple):
    """An object's address in the two forms needed: for S3 and for messages."""

    bucket: str
    key: str
    location: str

    def request(self) -> dict[str, str]:
        """The parameters that name the object in every call."""
        return {"Bucket": self.bucket, "Key": self.key}


class ObjectReader(io.RawIOBase):
    """The bytes [start, end) of one version of an object.

    When the connection breaks, reading goes on from the next byte under `If-Match`, so bytes of two versions are never
    mixed. botocore checks the object's own checksum when the whole of it came over one connection.
    """

    def __init__(self, client: Any, place: Place, start: int, end: int | None, if_match: str | None) -> None:
        super().__init__()
        self._client, self._place = client, place
        self._position, self._end = start, end
        self._body: Any = None
        self._left = 0
        self.etag = if_match
        with naming(place.location):
            try:
                response = self._get()
            except ClientError as error:
                if code_of(error) == "InvalidRange":  # it begins past the object's end
                    return
                raise
        self.etag = response["ETag"].strip('"')
        self._left = int(response["ContentLength"])

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")[: self._left]
        if not view:
            return 0
        count = self._receive(view)
        self._position += count
        self._left -= count
        if not self._left:
            self._check_end()
        return count

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self.read(_CHUNK_BYTES) or b"", b""))

    def close(self) -> None:
        self._drop()
        super().close()

    def _receive(self, view: memoryview) -> int:
        problem: BaseException | None = None
        for attempt in range(_FRUITLESS_ATTEMPTS):
            if attempt:
                pause(attempt)
            try:
                if self._body is None:
                    self._resume()
                count = int(self._body.readinto(view))
            except _BROKEN as error:
                problem, count = error, 0
            if count:
                return count
            self._drop()
        raise TransientStorageError(
            f"the connection broke {_FRUITLESS_ATTEMPTS} times at byte {self._position}",
            file=self._place.location,
            hint="Try again later",
        ) from problem

    def _get(self) -> Any:
        request = self._place.request()
        if self.etag is not None:
            request["IfMatch"] = f'"{self.etag}"'
        partial = bool(self._position) or self._end is not None
        if partial:
            last = "" if self._end is None else self._end - 1
            request["Range"] = f"bytes={self._position}-{last}"
        response = self._client.get_object(**request)
        self._body = response["Body"]
        if partial and not str(response.get("ContentRange", "")).startswith(f"bytes {self._position}-"):
            self._drop()
            raise StorageError("the store does not serve byte ranges", file=self._place.location)
        return response

    def _resume(self) -> None:
        with naming(self._place.location):
            try:
                response = self._get()
            except ClientError as error:
                if code_of(error) in ("PreconditionFailed", "NoSuchKey", "InvalidRange"):
                    raise self._changed() from error
                raise
        if response["ETag"].strip('"') != self.etag:  # a server that does not know If-Match
            raise self._changed()

    def _changed(self) -> ChangedError:
        return ChangedError("changed while being read", file=self._place.location, hint="Read it again from the start")

    def _check_end(self) -> None:
        # botocore compares checksums only on a read that finds the end, and callers who know the length never make one.
        with naming(self._place.location):
            self._body.read(1)
        self._drop()

    def _drop(self) -> None:
        body, self._body = self._body, None
        if body is not None:
            body.close()


def pause(attempt: int) -> None:
    """Wait before the next attempt, on average 50 ms, then twice as long each time up to 0.5 s."""
    time.sleep(min(0.05 * 2**attempt, 1.0) * random.random())  # noqa: S311 - spreads out racing writers

"""`Store` over S3 and servers that speak its protocol."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from botocore.exceptions import ClientError

from handler.storage._contract import ObjectInfo
from handler.storage._errors import (
    AlreadyExistsError,
    ChangedError,
    LocationError,
    NotFoundError,
    TransientStorageError,
)
from handler.storage._s3_client import S3Options, make_client
from handler.storage._s3_copy import join_objects
from handler.storage._s3_errors import code_of, naming
from handler.storage._s3_read import ObjectReader, Place, pause
from handler.storage._s3_write import Upload

__all__ = ["S3Store", "shared_store"]

_READ_BUFFER_BYTES = 256 * 1024
_WRITE_BUFFER_BYTES = 64 * 1024
_UPDATE_ATTEMPTS = 30
_LONGEST_KEY_BYTES = 1024

_lock = threading.Lock()
_stores: dict[int, S3Store] = {}


def shared_store() -> S3Store:
    """The one store of this process, made on first use.

    By process id, as the connections that a forked child inherits still belong to its parent.
    """
    process = os.getpid()
    with _lock:
        if process not in _stores:
            _stores.clear()
            options = S3Options.from_environment()
            _stores[process] = S3Store(make_client(), options)
        return _stores[process]


class S3Store:
    """`Store` over one boto3 client, which threads may share."""

    def __init__(self, client: Any, options: S3Options) -> None:
        self._client = client
        self._headers = options.request()

    def stat(self, location: str) -> ObjectInfo | None:
        """One HEAD request. S3 answers it alike for a missing object and a missing bucket: None."""
        place = _place(location)
        with naming(location):
            try:
                head = self._client.head_object(**place.request())
            except ClientError as error:
                if code_of(error) in ("404", "NoSuchKey"):
                    return None
                raise
        return ObjectInfo(location, int(head["ContentLength"]), head["ETag"].strip('"'), head.get("VersionId"))

    def open_read(
        self, location: str, start: int = 0, end: int | None = None, *, if_match: str | None = None
    ) -> BinaryIO:
        """Stream the object; a broken connection is taken up again where it broke."""
        if end is not None and end <= start:
            return self._open_nothing(location, if_match)
        return io.BufferedReader(ObjectReader(self._client, _place(location), start, end, if_match), _READ_BUFFER_BYTES)

    @contextmanager
    def open_write(self, location: str, *, if_absent: bool = False) -> Iterator[BinaryIO]:
        """Upload in parts of 8 MiB and more, held in memory one at a time; the object appears when the block ends."""
        condition = {"IfNoneMatch": "*"} if if_absent else {}
        try:
            with self._upload(location, condition) as stream:
                yield stream
        except ChangedError as error:
            if not if_absent or error.file != location:
                raise
            raise AlreadyExistsError("somebody else wrote this object first", file=location) from error

    def update(self, location: str, change: Callable[[bytes | None], bytes | None]) -> bool:
        """Read, change and write back on condition that the etag is still the same; from the start when it is not."""
        for attempt in range(1, _UPDATE_ATTEMPTS + 1):
            old, condition = self._current(location)
            new = change(old)
            if new is None:
                return False
            try:
                with self._upload(location, condition) as stream:
                    stream.write(new)
                return True
            except (ChangedError, NotFoundError):
                pause(attempt)
        raise TransientStorageError(
            f"other writers were faster {_UPDATE_ATTEMPTS} times", file=location, hint="Try again later"
        )

    def list_objects(self, prefix: str) -> Iterator[ObjectInfo]:
        """All objects whose key begins with the prefix, a thousand per request, in the order of the keys' bytes.

        A prefix is not a folder: `s3://b/run` also finds `run-2/x`; end it with `/` to mean the folder. The empty
        objects ending in `/` that consoles make to show a folder are passed over.
        """
        bucket, key = _split(prefix)
        request = {"Bucket": bucket, "Prefix": key}
        while True:
            with naming(prefix):
                page = self._client.list_objects_v2(**request)
            for found in page.get("Contents", []):
                if found["Size"] or not found["Key"].endswith("/"):
                    location = f"s3://{bucket}/{found['Key']}"
                    yield ObjectInfo(location, int(found["Size"]), found["ETag"].strip('"'))
            if not page.get("IsTruncated"):
                return
            request["ContinuationToken"] = page["NextContinuationToken"]

    def delete(self, location: str) -> None:
        """Remove the object; in a versioned bucket, hide it behind a delete marker."""
        with naming(location):
            self._client.delete_object(**_place(location).request())

    def delete_tree(self, prefix: str) -> None:
        """Remove the objects one by one: not every store knows how to remove many at once."""
        for info in list(self.list_objects(prefix)):
            self.delete(info.location)

    def concatenate(self, sources: Sequence[str], target: str) -> None:
        """Large objects are copied where they are, small ones are read and sent."""
        infos = [(source, self.stat(source)) for source in sources]
        missing = next((source for source, info in infos if info is None), None)
        if missing is not None:
            raise NotFoundError("no such object or bucket", file=missing, hint="Check bucket and key")
        found = [(_place(source), info) for source, info in infos if info is not None]
        join_objects(self._client, found, _place(target), self._headers)

    @contextmanager
    def _upload(self, location: str, condition: dict[str, str]) -> Iterator[BinaryIO]:
        upload = Upload(self._client, _place(location), self._headers)
        try:
            stream = io.BufferedWriter(upload, _WRITE_BUFFER_BYTES)
            yield stream
            if not stream.closed:
                stream.flush()
            upload.finish(**condition)
        except BaseException:
            upload.abort()
            raise
        upload.close()

    def _current(self, location: str) -> tuple[bytes | None, dict[str, str]]:
        try:
            with ObjectReader(self._client, _place(location), 0, None, None) as reader:
                return reader.readall(), {"IfMatch": f'"{reader.etag}"'}
        except NotFoundError:
            return None, {"IfNoneMatch": "*"}

    def _open_nothing(self, location: str, if_match: str | None) -> BinaryIO:
        info = self.stat(location)
        if info is None:
            raise NotFoundError("no such object or bucket", file=location, hint="Check bucket and key")
        if if_match not in (None, info.etag):
            raise ChangedError("this is another version than the one asked for", file=location)
        return io.BytesIO()


def _split(location: str) -> tuple[str, str]:
    # Never decoded: %41 and + are as good characters of a key as any.
    bucket, _, key = location.removeprefix("s3://").partition("/")
    if not bucket:
        raise LocationError("no bucket in this uri", file=location, hint="Write s3://bucket/key")
    return bucket, key


def _place(location: str) -> Place:
    bucket, key = _split(location)
    if not key:
        raise LocationError("this names a bucket, not an object", file=location, hint="Write s3://bucket/key")
    if len(key.encode("utf-8", "replace")) > _LONGEST_KEY_BYTES:
        raise LocationError(f"the key is longer than {_LONGEST_KEY_BYTES} bytes", file=location)
    return Place(bucket, key, location)

"""An S3 in this process: the boto3 client that the product's own `S3Store` talks to, with faults on request.

One object store in a dictionary, with etags, conditional writes, multipart uploads and ranges as S3 has them. Before and
after every call a `Weather` is asked what happens: it may raise, lose the answer, slow a body down or break it, let other
workers go first, or end the caller.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError, ConnectionClosedError

__all__ = ["Body", "MemoryS3", "Weather", "refused"]

URL = "http://memory"


class Weather:
    """What happens to calls; this one lets all of them pass."""

    def before(self, operation: str, key: str) -> None:
        """Called first; an exception here means that S3 never saw the call."""

    def repeats(self, operation: str) -> bool:
        """Whether the call arrives twice."""
        return False

    def after(self, operation: str, key: str) -> None:
        """Called when S3 has acted; an exception here means that the answer was lost."""

    def body(self, data: bytes) -> Body:
        """The stream of an answer."""
        return Body(data)


class Body:
    """The body of an answer. piece: bytes that one read gives at most. cut: bytes after which the connection breaks."""

    def __init__(self, data: bytes, *, piece: int | None = None, cut: int | None = None) -> None:
        self._data, self._piece, self._cut, self._at = data, piece, cut, 0

    def read(self, size: int = -1) -> bytes:
        if self._cut is not None and self._at >= self._cut:
            raise ConnectionClosedError(endpoint_url=URL)
        left = len(self._data) - self._at
        count = min([left] + [one for one in (self._piece, size) if one is not None and one >= 0])
        if self._cut is not None:
            count = min(count, self._cut - self._at)
        self._at += count
        return self._data[self._at - count : self._at]

    def readinto(self, buffer: memoryview) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        pass


class MemoryS3:
    """Objects and unfinished uploads. weather: replaced at will."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[bytes, dict[str, str]]] = {}
        self.uploads: dict[str, tuple[dict[str, str], dict[int, bytes]]] = {}
        self.weather = Weather()
        self.n_calls = 0
        self._n_uploads = 0
        self.meta = SimpleNamespace(config=SimpleNamespace(request_checksum_calculation="when_supported"))

    def __getattr__(self, operation: str) -> Any:
        method = getattr(self, f"_{operation}", None) if not operation.startswith("_") else None
        if method is None:
            raise AttributeError(operation)

        def call(**request: Any) -> Any:
            self.n_calls += 1
            key = f"{request['Bucket']}/{request.get('Key', request.get('Prefix', ''))}"
            self.weather.before(operation, key)
            answer = method(key, request)
            if self.weather.repeats(operation):  # botocore had no answer in time and sent it once more
                answer = _again(method, key, request)
            self.weather.after(operation, key)
            return answer

        return call

    def _head_object(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        data, metadata = self._object(key, "404", "HeadObject")
        return {"ContentLength": len(data), "ETag": f'"{_etag(data)}"', "Metadata": metadata}

    def _get_object(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        data, _ = self._object(key, "NoSuchKey", "GetObject")
        etag = f'"{_etag(data)}"'
        if request.get("IfMatch", etag) != etag:
            raise refused("PreconditionFailed", "GetObject", 412)
        answer: dict[str, Any] = {"ETag": etag}
        if "Range" in request:
            first, _, last = request["Range"].removeprefix("bytes=").partition("-")
            if int(first) >= len(data):
                raise refused("InvalidRange", "GetObject", 416)
            data = data[int(first) : int(last) + 1 if last else None]
            answer["ContentRange"] = f"bytes {first}-{int(first) + len(data) - 1}/*"
        return {**answer, "ContentLength": len(data), "Body": self.weather.body(data)}

    def _put_object(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._put(key, bytes(request["Body"]), request, "PutObject")
        return {}

    def _delete_object(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.objects.pop(key, None)
        return {}

    def _list_objects_v2(self, prefix: str, request: Mapping[str, Any]) -> dict[str, Any]:
        after = request.get("ContinuationToken", "")
        keys = sorted((key for key in self.objects if key.startswith(prefix) and key > after), key=str.encode)
        found = [
            {
                "Key": key.partition("/")[2],
                "Size": len(self.objects[key][0]),
                "ETag": f'"{_etag(self.objects[key][0])}"',
            }
            for key in keys[:20]
        ]
        more = {"NextContinuationToken": keys[19]} if len(keys) > 20 else {}
        return {"Contents": found, "IsTruncated": bool(more), **more}

    def _create_multipart_upload(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._n_uploads += 1
        name = f"upload-{self._n_uploads}"
        self.uploads[name] = (dict(request.get("Metadata", {})), {})
        return {"UploadId": name}

    def _upload_part(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        return {"ETag": self._part(request, bytes(request["Body"]))}

    def _upload_part_copy(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        source = request["CopySource"]
        data, _ = self._object(f"{source['Bucket']}/{source['Key']}", "NoSuchKey", "UploadPartCopy")
        if request.get("CopySourceIfMatch", f'"{_etag(data)}"') != f'"{_etag(data)}"':
            raise refused("PreconditionFailed", "UploadPartCopy", 412)
        first, last = map(int, request["CopySourceRange"].removeprefix("bytes=").split("-"))
        return {"CopyPartResult": {"ETag": self._part(request, data[first : last + 1])}}

    def _complete_multipart_upload(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        metadata, parts = self._upload(request, "CompleteMultipartUpload")
        numbers = [one["PartNumber"] for one in request["MultipartUpload"]["Parts"]]
        assert numbers == sorted(set(numbers))
        for one in request["MultipartUpload"]["Parts"]:
            assert one["ETag"] == f'"{_etag(parts[one["PartNumber"]])}"'
        data = b"".join(parts[number] for number in numbers)
        self._put(key, data, {**request, "Metadata": metadata}, "CompleteMultipartUpload")
        del self.uploads[request["UploadId"]]
        return {}

    def _abort_multipart_upload(self, key: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self.uploads.pop(request["UploadId"], None)
        return {}

    def _object(self, key: str, code: str, operation: str) -> tuple[bytes, dict[str, str]]:
        if key not in self.objects:
            raise refused(code, operation, 404)
        return self.objects[key]

    def _upload(self, request: Mapping[str, Any], operation: str) -> tuple[dict[str, str], dict[int, bytes]]:
        if request["UploadId"] not in self.uploads:
            raise refused("NoSuchUpload", operation, 404)
        return self.uploads[request["UploadId"]]

    def _part(self, request: Mapping[str, Any], data: bytes) -> str:
        self._upload(request, "UploadPart")[1][request["PartNumber"]] = data
        return f'"{_etag(data)}"'

    def _put(self, key: str, data: bytes, request: Mapping[str, Any], operation: str) -> None:
        known = self.objects.get(key)
        if request.get("IfNoneMatch") == "*" and known is not None:
            raise refused("PreconditionFailed", operation, 412)
        if "IfMatch" in request:
            if known is None:
                raise refused("NoSuchKey", operation, 404)
            if request["IfMatch"] != f'"{_etag(known[0])}"':
                raise refused("PreconditionFailed", operation, 412)
        self.objects[key] = (data, dict(request.get("Metadata", {})))


def _again(method: Callable[..., Any], key: str, request: Mapping[str, Any]) -> Any:
    try:
        return method(key, request)
    except ClientError as error:
        error.response["ResponseMetadata"]["RetryAttempts"] = 1
        raise


def refused(code: str, operation: str, status: int, *, retries: int = 0) -> ClientError:
    """S3's refusal as botocore raises it."""
    meta = {"HTTPStatusCode": status, "RetryAttempts": retries}
    return ClientError({"Error": {"Code": code, "Message": "by the test"}, "ResponseMetadata": meta}, operation)


def _etag(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()

"""S3's failures in our names: one clear line with location, what, what to do. No botocore exception passes this file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    CredentialRetrievalError,
    FlexibleChecksumError,
    HTTPClientError,
    NoAuthTokenError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ProxyConnectionError,
    SSLError,
    SSOError,
    TokenRetrievalError,
)

from handler.errors import StorageError
from handler.storage._errors import (
    AccessDeniedError,
    BucketNotFoundError,
    ChangedError,
    ChecksumError,
    CredentialsError,
    LocationError,
    NotFoundError,
    TransientStorageError,
    UnreachableError,
)

__all__ = ["code_of", "is_conflict", "naming"]

_LONGEST_QUOTE = 300  # characters of a server's own words

# code in S3's answer -> our error, what happened, what to do
_ANSWERS: dict[str, tuple[type[StorageError], str, str | None]] = {
    "NoSuchBucket": (
        BucketNotFoundError,
        "no such bucket",
        "Check its name, and that the account and region are right",
    ),
    "NoSuchKey": (NotFoundError, "no such object", "Check the key: upper and lower case, spaces and '+' count"),
    "NoSuchUpload": (
        TransientStorageError,
        "the upload was removed before it was complete",
        "Write again; look for a lifecycle rule that aborts uploads early",
    ),
    "InvalidBucketName": (LocationError, "not a bucket name", None),
    "PreconditionFailed": (ChangedError, "somebody else changed this object meanwhile", "Read it again"),
    "InvalidObjectState": (StorageError, "the object is archived", "Restore it from the archive class first"),
    "PermanentRedirect": (StorageError, "the bucket is in another region", "Set AWS_REGION to the bucket's"),
    "AuthorizationHeaderMalformed": (StorageError, "the bucket is in another region", "Set AWS_REGION to the bucket's"),
}
_DENIED = {"AccessDenied", "AllAccessDisabled", "AccountProblem", "403"}
_BAD_CREDENTIALS = {
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidAccessKeyId",
    "InvalidToken",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "TokenRefreshRequired",
    "UnrecognizedClientException",
}
_BAD_CHECKSUM = {
    "BadDigest",
    "IncompleteBody",
    "InvalidDigest",
    "XAmzContentChecksumMismatch",
    "XAmzContentSHA256Mismatch",
}
_OVERLOADED = {"RequestLimitExceeded", "RequestTimeout", "ServiceUnavailable", "SlowDown", "Throttling"}
_CONFLICTS = {"ConditionalRequestConflict", "OperationAborted"}
_PERMISSIONS = {
    "HeadObject": "s3:GetObject",
    "ListObjectsV2": "s3:ListBucket",
    "CreateMultipartUpload": "s3:PutObject",
    "UploadPart": "s3:PutObject",
    "CompleteMultipartUpload": "s3:PutObject",
}
_NO_CREDENTIALS = (
    CredentialRetrievalError,
    NoAuthTokenError,
    NoCredentialsError,
    PartialCredentialsError,
    SSOError,
    TokenRetrievalError,
)


@contextmanager
def naming(location: str) -> Iterator[None]:
    """Turn botocore's exceptions in the block into named ones that carry the location."""
    try:
        yield
    except ClientError as error:
        raise _answer(location, error) from error
    except (BotoCoreError, ValueError) as error:
        raise _failure(location, error) from error


def code_of(error: Any) -> str:
    """The code in S3's error answer; the HTTP status as text where the answer has no body (HEAD)."""
    return str(error.response.get("Error", {}).get("Code", "unknown"))


def is_conflict(error: Any) -> bool:
    """Whether S3 asks to repeat a write that met another one at the same moment."""
    return code_of(error) in _CONFLICTS


def _answer(location: str, error: Any) -> StorageError:
    code = code_of(error)
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    if code in _ANSWERS:
        kind, text, hint = _ANSWERS[code]
        return kind(text, file=location, hint=hint)
    if code in _BAD_CREDENTIALS:
        hint = "Check the AWS credentials and the clock"
        return CredentialsError(f"the credentials are not accepted ({code})", file=location, hint=hint)
    if code in _BAD_CHECKSUM:
        hint = "Write again; if it happens again, memory or a proxy on the way is at fault"
        return ChecksumError(f"the bytes arrived damaged and were refused ({code})", file=location, hint=hint)
    if code in _DENIED:
        return _denied(location, error)
    if code == "404":
        return NotFoundError("no such object or bucket", file=location, hint="Check bucket and key")
    if code in _OVERLOADED or code in _CONFLICTS or status in (429, 500, 502, 503, 504):
        text = f"the store is too busy ({code}, after {_attempts(error)} attempts)"
        return TransientStorageError(text, file=location, hint="Try again later")
    return StorageError(f"the store refused {error.operation_name} ({code}: {_quote(error)})", file=location)


def _denied(location: str, error: Any) -> StorageError:
    permission = _PERMISSIONS.get(error.operation_name, f"s3:{error.operation_name}")
    hint = f"Ask for {permission}"
    if permission == "s3:GetObject":
        hint += "; without s3:ListBucket a missing object looks forbidden, too"
    return AccessDeniedError(f"access denied ({_quote(error)})", file=location, hint=hint)


def _failure(location: str, error: Exception) -> StorageError:
    if isinstance(error, _NO_CREDENTIALS):
        return CredentialsError("no usable AWS credentials", file=location, hint="Set AWS_PROFILE, keys or a role")
    if isinstance(error, FlexibleChecksumError):
        hint = "Read again; if it happens again, the object itself is damaged"
        return ChecksumError("the bytes read do not match the object's checksum", file=location, hint=hint)
    if isinstance(error, ParamValidationError):
        return LocationError("not a valid bucket or key name", file=location, hint="Write s3://bucket/key")
    if isinstance(error, (SSLError, ProxyConnectionError)):
        text = f"no trusted connection to the store ({type(error).__name__})"
        return StorageError(text, file=location, hint="Check AWS_CA_BUNDLE and the proxy settings")
    if isinstance(error, (ConnectionError, HTTPClientError)):
        text = f"the store does not answer ({type(error).__name__})"
        return UnreachableError(text, file=location, hint="Check the network, AWS_ENDPOINT_URL and AWS_REGION")
    return StorageError(f"the AWS client failed ({type(error).__name__}: {error})", file=location)


def _attempts(error: Any) -> int:
    return 1 + int(error.response.get("ResponseMetadata", {}).get("RetryAttempts", 0))


def _quote(error: Any) -> str:
    return str(error.response.get("Error", {}).get("Message", ""))[:_LONGEST_QUOTE].rstrip(". ")

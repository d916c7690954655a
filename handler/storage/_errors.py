"""What can go wrong with a location, by name, so that callers can tell a retry from a mistake."""

from __future__ import annotations

from handler.errors import StorageError

__all__ = [
    "AccessDeniedError",
    "AlreadyExistsError",
    "BucketNotFoundError",
    "ChangedError",
    "ChecksumError",
    "CredentialsError",
    "LocationError",
    "NotFoundError",
    "TransientStorageError",
    "UnreachableError",
]


class LocationError(StorageError):
    """The location is not written as a path or as s3://bucket/key; nothing was asked of any store."""

    code = "bad_location"


class NotFoundError(StorageError):
    """There is no such file or object."""

    code = "not_found"


class BucketNotFoundError(StorageError):
    """There is no such bucket. Not a `NotFoundError`: a missing object may be fine, a missing bucket never is."""

    code = "bucket_not_found"


class AccessDeniedError(StorageError):
    """The caller is known but may not do this."""

    code = "access_denied"


class CredentialsError(StorageError):
    """No credentials were found, or the store does not accept them."""

    code = "bad_credentials"


class AlreadyExistsError(StorageError):
    """Another writer made this object first; a conditional write left it as it was."""

    code = "already_exists"


class ChangedError(StorageError):
    """The object is no longer the version asked for: it was replaced or deleted meanwhile."""

    code = "changed"


class ChecksumError(StorageError):
    """The bytes that arrived are not the bytes that were sent; nothing was kept."""

    code = "wrong_checksum"


class TransientStorageError(StorageError):
    """The store is overloaded or the line broke, and our own retries did not help. The same call may work later."""

    code = "storage_transient"
    exit_code = 3


class UnreachableError(TransientStorageError):
    """Nothing answers at the endpoint."""

    code = "storage_unreachable"

"""Where pictures are read from: the one seam between a caption's `image` and the disk or S3.

A relative path counts from the input's folder, or from the current directory for records that Python passes. Who reads a
file of one's own may name any picture that the machine can read. What comes from outside - records in a request's body, or a
file in S3, which others may write - reads pictures only in S3: under SCENESCORE_INPUTS, or, where that is not set, in the
bucket of the input.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from functools import cache
from pathlib import Path

from handler import storage
from handler.errors import StorageError
from handler.evaluation._request import EvaluationRequest
from handler.models import PictureError
from handler.settings import Settings, is_under

__all__ = ["picture_opener"]

MAX_BYTES = 64 << 20  # of one picture's file; the largest photographs of phones have some 30 MB


def picture_opener(request: EvaluationRequest) -> Callable[[str], bytes]:
    """From a sample's `image`, the bytes of the file.

    It raises PictureError (`image_not_found`, `image_forbidden`, `image_too_large`, `image_unreadable`) for what is wrong
    with one picture, and the StorageError itself for what may be better next time, or is wrong with them all.
    """
    allowed = _allowed(request)

    @cache
    def base() -> str | None:
        return _folder_of(request)

    def open_image(image: str) -> bytes:
        location = _resolved(image, base)
        if allowed is not None and not _is_open(location, allowed):
            where = f"under {', '.join(allowed)}" if allowed else "nowhere: SCENESCORE_INPUTS is not set"
            raise PictureError(
                "the picture is not open to requests", reason="image_forbidden", file=image, hint=f"Allowed: {where}"
            )
        return _read(location)

    return open_image


def _is_open(location: str, allowed: tuple[str, ...]) -> bool:
    """Keys are compared as they are: S3 knows no `..`, but what stands in for it may."""
    stays = not {".", ".."} & set(location.split("/"))
    return stays and any(is_under(location, prefix) for prefix in allowed)


def _allowed(request: EvaluationRequest) -> tuple[str, ...] | None:
    """The prefixes under which pictures may lie; None for anywhere."""
    is_remote = request.input is not None and storage.is_remote(request.input)
    if request.sessions is None and not is_remote:
        return None
    inputs = Settings.from_environment().inputs
    if inputs or request.input is None:
        return inputs
    return ("/".join(request.input.split("/", 3)[:3]),)


def _folder_of(request: EvaluationRequest) -> str | None:
    """Where relative paths start; None where nothing says it."""
    if request.input is None:
        return None if request.sessions is not None else str(Path.cwd())
    if not storage.is_remote(request.input):
        path = Path(request.input)
        return str(path if path.is_dir() else path.parent)
    is_object = not request.input.endswith("/") and storage.stat(request.input) is not None
    return request.input.rpartition("/")[0] if is_object else request.input.rstrip("/")


def _resolved(image: str, base: Callable[[], str | None]) -> str:
    """An absolute location. `..` is resolved, and leads out of no bucket."""
    if storage.is_remote(image) or image.startswith("/"):
        return image
    folder = base()
    if folder is None:
        raise PictureError(
            "a relative path names no picture in a request's body",
            reason="image_forbidden",
            file=image,
            hint="Name it as s3://bucket/key",
        )
    if not storage.is_remote(folder):
        return image if "://" in image else str(Path(folder, image))
    bucket, _, key = folder.removeprefix("s3://").partition("/")
    inside = posixpath.normpath(posixpath.join("/", key, image)).lstrip("/")
    return f"s3://{bucket}/{inside}"


def _read(location: str) -> bytes:
    try:
        # A pipe or a device is none, and would be waited for.
        if not storage.is_remote(location) and storage.stat(location) is None:
            raise storage.NotFoundError("there is no such file", file=location)
        with storage.open_read(location) as stream:
            data = stream.read(MAX_BYTES + 1)
    except (storage.TransientStorageError, storage.CredentialsError):
        raise
    except (storage.NotFoundError, storage.BucketNotFoundError) as error:
        raise PictureError(
            "there is no such picture", reason="image_not_found", file=location, hint="Check the path"
        ) from error
    except StorageError as error:
        raise PictureError(error.message, reason="image_unreadable", file=location, hint=error.hint) from error
    if len(data) > MAX_BYTES:
        raise PictureError(
            f"the picture's file is larger than {MAX_BYTES >> 20} MB", reason="image_too_large", file=location
        )
    return data

"""How this process talks to S3: the client and what every written object carries.

Where and as whom follows the AWS conventions (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION, AWS_PROFILE, keys, roles).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from handler.errors import StorageError

__all__ = ["S3Options", "make_client"]

_CONNECT_TIMEOUT_S = 5
_READ_TIMEOUT_S = 60
# With the standard mode's doubling pauses: about 8 s until a dead endpoint is given up.
_ATTEMPTS = 5
_ENCRYPTIONS = ("AES256", "aws:kms", "aws:kms:dsse")
_MOST_TAGS = 10  # per object, S3's limit


@dataclass(frozen=True, slots=True)
class S3Options:
    """What the platform's owner wants on every written object.

    sse: server-side encryption, `AES256`, `aws:kms` or `aws:kms:dsse`; None leaves it to the bucket.
    kms_key: id, alias or ARN of the key; None is the account's default key.
    tags: url-encoded, `team=vision&cost=42`.
    """

    sse: str | None = None
    kms_key: str | None = None
    tags: str | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> S3Options:
        """Read SCENESCORE_SSE, SCENESCORE_KMS_KEY and SCENESCORE_OBJECT_TAGS."""
        sse = environment.get("SCENESCORE_SSE") or None
        kms_key = environment.get("SCENESCORE_KMS_KEY") or None
        if sse is not None and sse not in _ENCRYPTIONS:
            raise StorageError(f"unknown encryption {sse!r}", field="SCENESCORE_SSE", hint=f"One of {_ENCRYPTIONS}")
        if kms_key and (sse or "").partition(":")[0] != "aws":
            raise StorageError(
                "a key without KMS encryption", field="SCENESCORE_KMS_KEY", hint="Set SCENESCORE_SSE=aws:kms"
            )
        return cls(sse, kms_key, _tags(environment.get("SCENESCORE_OBJECT_TAGS") or ""))

    def request(self) -> dict[str, str]:
        """The parameters that PutObject and CreateMultipartUpload share."""
        named = {"ServerSideEncryption": self.sse, "SSEKMSKeyId": self.kms_key, "Tagging": self.tags}
        return {name: value for name, value in named.items() if value}


def make_client() -> Any:
    """A boto3 S3 client. What AWS_RETRY_MODE and AWS_MAX_ATTEMPTS say wins over our defaults."""
    retries: dict[str, Any] = {}
    if "AWS_RETRY_MODE" not in os.environ:
        retries["mode"] = "standard"
    if "AWS_MAX_ATTEMPTS" not in os.environ:
        retries["total_max_attempts"] = _ATTEMPTS
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    config = Config(
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=_READ_TIMEOUT_S,
        tcp_keepalive=True,
        retries=retries,
        # A server of one's own rarely has a DNS name per bucket.
        s3={"addressing_style": "path" if endpoint else "auto"},
    )
    try:
        return boto3.session.Session().client("s3", config=config)
    except (BotoCoreError, ValueError) as error:
        raise StorageError(
            f"the AWS settings do not make an S3 client: {error}", hint="Check the AWS_* variables and ~/.aws"
        ) from error


def _tags(text: str) -> str | None:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []
    except ValueError as error:
        raise StorageError("not written as tags", field="SCENESCORE_OBJECT_TAGS", hint="Write k=v&k2=v2") from error
    if len(dict(pairs)) != len(pairs) or len(pairs) > _MOST_TAGS:
        raise StorageError(f"more than {_MOST_TAGS} tags, or one twice", field="SCENESCORE_OBJECT_TAGS")
    return urlencode(pairs) or None

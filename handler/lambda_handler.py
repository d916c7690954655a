"""The AWS Lambda door."""

from __future__ import annotations

from typing import Any, NoReturn

from handler.errors import RequestError

__all__ = ["lambda_handler"]


def lambda_handler(event: Any, context: Any) -> NoReturn:
    """Refuse every event: the function is not built yet."""
    raise RequestError("this version has no Lambda function yet")

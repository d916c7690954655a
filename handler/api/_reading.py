"""Reading a JSON body: one type, one size, and none of the numbers that JSON does not have."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Any

import orjson
from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

__all__ = ["MAX_BODY", "JsonRoute"]

MAX_BODY = 6_000_000  # bytes; Lambda takes no more


class _JsonRequest(Request):
    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            received = bytearray()
            async for chunk in self.stream():
                received += chunk
                _check_size(len(received))
            self._body = bytes(received)
        return self._body

    async def json(self) -> Any:
        """Unlike Python's reader, orjson refuses NaN, Infinity and half surrogates, and bounds nesting."""
        return orjson.loads(await self.body())


class JsonRoute(APIRoute):
    """A route whose body is JSON of at most MAX_BODY bytes: 415 for another type, 413 for more."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's hook for a request class of one's own."""
        handle = super().get_route_handler()

        async def read(request: Request) -> Response:
            if self.body_field is not None:
                length = request.headers.get("content-length", "")
                _check_size(int(length) if length.isascii() and length.isdigit() else 0)
                if not _is_json(request.headers.get("content-type", "")):
                    raise HTTPException(415, "the body must be JSON: send Content-Type: application/json")
            return await handle(_JsonRequest(request.scope, request.receive))

        return read


def _check_size(size: int) -> None:
    if size > MAX_BODY:
        raise HTTPException(
            413, f"the body is larger than {MAX_BODY:,} bytes; put the data into a file and name it as input"
        )


def _is_json(content_type: str) -> bool:
    message = Message()
    message["content-type"] = content_type
    kind = message.get_content_type()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))

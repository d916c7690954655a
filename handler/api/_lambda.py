"""HTTP events of AWS Lambda -> the app, through Mangum."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from handler.api._app import create_app
from handler.api._problems import PROBLEM_TYPE

__all__ = ["mangum_reply"]

TEXT_TYPES = ["text/", "application/json", PROBLEM_TYPE, "application/x-ndjson", "application/jsonl"]


def mangum_reply(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer an event of API Gateway (HTTP API or REST), a function URL or a load balancer.

    The app is made on the first call of the process. Raises SettingsError when the environment does not fit.
    """
    asyncio.set_event_loop(_event_loop())
    adapter = _adapter()
    try:
        _check(adapter.infer(event, context), event)
    except Exception as error:  # whatever a damaged event makes Mangum raise
        return _damaged(error)
    reply: dict[str, Any] = adapter(event, context)
    return reply


def split_path(event: Mapping[str, Any], path: str) -> tuple[str, str]:
    """What stands before the app in a request's path, and the app's own part of it.

    HTTP APIs put a stage that is not `$default` into the path. REST APIs leave it out of the event's path and show it in
    that of `requestContext`. A mapping of a custom domain, or a resource above `{proxy+}`, is told by the proxy parameter.
    """
    context = event["requestContext"]
    root = ""
    if event.get("version") == "2.0":
        stage = f"/{context.get('stage')}"
        if path == stage or path.startswith(f"{stage}/"):
            root, path = stage, path[len(stage) :]
    elif "elb" not in context:
        shown = context.get("path") or path
        if shown != path and shown.endswith(path):
            root = shown[: -len(path)]
        elif shown != path and path == "/":
            root = shown
    proxy = (event.get("pathParameters") or {}).get("proxy")
    if proxy and path.endswith(f"/{proxy}"):
        cut = len(path) - len(proxy) - 1
        root, path = root + path[:cut], path[cut:]
    return root, path or "/"


def _check(handler: Any, event: Mapping[str, Any]) -> None:
    """Work out from the event what the call will need; an event that is damaged fails here."""
    scope = handler.scope
    for name, kind in (("method", str), ("path", str), ("query_string", bytes)):
        if not isinstance(scope[name], kind):
            raise TypeError(name)
    split_path(event, scope["path"])
    if not isinstance(handler.body, bytes):
        raise TypeError("body")


def behind_a_gateway(app: ASGIApp) -> ASGIApp:
    """The app with ASGI's `root_path` set to what the gateway put before it."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        root, path = split_path(scope["aws.event"], scope["path"])
        await app({**scope, "root_path": root, "path": root + path}, receive, send)

    return call


@cache
def _adapter() -> Any:
    from mangum import Mangum

    # Mangum would run the lifespan on every call.
    return Mangum(behind_a_gateway(create_app()), lifespan="off", text_mime_types=TEXT_TYPES)


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """One loop for the process: Mangum takes the current one, and Python no longer makes it by itself."""
    return asyncio.new_event_loop()


def _damaged(error: Exception) -> dict[str, Any]:
    document = {
        "type": "urn:scenescore:bad_event",
        "title": "Bad Request",
        "status": 400,
        "detail": f"the event is no HTTP request as a gateway or load balancer sends it ({type(error).__name__})",
        "code": "bad_event",
    }
    return {
        "statusCode": 400,
        "headers": {"content-type": PROBLEM_TYPE},
        "body": orjson.dumps(document).decode(),
        "isBase64Encoded": False,
    }

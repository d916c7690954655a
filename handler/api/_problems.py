"""Every error as a problem document (RFC 9457), and nothing of our insides in any of them."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handler.errors import ScenescoreError, StorageError
from handler.jobs import problem
from handler.settings import is_under

__all__ = ["PROBLEM_TYPE", "add_handlers", "guarded", "problem_reply", "responses"]

PROBLEM_TYPE = "application/problem+json"
RETRY_AFTER_S = 5
MAX_ERRORS = 20  # wrong fields listed

_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}
_MEANING = {
    403: "The request names a location that this installation does not open to requests",
    404: "There is no such thing",
    413: "The body is too large",
    415: "The body is not JSON",
    422: "The request or its data are wrong; the document says where",
    500: "Our fault",
    503: "Not possible just now; see Retry-After",
}


def responses(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI `responses` of a route that can fail in these ways."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {code: {"description": _MEANING[code], "content": {PROBLEM_TYPE: schema}} for code in codes}


def add_handlers(app: FastAPI) -> None:
    """Answer our own errors, wrong requests and the router's refusals."""
    app.add_exception_handler(ScenescoreError, _named)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)


def problem_reply(document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """The document under its own status and type."""
    status = document["status"]
    retry = {"Retry-After": str(RETRY_AFTER_S)} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return Response(orjson.dumps(document), status, {**retry, **(headers or {})}, PROBLEM_TYPE)


def guarded(app: ASGIApp) -> ASGIApp:
    """The app with a last resort: an unforeseen exception is a 500 without details, and the log has its place.

    The exception's message stays out of the log: it may quote what somebody described.
    """

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await app(scope, receive, watch)
        except ClientDisconnect:
            return
        except Exception as error:
            if started or scope["type"] != "http":
                raise
            place = "".join(traceback.format_tb(error.__traceback__))
            logging.getLogger("scenescore.api").error("unexpected %s\n%s", type(error).__name__, place)
            await problem_reply(_document(500, "internal", "something unexpected happened on our side"))(
                scope, receive, send
            )

    return call


async def _named(request: Request, error: Exception) -> Response:
    assert isinstance(error, ScenescoreError)
    document = problem(error)
    status = document["status"]
    own_folder = isinstance(error, StorageError) and is_under(error.file or "", request.app.state.settings.output)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR or (own_folder and status < HTTPStatus.INTERNAL_SERVER_ERROR):
        logging.getLogger("scenescore.api").error("%s at %s", error.code, error.file)
        document = _document(500, error.code, "the service could not do its part; its log says why")
    return problem_reply(document)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    wrong = [_wrong_field(one) for one in error.errors()[:MAX_ERRORS]]
    detail = "; ".join(f"{one['field']}: {one['message']}" if one["field"] else one["message"] for one in wrong)
    return problem_reply({**_document(422, "invalid_request", detail), "errors": wrong, "field": wrong[0]["field"]})


def _wrong_field(one: Mapping[str, Any]) -> dict[str, str]:
    if one["type"] == "json_invalid":
        return {"field": "", "message": f"the body is not JSON: {one['ctx']['error']} (character {one['loc'][-1]})"}
    path = ".".join(str(part) for part in one["loc"][1:])
    return {"field": path, "message": one["msg"].removeprefix("Value error, ")}


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    document = _document(error.status_code, _CODES.get(error.status_code, "bad_request"), str(error.detail))
    return problem_reply(document, error.headers)


def _document(status: int, code: str, detail: str) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    return {"type": f"urn:scenescore:{code}", "title": title, "status": status, "detail": detail, "code": code}

"""What only `scenescore serve` has: a page at `/`, and a route that takes a whole file. Neither exists on Lambda."""

from __future__ import annotations

import itertools
import time
import uuid
from dataclasses import replace
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from handler import storage
from handler.api._app import create_app
from handler.api._bodies import EvaluationReply, json_reply
from handler.api._pages import page_reply
from handler.api._problems import problem_reply, responses
from handler.api._routes import Set
from handler.errors import ForbiddenError
from handler.evaluation import EvaluationRequest
from handler.jobs import Clock, outcome, problem, reply
from handler.reports import ResultFolder
from handler.settings import DEFAULT_THRESHOLD, Settings

__all__ = ["create_local_app"]

MAX_FILE = 1_000_000_000  # bytes of an upload; a longer file is read in place by `scenescore evaluate`
MAX_ERRORS = 50  # rows of errors.jsonl shown
MAX_NAME = 200  # bytes of a file's name
FILE_TYPE = "application/octet-stream"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PAGE = files("handler.api") / "data" / "page.html"
EXAMPLE = files("handler") / "data" / "entrance.json"

router = APIRouter()


def create_local_app(settings: Settings, host: str = LOOPBACK[0]) -> FastAPI:
    """The app with the page, answering only under the name of this machine while it listens on it alone.

    Otherwise a web page elsewhere could have its own name point here and read what is kept on this machine.
    """
    app = create_app(settings)
    app.include_router(router)
    if host in (*LOOPBACK, "::1"):
        app.add_middleware(_only_here)
    return app


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """The page."""
    return page_reply(PAGE.read_text(encoding="utf-8").replace("<!-- limit -->", f"{MAX_FILE // 10**6:,} MB"))


@router.get("/example.json", include_in_schema=False)
async def example() -> Response:
    """The packaged example."""
    return Response(EXAMPLE.read_bytes(), media_type="application/json")


@router.post(
    "/v1/files",
    operation_id="evaluate_file",
    summary="Evaluate a file",
    response_model=EvaluationReply,
    response_description="Finished: as from /v1/evaluations, with the first rows of errors.jsonl as `errors`",
    responses=responses(413, 415, 422, 500, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {FILE_TYPE: {"schema": {"title": "The file's bytes", "type": "string", "format": "binary"}}},
        }
    },
)
async def evaluate_file(
    request: Request,
    settings: Set,
    name: Annotated[str, Query(description="The file's name", max_length=1000)] = "upload",
    threshold: Annotated[float, Query(ge=-1, le=1, allow_inf_nan=False)] = DEFAULT_THRESHOLD,
) -> Response:
    """Keep the bytes under `_uploads` in the output folder and score them: JSON, JSON Lines, CSV or TSV, also gzip."""
    if request.headers.get("content-type") != FILE_TYPE:  # a type that pages elsewhere may not send unasked
        raise HTTPException(415, f"send the file's bytes with Content-Type: {FILE_TYPE}")
    unique = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:8]}"
    location = storage.join(settings.output, "_uploads", unique, _safe(name))
    await _keep(request, location)
    return json_reply(await run_in_threadpool(_evaluated, location, threshold, settings))


async def _keep(request: Request, location: str) -> None:
    """Write the body to a location; nothing is left of one that is too long or breaks off."""
    size = 0
    with storage.open_write(location) as out:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MAX_FILE:
                hint = "`scenescore evaluate FILE` reads files of any size"
                raise HTTPException(413, f"the file is larger than {MAX_FILE // 10**6:,} MB; {hint}")
            out.write(chunk)


def _evaluated(location: str, threshold: float, settings: Settings) -> dict[str, Any]:
    """The reply body, with the first rows of errors.jsonl as `errors`. It waits as long as it takes."""
    request = EvaluationRequest(input=location, threshold=threshold)
    status, report = outcome(request, replace(settings, queue_url=None), Clock())
    assert report is not None  # without a queue and a limit, and at a location that nobody else knows, it is finished
    errors = list(itertools.islice(ResultFolder(report.location or "").errors(), MAX_ERRORS))
    return {**reply(status, report), "errors": errors}


def _safe(name: str) -> str:
    """The last part of a name, of a length that file systems take, its end kept: that is where the suffix is."""
    last = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(c if c.isprintable() else "_" for c in last)
    return shown.encode()[-MAX_NAME:].decode(errors="ignore").strip(". ") or "upload"


def _only_here(app: ASGIApp) -> ASGIApp:
    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        hosts = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"host"]
        if scope["type"] == "http" and not all(_without_port(host) in LOOPBACK for host in hosts):
            refusal = ForbiddenError("this server answers only on this machine", hint=f"Open {LOOPBACK[0]}")
            await problem_reply(problem(refusal))(scope, receive, send)
            return
        await app(scope, receive, send)

    return call


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host

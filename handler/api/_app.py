"""Making the app."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from handler.api._bodies import Problem
from handler.api._calibrations import calibrations
from handler.api._comparisons import comparisons
from handler.api._docs import add_docs
from handler.api._problems import add_handlers, guarded
from handler.api._routes import router
from handler.jobs import Clock
from handler.settings import Settings

__all__ = ["create_app"]


def create_app(settings: Settings | None = None, clock: Callable[[], Clock] = Clock) -> FastAPI:
    """The app.

    settings: None reads the environment. clock: how long a request may take, asked for each; without a queue and a limit
    requests run to their end. On Lambda the function's remaining time counts instead.
    """
    app = FastAPI(
        title="scenescore",
        version=version("scenescore"),
        summary="How far can the words of a vision-language model be trusted?",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.settings = settings if settings is not None else Settings.from_environment()
    app.state.clock = clock
    app.include_router(router)
    app.include_router(calibrations)
    app.include_router(comparisons)
    add_handlers(app)
    add_docs(app)
    app.add_middleware(guarded)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign] # how FastAPI is told
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, with the problem document that the routes' errors refer to."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        schema["components"]["schemas"]["Problem"] = Problem.model_json_schema()
        app.openapi_schema = schema
    return app.openapi_schema

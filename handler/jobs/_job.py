"""A request with a name."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import orjson

from handler import storage
from handler.errors import RequestError
from handler.evaluation import EvaluationRequest, Machine, content_of, request_identity
from handler.settings import Settings

__all__ = ["Job", "make_job"]


@dataclass(frozen=True, slots=True)
class Job:
    """id: 20 hex digits over the request, the version of its input and the model. etag, sequencer: of the upload."""

    id: str
    request: EvaluationRequest
    etag: str | None = None
    sequencer: str | None = None


def make_job(
    request: EvaluationRequest, settings: Settings, *, etag: str | None = None, sequencer: str | None = None
) -> Job:
    """Name a request. Its output becomes the configured one unless it has its own.

    etag: what the event says; otherwise S3 is asked for it, or for all etags under a prefix; an input that is not there has
    none. Raises RequestError for integers beyond 64 bits and half characters, wherever they stand.
    """
    if request.output is None:
        request = request.model_copy(update={"output": settings.output})
    if etag is None and request.input is not None:
        etag = _etag(request.input)
    what = [request.input, etag, request.sessions, request.output]
    if request.fail_if:
        what += [request.fail_if, request.gate_on]  # other gates on a finished result are another event
    what += [[at, _etag(at)] for at in (request.questions, request.references) if at is not None]
    rest = request.model_dump(exclude={"sessions"})
    try:
        digest = hashlib.sha256(orjson.dumps(what, default=repr, option=orjson.OPT_NON_STR_KEYS))
        orjson.dumps(rest, default=repr, option=orjson.OPT_NON_STR_KEYS)
    except orjson.JSONEncodeError as error:  # it could not go through the queue either
        raise RequestError(f"the request holds what JSON cannot carry: {error}") from error
    digest.update(request_identity(request, Machine(model=settings.model)).encode())
    return Job(digest.hexdigest()[:20], request, etag, sequencer)


def _etag(location: str) -> str | None:
    """What tells this version of an S3 input from another one."""
    if not storage.is_remote(location):
        return None
    try:
        return content_of(location)
    except storage.NotFoundError:
        return None

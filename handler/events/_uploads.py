"""Uploads: S3 notifications and EventBridge events -> evaluations of the objects they name."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote_plus

import orjson

from handler import storage
from handler.errors import InputError, RequestError, ScenescoreError
from handler.evaluation import SIDECAR, EvaluationRequest, is_annotation, write_error
from handler.events._log import log, log_status
from handler.jobs import Clock, Job, check_locations, make_job, perform_or_shard
from handler.settings import Settings, is_under

__all__ = ["Upload", "handle_uploads", "uploads_of"]


@dataclass(frozen=True, slots=True)
class Upload:
    """An object that was written. etag and sequencer as the event gives them, None where it does not."""

    location: str
    etag: str | None
    sequencer: str | None


def handle_uploads(
    kind: Literal["s3", "eventbridge"],
    event: dict[str, Any],
    settings: Settings,
    clock: Clock,
    *,
    last_try: bool = False,
) -> list[dict[str, Any]]:
    """Evaluate what was uploaded. Returns the status documents. Raises what may be better next time."""
    done = []
    for upload in uploads_of(kind, event):
        job = _job_of(upload, settings, last_try=last_try)
        if job is not None:
            status, report = perform_or_shard(job, settings, clock, last_try=last_try)
            log_status(status, report)
            done.append(status.document())
    return done


def uploads_of(kind: Literal["s3", "eventbridge"], event: dict[str, Any]) -> list[Upload]:
    """The created objects an event names; other events, and folder markers, give none. Raises RequestError."""
    try:
        found = list(_of_notification(event) if kind == "s3" else _of_eventbridge(event))
    except (KeyError, TypeError, AttributeError) as error:
        raise RequestError(f"the {kind} event is damaged: {error!r} is not there or of the wrong type") from error
    return [upload for upload in found if not upload.location.endswith("/")]


def _of_notification(event: dict[str, Any]) -> Iterator[Upload]:
    for record in event["Records"]:
        if not record["eventName"].removeprefix("s3:").startswith("ObjectCreated:"):
            continue
        bucket, thing = record["s3"]["bucket"]["name"], record["s3"]["object"]
        # S3 notifications quote keys as forms do, spaces as `+`; here, and only here, that is undone.
        yield _upload(bucket, unquote_plus(thing["key"]), thing.get("eTag"), thing.get("sequencer"))


def _of_eventbridge(event: dict[str, Any]) -> Iterator[Upload]:
    if event.get("detail-type") == "Object Created":
        bucket, thing = event["detail"]["bucket"]["name"], event["detail"]["object"]
        yield _upload(bucket, thing["key"], thing.get("etag", thing.get("eTag")), thing.get("sequencer"))


def _upload(bucket: str, key: str, etag: Any, sequencer: Any) -> Upload:
    for value in (bucket, key, etag or "", sequencer or ""):
        if not isinstance(value, str):
            raise TypeError(type(value).__name__)
    return Upload(f"s3://{bucket}/{key}", etag.strip('"') if etag else None, sequencer or None)


def _job_of(upload: Upload, settings: Settings, *, last_try: bool) -> Job | None:
    """The job an upload asks for; None when it asks for none, or when the request beside it is refused."""
    where = upload.location
    outside = bool(settings.inputs) and not any(is_under(where, prefix) for prefix in settings.inputs)
    if outside or is_under(where, settings.output) or not (where.endswith(SIDECAR) or is_annotation(where)):
        log("upload ignored", upload=where, reason="outside the inputs" if outside else "not an annotation file")
        return None
    sidecar = where if where.endswith(SIDECAR) else _sidecar_of(where)
    try:
        if sidecar is not None:
            request = _request_of(sidecar, settings)
            if sidecar == where or request.input == where:
                etag = upload.etag if request.input == where else None
                return make_job(request, settings, etag=etag, sequencer=upload.sequencer if etag else None)
        return make_job(EvaluationRequest(input=where), settings, etag=upload.etag, sequencer=upload.sequencer)
    except ScenescoreError as error:
        if not error.is_callers and not last_try:
            raise
        asked = EvaluationRequest(input=sidecar or where, output=settings.output)
        name = hashlib.sha256(where.encode("utf-8", "replace")).hexdigest()[:12]
        location = write_error(asked, error, upload.etag or "unknown", name)
        log("request refused", result=location, code=error.code, field=error.field)
        return None


def _sidecar_of(location: str) -> str | None:
    """The request beside a data file: NAME.scenescore.json, with or without the data file's suffix in NAME."""
    folder, _, name = location.rpartition("/")
    stem = name.removesuffix(".gz").rpartition(".")[0]
    for candidate in (f"{folder}/{name}{SIDECAR}", f"{folder}/{stem}{SIDECAR}"):
        if storage.stat(candidate) is not None:
            return candidate
    return None


def _request_of(sidecar: str, settings: Settings) -> EvaluationRequest:
    """The request in a sidecar, its locations made absolute. Raises InputError, RequestError or ForbiddenError."""
    try:
        values = orjson.loads(storage.read_bytes(sidecar))
    except orjson.JSONDecodeError as error:
        name = storage.name_of(sidecar)
        raise InputError(f"not JSON: {error.msg}", file=name, line=error.lineno, column=error.colno) from error
    if not isinstance(values, dict):
        raise InputError("a request is a JSON object", file=storage.name_of(sidecar))
    folder = sidecar.rpartition("/")[0]
    for role in ("input", "references", "questions", "calibration"):
        if isinstance(values.get(role), str) and "://" not in values[role]:
            bucket, _, key = f"{folder}/{values[role]}".removeprefix("s3://").partition("/")
            values[role] = f"s3://{bucket}/{posixpath.normpath(key)}"
    request = EvaluationRequest.parse(values)
    if request.input is None and request.sessions is None:
        raise RequestError("the request names no input", field="input")
    check_locations(request, settings)
    return request

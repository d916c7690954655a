"""Messages: uploads and queued jobs, each on its own, so that one bad message never fails its neighbours."""

from __future__ import annotations

from typing import Any

import orjson

from handler.errors import OutOfTimeError, RequestError, ScenescoreError
from handler.events._kinds import kind_of
from handler.events._log import log, log_status
from handler.events._uploads import handle_uploads
from handler.jobs import Clock, job_of_message, perform_or_shard
from handler.settings import Settings

__all__ = ["handle_messages"]


def handle_messages(event: dict[str, Any], settings: Settings, clock: Clock) -> dict[str, Any]:
    """Work through a batch. Returns SQS's partial batch response: the messages that must come again."""
    failures = []
    for record in event["Records"]:
        message_id = str(record.get("messageId", ""))
        try:
            if clock.is_up():
                raise OutOfTimeError("no time left for this message")
            _handle(record, settings, clock)
        except ScenescoreError as error:
            log("message comes again", message_id=message_id, code=error.code, file=error.file)
            failures.append(message_id)
        except Exception as error:  # a fault of ours must not take the neighbours along
            log("message failed", message_id=message_id, code="internal", error=type(error).__name__)
            failures.append(message_id)
    return {"batchItemFailures": [{"itemIdentifier": one} for one in failures]}


def _handle(record: dict[str, Any], settings: Settings, clock: Clock) -> None:
    try:
        body = orjson.loads(record["body"])
    except (KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise RequestError("the message's body is not JSON") from error
    kind = kind_of(body)
    last_try = _receives(record) >= settings.max_receives
    if kind == "job":
        job = job_of_message(body, settings)
        if job is not None:
            log_status(*perform_or_shard(job, settings, clock, last_try=last_try))
    elif kind == "s3" or kind == "eventbridge":
        handle_uploads(kind, body, settings, clock, last_try=last_try)
    elif kind != "s3-test":
        raise RequestError(f"a message cannot carry an event of kind {kind}")


def _receives(record: dict[str, Any]) -> int:
    try:
        return int(record["attributes"]["ApproximateReceiveCount"])
    except (KeyError, TypeError, ValueError):
        return 1
